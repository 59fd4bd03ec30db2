"""Models: what turns words into tags and trees."""
