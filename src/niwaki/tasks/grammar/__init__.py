"""Sentences that are broken on purpose, and how well formed sentences are."""
