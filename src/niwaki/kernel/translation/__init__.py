"""Phrase pairs from links, language models, and the search for translations."""
