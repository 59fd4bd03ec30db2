"""What families share whose parsers give each arc a score and search all trees exactly."""
