"""From raw text to sentences and words."""
