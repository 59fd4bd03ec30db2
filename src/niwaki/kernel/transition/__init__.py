"""Kernel of the transition-based parsers."""
