"""A family of parsers in one folder: every word hangs from one of its neighbours."""
