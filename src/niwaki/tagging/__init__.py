"""Taggers, morphology and lemmas."""
