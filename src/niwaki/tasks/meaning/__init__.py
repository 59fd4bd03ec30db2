"""Expressions of what sentences mean, as trees with formal labels and back."""
