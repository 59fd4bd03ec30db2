"""Kernel of what models see of words."""
