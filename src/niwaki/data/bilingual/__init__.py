"""Data of two languages: parallel text, links, reference orders."""
