"""Cards of models: what a model keeps of its configuration, and what of it says something."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from niwaki.keys import Key, keys_of
from niwaki.objectives import objective_names, settings_class
from niwaki.parsers.base import family_names
from niwaki.training.config import (
    Config,
    CostConfig,
    ModelConfig,
    Place,
    TreebankConfig,
    family_places,
    objective_keys,
    objective_owners,
    places,
    silent_keys,
)

Record = dict[str, Any]


def card_of(config: Config) -> Record:
    """The configuration as a model keeps it: where files lay on a disk is nobody's business."""
    record = config.to_json()
    for place in places(config.model.kind):
        _shorten(record[place.table], place.key)
    for objective, found in zip(config.objective, record["objective"], strict=True):
        for key, _ in objective_keys(objective):
            _shorten(found, key)
    return record


def _shorten(record: Record, key: Key) -> None:
    value = record[key.name]
    if key.path == "program":
        value = value[:1]
    if key.path:
        record[key.name] = (
            [os.path.basename(each) for each in value]
            if isinstance(value, list)
            else os.path.basename(value)
        )


def upgraded(record: Mapping[str, Any]) -> Record:
    """A card, perhaps of an old model, with the names of today.

    What was written of other families, and of other kinds of objectives, is left out. What
    nobody declares stays as it is.
    """
    kind = _kind(record)
    if kind is None:
        return dict(record)
    found: Record = {}
    known = list(places(kind))
    foreign = [each for name in family_names() if name != kind for each in family_places(name)]
    for table, values in record.items():
        if table == "objective" and _is_list_of_tables(values):
            found[table] = [_upgraded_objective(each) for each in values]
            continue
        own = [each.key for each in known if each.table == table]
        others = [each.key for each in foreign if each.table == table]
        if isinstance(values, Mapping) and (own or others):
            values = _renamed(values, own, others)
        if values or own or not others:
            found[table] = values
    return found


def _kind(record: Mapping[str, Any]) -> str | None:
    """The family of a model, if it is at hand; whatever a card says."""
    model = record.get("model", {})
    kind = model.get("kind", ModelConfig().kind) if isinstance(model, Mapping) else None
    return kind if kind in family_names() else None


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)


def _upgraded_objective(record: Mapping[str, Any]) -> Record:
    others = [key for _, owner in objective_owners() for key in keys_of(owner)]
    return _renamed(record, _objective_keys(record), others)


def _objective_keys(record: Mapping[str, Any]) -> list[Key]:
    """The keys of an objective; a function that a card names is not imported to know its own."""
    kind = record.get("kind", TreebankConfig.kind)
    if kind == TreebankConfig.kind:
        return list(keys_of(TreebankConfig))
    own = keys_of(settings_class(kind)) if kind in objective_names() else ()
    return [*keys_of(CostConfig), *own]


def _renamed(values: Mapping[str, Any], own: Iterable[Key], others: Iterable[Key]) -> Record:
    """Values under the names of `own`, without those that only `others` have."""
    names = {key.name for key in own}
    former = {each.name: (key, each) for key in own for each in key.formerly}
    gone = {name for key in others for name in (key.name, *(each.name for each in key.formerly))}
    found: Record = {}
    for name, value in values.items():
        if name in former:
            key, old = former[name]
            try:
                found[key.name] = old.now(value)
            except ValueError:
                found[key.name] = value  # as it is today
        elif name in names or name not in gone:
            found[name] = value
    return found


def used_settings(record: Mapping[str, Any]) -> Record:
    """An upgraded card without what is empty, and without keys that say nothing beside others."""
    kind = _kind(record)
    owners: dict[str, list[Place]] = {}
    for place in places(kind) if kind else ():
        table = record.get(place.table)
        if isinstance(table, Mapping) and place.key.name in table:
            owners.setdefault(place.owner, []).append(place)
    silent = silent_keys(kind) if kind else set()
    for found in owners.values():
        values = {each.key.name: record[each.table][each.key.name] for each in found}
        unused = _silent(values, [each.key for each in found])
        silent |= {(each.table, each.key.name) for each in found if each.key.name in unused}
    used: Record = {}
    for table, said in record.items():
        if isinstance(said, Mapping):
            used[table] = {name: x for name, x in said.items() if (table, name) not in silent}
        elif table == "objective" and _is_list_of_tables(said):
            used[table] = [_used_objective(each) for each in said]
        else:
            used[table] = said
    return used


def _used_objective(record: Mapping[str, Any]) -> Record:
    unused = _silent(record, _objective_keys(record))
    return {name: value for name, value in record.items() if name not in unused}


def _silent(values: Mapping[str, Any], keys: Iterable[Key]) -> set[str]:
    return {
        key.name
        for key in keys
        if not key.says_something(values) or values.get(key.name) in ("", [], {})
    }
