"""Scores: attachment and tagging accuracy, significance."""
