"""Graph-based parsers."""
