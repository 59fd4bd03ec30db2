"""Models by name: indexes of what there is, the cache of what was fetched, and the way between.

Not public: `niwaki.models`, `niwaki.download`, `niwaki.index_models` and `niwaki.load` are.
"""
