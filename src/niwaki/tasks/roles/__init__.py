"""Roles: who did what to whom, read off trees by the paths between predicates and fillers."""
