"""The whole of a model: words in, tags and trees out.

Not public: what it has is in `niwaki` (`Pipeline`, `Ensemble`, `load`).
"""
