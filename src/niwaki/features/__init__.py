"""What models look at: templates, attributes of words, clusters, and tables of weights.

Not public: configurations name features, and `niwaki.cluster` makes clusters.
"""
