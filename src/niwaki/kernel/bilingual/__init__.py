"""Kernel of word alignment and word order."""
