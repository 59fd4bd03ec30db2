"""NOTICE, README and the package say what is under which licence."""

from __future__ import annotations

import tomllib
from pathlib import Path

from niwaki.verbs.describing import info

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "src" / "niwaki" / "assets" / "models").glob("*.niwaki"))


def licences(model: Path) -> list[str]:
    found: list[str] = info(model).config["card"]["licences"]
    return found


def test_notice_names_every_model_with_the_licences_of_its_card() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert MODELS
    for model in MODELS:
        _, _, section = notice.partition(f"\n{model.name}:")
        assert section, model.name
        lines = [line.strip() for line in section.splitlines()]
        assert set(licences(model)) <= set(lines), model.name


def test_the_package_has_the_licences_of_its_code_and_its_models() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = set(project["license"].split(" AND "))
    own = [each.removeprefix("model: ") for m in MODELS for each in licences(m) if "model:" in each]
    assert len(own) == len(MODELS)
    assert said == {"Apache-2.0", *(name.replace(" ", "-") for name in own)}
    assert set(project["license-files"]) == {"LICENSE", "NOTICE"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(NOTICE)" in readme and all(name in readme for name in own)


def test_info_tells_the_licences_apart() -> None:
    for model in MODELS:
        assert f"licences: {'; '.join(licences(model))}" in info(model).to_text()
