"""Corpora beyond one process: engines, jobs over shards, and a parser for frameworks of batches."""
