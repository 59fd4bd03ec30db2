"""Sentences, trees, candidates and the files they live in."""
