"""What a tree is good for: it becomes a word order, and later more."""
