"""Shorter sentences: charts over trees."""
