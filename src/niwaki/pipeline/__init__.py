"""The whole of a model: words in, tags and trees out."""
