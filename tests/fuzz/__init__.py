"""Targets for coverage-guided fuzzing, one a file, each with a small corpus.

A target is a module with `check(data: bytes)`, which fails on anything but a typed error.
`make test` replays the corpora; `make fuzz SECONDS=60` looks for more (see `__main__`).
"""
