"""Parsers, a folder for each family, behind the protocols of base.py."""
