"""Kernel of the taggers and of what follows them."""
