"""Phrase senses: what a phrase becomes in its sentence (Carpuat and Wu 2007)."""
