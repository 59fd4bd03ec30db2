"""Transition-based parsers."""
