"""Says where models of a dozen languages lie, with their index: `niwaki.load("te")` asks."""

from pathlib import Path

FOLDER = Path(__file__).parent
