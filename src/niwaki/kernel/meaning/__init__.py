"""Expressions of sentences, as text."""
