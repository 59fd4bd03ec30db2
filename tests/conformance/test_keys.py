"""Every key of every owner: documented, sound as it is, and refused with its line where wrong."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from niwaki.errors import ConfigError
from niwaki.keys import GIVEN, Key, keys_of
from niwaki.objectives import objective_names, settings_class
from niwaki.parsers.base import family_names, load_family
from niwaki.training.config import (
    OWNERS,
    CostConfig,
    TreebankConfig,
    family_places,
    objective_owners,
    places,
)
from niwaki.training.config_file import read_config
from tests.toy import TOY

OWNING = [
    *OWNERS.values(),
    *(load_family(name).config for name in family_names()),
    *(owner for _, owner in objective_owners()),
]


@dataclass(frozen=True)
class Case:
    """A key, and what must stand beside it for it to be known and to say something."""

    key: Key
    table: str
    kind: str  # of the model, or of the objective
    owner: type[Any]

    def __str__(self) -> str:
        return f"{self.table}.{self.key.name} of {self.kind}"

    @property
    def whole(self) -> str:
        return f"{'objective[1]' if self.table == 'objective' else self.table}.{self.key.name}"

    def text(self, name: str, value: Any) -> tuple[str, int]:
        """A configuration with the key under this name, and the line of it."""
        beside = _conditions(self)
        lines = ["# objective = [", "[[objective]]", f'data = ["{TOY}", # [model]', "]", ""]
        lines += ['leave_out = """', "[model]", '"""']
        if self.table == "objective":
            lines += ["[[objective]]"]
            beside = {"kind": self.kind, "data": str(TOY), **_needed(self), **beside}
        elif self.table == "model":
            lines += ["[model]"]
            beside = {"kind": self.kind, **beside}
        else:
            lines += ["[model]", f"kind = {json.dumps(self.kind)}", f"[{self.table}]"]
        beside.pop(self.key.name, None)
        lines += [f"{other} = {_toml(said)}" for other, said in beside.items()]
        lines += ["", f"{name} = {_toml(value)}"]
        return "\n".join([*lines, ""]), len(lines)


def _conditions(case: Case) -> dict[str, Any]:
    """Values of other keys with which this one says something."""
    keys = {key.name: key for key in keys_of(case.owner)}
    found = {}
    for other, wanted in case.key.when.items():
        hint = keys[other].hint
        given = True if hint is bool else 0.5 if hint is float else str(TOY)
        found[other] = given if wanted == GIVEN else wanted[0]
    return found


def _needed(case: Case) -> dict[str, Any]:
    values = {"rules": "ja", "command": ["true"], "connectives": str(TOY), "ranker": str(TOY)}
    values["compressor"] = str(TOY)
    if case.kind in ("treebank", "arc-length"):
        return {}
    return {key.name: values[key.name] for key in keys_of(settings_class(case.kind)) if key.needed}


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def cases() -> Iterator[Case]:
    for kind in family_names():
        for place in places(kind):
            if place.owner == "family" or kind == "transition":
                owner = OWNERS.get(place.owner) or load_family(kind).config
                yield Case(place.key, place.table, kind, owner)
    for key in keys_of(TreebankConfig):
        yield Case(key, "objective", "treebank", TreebankConfig)
    for key in keys_of(CostConfig):
        yield Case(key, "objective", "arc-length", CostConfig)
    for name in objective_names():
        for key in keys_of(settings_class(name)):
            yield Case(key, "objective", name, settings_class(name))


CASES = list(cases())
# A kind decides what the others are; it is refused in other words.
PLAIN = [case for case in CASES if case.key.name != "kind"]


def refusal(folder: Path, case: Case, name: str, value: Any) -> str:
    """What is said, without the file and the line, which must be right."""
    text, line = case.text(name, value)
    path = folder / "c.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_config(str(path))
    where = f"{path}:{line}: "
    assert str(caught.value).startswith(where)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value).removeprefix(where)


def test_all_owners_are_met() -> None:
    assert {case.owner for case in CASES} == {owner for owner in OWNING if keys_of(owner)}
    assert len({str(case) for case in CASES}) == len(CASES) > 90


@pytest.mark.parametrize("owner", OWNING, ids=lambda owner: f"{owner.__module__}.{owner.__name__}")
def test_declarations(owner: type[Any]) -> None:
    assert (owner.__doc__ or "").strip()
    names = [key.name for key in keys_of(owner)]
    former = [each.name for key in keys_of(owner) for each in key.formerly if each.name != key.name]
    assert not set(names) & set(former), "a name of today is no name of yesterday"
    for key in keys_of(owner):
        assert key.doc.endswith(".") and key.doc[0] != " "
        assert "\n" not in key.doc
        assert set(key.when) <= set(names), f"{key.name} goes with keys of its own class"
        assert key.convert(_plain(key.default)) == key.default
        assert key.path is None or isinstance(key.default, str | tuple)


@pytest.mark.parametrize("case", [each for each in CASES if not each.key.needed], ids=str)
def test_a_default_is_within_its_range(case: Case) -> None:
    # A default that is not would raise WrongKeyError.
    assert case.key.check(case.key.default) is None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", PLAIN, ids=str)
def test_as_it_should_be(case: Case, tmp_path: Path) -> None:
    """What the cases below change is a sound configuration before they do."""
    given = {"data": str(TOY), "rules": "ja", "command": ["true"], "connectives": str(TOY)}
    given["ranker"] = given["compressor"] = str(TOY)
    value = given.get(case.key.name)
    text, _ = case.text(case.key.name, _plain(case.key.default) if value is None else value)
    path = tmp_path / "c.toml"
    path.write_text(text, encoding="utf-8")
    assert read_config(str(path)).given


@pytest.mark.parametrize("case", PLAIN, ids=str)
def test_misspelt(case: Case, tmp_path: Path) -> None:
    wrong = f"{case.key.name}z"
    found = refusal(tmp_path, case, wrong, _plain(case.key.default))
    assert found.startswith(f"unknown key {case.whole}z; did you mean {case.key.name!r}?")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_of_a_wrong_type(case: Case, tmp_path: Path) -> None:
    found = refusal(tmp_path, case, case.key.name, {"a": {"b": 1}})
    assert found.startswith((f"{case.whole} is ", f"{case.whole}.a is "))
    assert "; give " in found


def out_of_range(key: Key) -> Iterator[Any]:
    step = 1 if key.hint is int else 0.5
    if key.least is not None:
        yield key.least - step
    if key.most is not None:
        yield key.most + step
    yield from (bound for bound in (key.above, key.below) if bound is not None)
    words = typing.get_args(key.hint)
    if typing.get_origin(key.hint) is Literal or key.choices:
        yield "no-such-name"
    if typing.get_origin(key.hint) is tuple and typing.get_args(words[0]):
        yield ["no-such-name"]
    if len(words) == 2 and typing.get_origin(words[1]) is Literal:
        yield "no-such-word"


@pytest.mark.parametrize("case", [each for each in PLAIN if any(out_of_range(each.key))], ids=str)
def test_out_of_range(case: Case, tmp_path: Path) -> None:
    values = list(out_of_range(case.key))
    assert values
    for value in values:
        found = refusal(tmp_path, case, case.key.name, value)
        assert found.startswith(case.whole)
        assert "give " in found or "known: " in found


@pytest.mark.parametrize(
    "case", [each for each in CASES if each.key.path in ("file", "named")], ids=str
)
def test_no_such_file(case: Case, tmp_path: Path) -> None:
    found = refusal(tmp_path, case, case.key.name, "no/such.file")
    assert found.startswith(f"{case.whole}: no file ")


@pytest.mark.parametrize("case", [each for each in PLAIN if each.key.when], ids=str)
def test_pointless(case: Case, tmp_path: Path) -> None:
    """Refused, if another key is not what it must be for this one to say something."""
    keys = {key.name: key for key in keys_of(case.owner)}
    before: dict[str, Any] = {}
    assert case.key.when
    for other, wanted in case.key.when.items():
        if wanted == GIVEN:
            value = {bool: False, float: 0.0, str: ""}[keys[other].hint]
        elif typing.get_origin(keys[other].hint) is Literal:
            value = next(x for x in typing.get_args(keys[other].hint) if x not in wanted)
        else:
            value = keys[other].default
        changed = replace(case.key, when={**before, other: (value,)})
        before[other] = wanted
        wrong = replace(case, key=changed)
        found = refusal(tmp_path, wrong, case.key.name, _plain(case.key.default))
        start = f"{case.whole} says nothing {'without' if wanted == GIVEN else 'with'} {other}"
        assert found.startswith(start)


@pytest.mark.parametrize("case", [each for each in PLAIN if each.key.formerly], ids=str)
def test_an_old_name_is_refused_with_the_new_one(case: Case, tmp_path: Path) -> None:
    assert case.key.formerly
    for former in case.key.formerly:
        values = former.values if isinstance(former.values, dict) else {2.0: 0.5}
        assert values
        for old, new in values.items():
            found = refusal(tmp_path, case, former.name, old)
            if former.name == case.key.name:
                assert found == f"{case.whole} = {old!r} is now {new!r}"
            else:
                said = f" = {json.dumps(new)}" if former.values else ""
                gone = case.whole.removesuffix(case.key.name) + former.name
                assert found == f"{gone} is now {case.whole}{said}"


@pytest.mark.parametrize("kind", family_names())
def test_a_key_of_another_family(kind: str, tmp_path: Path) -> None:
    refused = 0
    for place in family_places(kind):
        for other in family_names():
            if place.whole in {each.whole for each in places(other)}:
                continue
            refused += 1
            case = Case(replace(place.key, when={}), place.table, other, load_family(kind).config)
            text, line = case.text(place.key.name, _plain(place.key.default))
            path = tmp_path / "c.toml"
            path.write_text(text, encoding="utf-8")
            with pytest.raises(ConfigError) as caught:
                read_config(str(path))
            assert f' goes with model.kind = "{kind}"; leave one out' in str(caught.value)
            # A whole table of another family is refused where it begins.
            is_known = place.table in {each.table for each in places(other)}
            where = line if is_known else text.splitlines().index(f"[{place.table}]") + 1
            assert str(caught.value).startswith(f"{path}:{where}: ")
    assert refused
