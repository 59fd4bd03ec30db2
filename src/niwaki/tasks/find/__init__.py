"""Finding words in trees: queries, matches, shipped sets of queries, and indexes of corpora.

`Query("VERB >obj NOUN=x").matches(sentence)` finds words in one tree, `Query.find` in many.
"""

from niwaki.tasks.find.query import Query
from niwaki.tasks.find.results import Match

__all__ = ["Match", "Query"]
