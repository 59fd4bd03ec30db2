"""What models look at: templates, attributes of words, clusters, and tables of weights."""
