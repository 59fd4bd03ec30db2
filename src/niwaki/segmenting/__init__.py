"""From raw text to sentences and words.

Not public: a `Pipeline` reads text.
"""
