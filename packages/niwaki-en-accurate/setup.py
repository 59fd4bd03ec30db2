"""Refuses to build the package without its model; everything else stands in pyproject.toml."""

from pathlib import Path

from setuptools import setup

MODEL = Path("src") / "niwaki_en_accurate" / "en-accurate.niwaki"

if not MODEL.is_file():
    raise SystemExit(f"no file '{MODEL}': the model is not there yet; make accurate-model makes it")

setup()
