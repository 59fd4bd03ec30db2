"""Neural parsers of arcs."""
