"""Shorter sentences: which words of a tree to keep."""
