"""Says where the accurate English model of Niwaki lies: `niwaki.load("en-accurate")` asks."""

from pathlib import Path

MODEL = Path(__file__).with_name("en-accurate.niwaki")
