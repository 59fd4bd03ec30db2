"""Which sentence answers a question: by words, and by both trees (Wang et al. 2007)."""
