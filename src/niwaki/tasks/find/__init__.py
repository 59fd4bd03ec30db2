"""Finding words in trees: queries, matches, shipped sets of queries, and indexes of corpora.

`Query("VERB >obj NOUN=x").matches(sentence)` finds words in a tree, `niwaki.find` in many.
"""

from niwaki.tasks.find.query import Query
from niwaki.tasks.find.results import Match

__all__ = ["Match", "Query"]
