"""Small tasks for the commands that write files, each with what an earlier run has left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.conllu import read_conllu
from tests.conftest import ROOT
from tests.toy import TOY, quick_model

OLD = b"what an earlier run wrote"


@dataclass(frozen=True)
class Task:
    """A command without its output: its words, and the name of what it writes."""

    words: tuple[str, ...]
    output: str
    resumes: bool = False
    # Of an earlier run with other data, by name; the output is there too.
    earlier: Mapping[str, bytes] = field(default_factory=dict)


# All that a checkpoint can hold: parts that are tagged, two parsers, partial trees. It is
# saved as often as can be.
_TRAIN = """
[[objective]]
data = "{folder}/whole.conllu"
[[objective]]
data = "{folder}/partial.conllu"
partial = true
[model]
beam = 2
features = "lean"
[tagger]
folds = 2
epochs = 1
[segmenter]
epochs = 1
[training]
epochs = 1
greedy_epochs = 2
dev = "{folder}/whole.conllu"
checkpoint_minutes = 0
"""

_PARTIAL = b"""\
1\tThe\tthe\tDET\t_\t_\t_\t_\t_\t_
2\theron\theron\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tsleeps\tsleep\tVERB\t_\t_\t_\t_\t_\t_

"""

# One parser and one epoch: what training itself does when it is killed is tried by `train`.
_STUDENT = """
[[objective]]
data = "{toy}"
{cost}
[model]
beam = 2
features = "lean"
greedy = false
[tagger]
folds = 0
epochs = 1
[segmenter]
enabled = false
[training]
epochs = 1
checkpoint_minutes = 0
"""
_COST = '[[objective]]\nkind = "arc-length"\ndata = "{toy}"'


def train(folder: Path, sentences: int = 12) -> Task:
    """With more than 256 sentences, checkpoints are also saved within epochs."""
    toy = TOY.read_bytes().strip().split(b"\n\n")
    chosen = [toy[number % len(toy)] + b"\n\n" for number in range(sentences)]
    (folder / "whole.conllu").write_bytes(b"".join(chosen))
    (folder / "partial.conllu").write_bytes(_PARTIAL)
    config = folder / "c.toml"
    config.write_text(_TRAIN.format(folder=folder))
    return Task(("train", str(config), "--threads", "1"), "m.niwaki", resumes=True)


def uptrain(folder: Path, *more: str) -> Task:
    config = folder / "c.toml"
    config.write_text(_STUDENT.format(toy=TOY, cost=""))
    words = ("uptrain", str(config), "--teacher-trees", str(TOY), "--threads", "1", *more)
    earlier = {"run.json": b"{}", "trees-0000.conllu": OLD, "trees-0001.conllu": OLD}
    return Task(words, "m.niwaki", True, _below("m.niwaki.trees", earlier))


def uptrain_curve(folder: Path) -> Task:
    chart = folder / "out" / "m.niwaki.svg"
    task = uptrain(folder, "--curve", "0,9", "--test", str(TOY), "--chart", str(chart))
    models = {"0.niwaki": OLD, "9.niwaki": OLD}
    return Task(
        task.words,
        task.output,
        True,
        {**task.earlier, **_below("m.niwaki.trees", models), chart.name: OLD},
    )


def self_train(folder: Path) -> Task:
    config = folder / "c.toml"
    config.write_text(_STUDENT.format(toy=TOY, cost=_COST.format(toy=TOY)))
    base = folder / "base.niwaki"
    quick_model(base, model={"greedy": False}, training={"epochs": 1, "greedy_epochs": 1})
    options = ("-m", str(base), "-n", "4", "--rounds", "2", "--threads", "1")
    earlier = {"run.json": b"{}", "chosen-1-0.conllu": OLD, "model-1.niwaki": OLD}
    words = ("self-train", str(config), *options)
    return Task(words, "m.niwaki", True, _below("m.niwaki.rounds", earlier))


def cluster(folder: Path) -> Task:
    del folder
    words = ("cluster", str(TOY), "--min-count", "1", "--clusters", "20")
    return Task(words, "clusters.txt.gz")


def align(folder: Path) -> Task:
    """Probabilities of so much text that they are written in more than one go."""
    sides = []
    for side in ("en", "ja"):
        lines = (ROOT / "examples" / f"garden.{side}").read_text()
        sides.append(folder / side)
        sides[-1].write_text(lines * 3)
    words = ("align", *map(str, sides), "--to", "json", "--threads", "1")
    return Task(words, "posteriors.jsonl")


def learn_rules(folder: Path) -> Task:
    """From references that want each sentence from last to first."""
    references = folder / "references.jsonl"
    turned = [
        Reference(f"s{number}", sentence.forms, tuple(reversed(range(len(sentence)))))
        for number, sentence in enumerate(read_conllu(TOY))
    ]
    write_references(turned, references)
    words = ("learn-rules", str(references), "--trees", str(TOY), "--support", "1")
    return Task(words, "rules.toml")


def _below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for name, data in files.items()}


# All but `train`, whose tests say more about it.
TASKS: Mapping[str, Callable[[Path], Task]] = {
    "uptrain": uptrain,
    "uptrain --curve": uptrain_curve,
    "self-train": self_train,
    "cluster": cluster,
    "align": align,
    "learn-rules": learn_rules,
}
