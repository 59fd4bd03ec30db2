"""Taggers, morphology and lemmas.

Not public: a `Pipeline` tags.
"""
