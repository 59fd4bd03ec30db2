"""Error analysis: what went wrong, how often, and what it cost.

Not public: the verbs of `niwaki` give its reports.
"""
