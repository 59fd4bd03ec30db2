"""Parsers, a folder for each family, behind the protocols of base.py.

Public are base.py and decoding; families are known by their names only.
"""
