"""A model adapted to a job: settings are tried, and chosen by what was held out.

Not public: `niwaki.adapt` does it.
"""
