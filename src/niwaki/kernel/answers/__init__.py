"""Trees of questions beside trees of answers."""
