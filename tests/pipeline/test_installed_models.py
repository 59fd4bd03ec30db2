"""Models of installed packages: found by an entry point, listed, and refused in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model, load
from niwaki.verbs.describing import info
from niwaki.verbs.evaluating import evaluate
from tests.toy import TOY

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package whose one module is the text given, with the model `garden`."""

    def install(module: str, value: str = "garden_model:MODEL") -> None:
        folder = tmp_path / "installed"
        record = folder / "garden_model-1.dist-info"
        record.mkdir(parents=True)
        (folder / "garden_model.py").write_text(module)
        (record / "METADATA").write_text("Metadata-Version: 2.1\nName: garden-model\nVersion: 1\n")
        (record / "entry_points.txt").write_text(f"[niwaki.models]\ngarden = {value}\n")
        monkeypatch.syspath_prepend(folder)

    yield install
    sys.modules.pop("garden_model", None)


def naming(path: Path) -> str:
    return f"from pathlib import Path\nMODEL = Path({os.fspath(path)!r})\n"


def test_it_is_found_by_its_name(
    install: Install, model_path: Path, model: Pipeline, toy: list[Sentence]
) -> None:
    install(naming(model_path))
    assert find_model("garden") == model_path
    assert load("garden").config == model.config
    assert info("garden").config == info(model_path).config
    # Verbs take it for a model, not for a file of trees.
    assert evaluate(toy, "garden").scores == evaluate(toy, model_path).scores


def test_a_command_takes_its_name(
    install: Install, model_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(naming(model_path))
    outputs = []
    for name in ("garden", str(model_path)):
        assert cli.main(["parse", str(TOY), "-m", name]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != ""


def test_its_name_is_known(install: Install, model_path: Path) -> None:
    install(naming(model_path))
    with pytest.raises(
        ModelError, match=r"did you mean 'garden'\? known: (.*, )?en, (.*, )?garden"
    ):
        load("gardn")


def test_a_name_goes_before_a_file_and_a_path_does_not(
    install: Install, model_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(naming(model_path))
    (tmp_path / "garden").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    assert find_model("garden") == model_path
    assert find_model(tmp_path / "garden") == tmp_path / "garden"


def test_a_package_does_not_take_the_place_of_a_model_in_the_box(
    install: Install, model_path: Path
) -> None:
    install(naming(model_path), "garden_model:MODEL\nen = garden_model:MODEL")
    assert find_model("garden") == model_path
    assert find_model("en").parent.name == "models"


def test_its_file_is_missing(install: Install, tmp_path: Path) -> None:
    install(naming(tmp_path / "lost.niwaki"))
    with pytest.raises(ModelError) as caught:
        load("garden")
    assert str(caught.value) == (
        f"model 'garden' (garden_model:MODEL): no file '{tmp_path / 'lost.niwaki'}'; "
        "install the package again"
    )


@pytest.mark.parametrize(
    ("module", "value", "reason"),
    [
        ("import no_such_module", "garden_model:MODEL", "ModuleNotFoundError: No module named"),
        ("raise KeyError('a\\nb')", "garden_model:MODEL", "KeyError"),
        ("MODEL = 3", "garden_model:MODEL", "TypeError"),
        ("", "garden_model:MODEL", "AttributeError"),
        ("", "no_such_package:MODEL", "ModuleNotFoundError"),
    ],
)
def test_its_module_fails(install: Install, module: str, value: str, reason: str) -> None:
    install(module, value)
    with pytest.raises(ModelError) as caught:
        load("garden")
    message = str(caught.value)
    assert message.startswith(f"model 'garden' ({value}): its package fails with ")
    assert message.endswith("; install the package again")
    assert reason in message
    assert message.isprintable()


def test_the_accurate_english_model_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "entry_points", lambda **_: metadata.EntryPoints())
    with pytest.raises(ModelError) as caught:
        load("en-accurate")
    assert str(caught.value) == (
        "no model 'en-accurate': its package is missing; "
        "run: pip install niwaki-en-accurate (in a checkout: make accurate)"
    )
