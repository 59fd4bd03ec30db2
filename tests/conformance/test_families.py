"""Every family of parsers that is found keeps what `niwaki.parsers.base.Parser` promises."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError
from niwaki.features.parts import Parts
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Parser, Search, Setup, family_names, load_family
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tagging.tagger import Tags
from niwaki.training.card import upgraded
from niwaki.training.config import continued
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank
from niwaki.verbs.evaluating import evaluate
from tests.saving import saved
from tests.toy import NEW, TOY, Log, quick_model, skip_without_extras, write

# No more than the beam of quick models, which would be widened.
K = 4
# Said to a parser that does not take it; a new option of `Search` needs an entry.
SAID = {"beam": Search(beam=4), "decode": Search(decode="eisner")}
# What a cost function was given, by the words of the sentence.
GIVEN: dict[tuple[str, ...], KBest] = {}


def remember(sentence: Sentence, candidates: KBest) -> list[float]:
    """A cost of the user: nothing is to be learned, so that all see the weights of the start."""
    # The first time, while it learns; later the written model's trees are priced.
    GIVEN.setdefault(sentence.forms, candidates)
    return [0.0] * len(candidates)


@pytest.fixture(scope="module", params=family_names())
def name(request: pytest.FixtureRequest) -> str:
    skip_without_extras(request.param)
    return str(request.param)


@pytest.fixture(scope="module")
def nlp(name: str, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """A calibrated model, as it is loaded."""
    path = tmp_path_factory.mktemp("family") / "model.niwaki"
    quick_model(path, model={"kind": name}, training={"dev": str(TOY)})
    return load(path)


@pytest.fixture(scope="module")
def parser(nlp: Pipeline) -> Parser:
    return nlp.parser


@pytest.fixture(scope="module")
def sentences(toy: list[Sentence]) -> list[Sentence]:
    return [*(Sentence.from_words(sentence.forms) for sentence in toy[:10]), NEW]


@pytest.fixture(scope="module")
def batch(sentences: Sequence[Sentence]) -> Batch:
    return Batch([sentence.source for sentence in sentences])


@pytest.fixture(scope="module")
def tags(nlp: Pipeline, batch: Batch) -> Tags:
    return nlp.tag(batch)


def trees_of(parser: Parser, batch: Batch, tags: Tags, search: Search) -> list[tuple[Any, ...]]:
    """Heads and names of labels, sentence by sentence."""
    parsed = parser.parse(batch, tags, search)
    names = [parser.labels.names[label] for label in parsed.labels]
    ends = np.cumsum(batch.lengths)[:-1]
    heads = [part.tolist() for part in np.split(parsed.heads, ends)]
    labels = [list(part) for part in np.split(np.array(names, dtype=object), ends)]
    return list(zip(map(tuple, heads), map(tuple, labels), strict=True))


# -- what it says of itself ------------------------------------------------------------------


def test_a_family_has_its_name(name: str) -> None:
    family = load_family(name)
    assert family.name == name
    assert isinstance(family.prices_arcs, bool)
    assert [each.name for each in fields(family.config)]


def test_what_a_parser_says_of_itself(parser: Parser, toy: list[Sentence]) -> None:
    known = {label for sentence in toy for label in sentence.deprels}
    assert set(parser.label_names) <= known and "root" in parser.label_names
    assert list(parser.label_names) == sorted(set(parser.label_names))
    assert parser.facts and {type(key) for key in parser.facts} == {str}
    assert parser.max_words is None or parser.max_words > 100
    assert parser.gives_probabilities is True
    assert parser.uses_links is False


def test_ways_to_search_are_its_own(parser: Parser) -> None:
    assert parser.ways
    assert parser.options <= set(SAID)
    for search in (Search(), *parser.ways.values()):
        assert set(search.given()) <= parser.options
        parser.check(search)
        assert isinstance(parser.is_projective(search), bool)


def test_an_option_that_says_nothing_is_refused(parser: Parser, nlp: Pipeline) -> None:
    assert set(SAID) == {each.name for each in fields(Search)}
    strange = [each for each in SAID if each not in parser.options]
    assert strange
    for option in strange:
        with pytest.raises(ModelError, match=f"^{option} says nothing to this model"):
            parser.check(SAID[option])
        with pytest.raises(ModelError, match=f"^{option} says nothing to this model"):
            nlp.parse([NEW], **vars(SAID[option]))
        with pytest.raises(ModelError, match=f"^{option} says nothing to this model"):
            nlp.kbest(NEW, 2, **vars(SAID[option]))


def test_its_parts_make_the_same_parser(
    name: str, parser: Parser, nlp: Pipeline, batch: Batch, tags: Tags
) -> None:
    parts = parser.parts()
    assert isinstance(parts, Parts) and parts.tensors
    shared = nlp.clusters.kernel if nlp.clusters else None
    again = load_family(name).load(saved(parts), shared)
    assert saved(again.parts())._file.parts == saved(parts)._file.parts
    assert trees_of(again, batch, tags, Search()) == trees_of(parser, batch, tags, Search())


# -- trees -----------------------------------------------------------------------------------


def test_trees_are_whole(nlp: Pipeline, sentences: list[Sentence]) -> None:
    for search in (Search(), *nlp.parser.ways.values()):
        parsed = list(nlp.parse(sentences, **vars(search)))
        assert [each.forms for each in parsed] == [each.forms for each in sentences]
        for sentence in parsed:
            assert sentence.tree.is_complete
            assert set(sentence.deprels) <= set(nlp.parser.label_names)


def test_probabilities_change_no_tree(parser: Parser, batch: Batch, tags: Tags) -> None:
    for search in (Search(), *parser.ways.values()):
        plain = parser.parse(batch, tags, search)
        assert dict(plain.probabilities) == {}
        told = parser.parse(batch, tags, search, probabilities=True)
        assert told.heads.tolist() == plain.heads.tolist()
        assert told.labels.tolist() == plain.labels.tolist()
        found = told.probabilities
        assert set(found) == {"tag", "arc", "label", "tree"}
        sizes = {kind: len(each) for kind, each in found.items()}
        assert sizes == {**dict.fromkeys(("tag", "arc", "label"), batch.words), "tree": 11}
        for each in found.values():
            assert ((each >= 0) & (each <= 1 + 1e-9)).all()


def test_lists_are_distinct_sorted_and_begin_with_the_tree_of_parse(
    parser: Parser, batch: Batch, tags: Tags
) -> None:
    for search in (Search(), *parser.ways.values()):
        source = parser.candidates(batch, tags, search)
        best = trees_of(parser, batch, tags, search)
        for s, (heads, labels) in enumerate(best):
            (first,) = source.kbest(s, 1)
            assert (first.heads, first.deprels) == (heads, labels)
            found = source.kbest(s, K)
            assert 1 < len(found) <= K and found.number == s
            assert len(set(found.trees)) == len(found)
            assert (np.diff(found.scores) <= 0).all()
            assert found.probabilities.sum() == pytest.approx(1)
            assert (np.diff(found.probabilities) <= 0).all()
        assert len(best) == 11


def test_a_list_begins_with_the_tree_of_the_usual_search(
    nlp: Pipeline, sentences: list[Sentence]
) -> None:
    firsts = [nlp.kbest(sentence, K).trees[0] for sentence in sentences]
    assert firsts == [each.tree for each in nlp.parse(sentences)]


def test_lists_of_a_pipeline_are_those_of_its_parser(
    nlp: Pipeline, batch: Batch, tags: Tags, sentences: list[Sentence]
) -> None:
    source = nlp.parser.candidates(batch, tags, Search())
    assert len(sentences) == 11
    for s, sentence in enumerate(sentences):
        own, found = source.kbest(s, K), nlp.kbest(sentence, K)
        assert found.trees == own.trees
        assert found.probabilities == pytest.approx(own.probabilities)
        assert found.sentence.forms == sentence.forms


def test_beliefs_are_shares(parser: Parser, batch: Batch, tags: Tags) -> None:
    source = parser.candidates(batch, tags, Search())
    assert batch.lengths
    for s, n in enumerate(batch.lengths):
        beliefs = source.beliefs(s)
        assert beliefs.arcs.shape == (n + 1, n)
        assert beliefs.arcs.sum(axis=0) == pytest.approx(np.ones(n))
        assert beliefs.labels
        for (head, word), shares in beliefs.labels.items():
            assert set(shares) <= set(parser.label_names)
            # Labels that are next to nothing are passed over.
            assert sum(shares.values()) == pytest.approx(beliefs.arcs[head, word - 1], abs=0.05)


def test_constraints_are_obeyed(parser: Parser, nlp: Pipeline, toy: list[Sentence]) -> None:
    gold = [each for each in toy if len(each) >= 4 and each.tree.is_projective][:8]
    assert len(gold) == 8
    for sentence in gold:
        bare = Sentence.from_words(sentence.forms)
        batch = Batch([bare.source])
        last = len(sentence)
        known = Constraints.make(
            last,
            heads={3: sentence.heads[2]},
            forbidden={1: [head for head in (0, 2) if head != sentence.heads[0]]},
            labels={last: sentence.deprels[-1]},
            subtrees=[sentence.tree.subtree(2)],
        )
        for search in (Search(), *parser.ways.values()):
            found = parser.candidates(batch, nlp.tag(batch), search).kbest(0, K, known)
            assert len(found) and len(set(found.trees)) == len(found)
            assert [list(known.broken_by(tree)) for tree in found] == [[]] * len(found)
        assert nlp.kbest(bare, K, constraints=known).trees[0].heads[2] == sentence.heads[2]


# -- what it learned from --------------------------------------------------------------------


def test_a_model_knows_what_it_learned_from(
    name: str, nlp: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    assert nlp.learned is not None and nlp.learned.complete
    assert nlp.learned.knows(toy).all() and not nlp.learned.knows([NEW]).any()
    assert evaluate(toy, nlp).learned == len(toy)
    kind = f"{__name__}:{remember.__name__}"
    data = write(tmp_path / "new.conllu", [NEW])
    record = {"objective": [{"kind": kind, "data": str(data)}], "training": {"epochs": 1}}
    train(make_config(record), tmp_path / "on.niwaki", Log(), init=nlp, threads=1)
    learned = load(tmp_path / "on.niwaki").learned
    assert learned is not None and len(learned) == len(nlp.learned) + 1
    assert learned.complete and learned.knows([*toy, NEW]).all()


# -- threads, and costs ----------------------------------------------------------------------


def test_threads_change_nothing(
    nlp: Pipeline, parser: Parser, batch: Batch, tags: Tags, sentences: list[Sentence]
) -> None:
    one = [each.source for each in nlp.parse(sentences * 20, probabilities=True)]
    assert one == [each.source for each in nlp.parse(sentences * 20, probabilities=True, threads=4)]
    source = parser.candidates(batch, tags, Search())

    def ask(s: int) -> tuple[Any, ...]:
        found = source.kbest(s, K)
        return found.trees, found.scores.tolist(), source.beliefs(s).arcs.tolist()

    numbers = list(range(len(sentences))) * 4
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, numbers)) == [ask(s) for s in numbers]


def test_a_cost_function_sees_the_probabilities_of_kbest(
    nlp: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    """While a calibrated model is trained on: the same softmax, of the same temperature."""
    GIVEN.clear()
    kind = f"{__name__}:{remember.__name__}"
    cost = {"kind": kind, "data": str(TOY), "k": K}
    record = {"objective": [cost], "training": {"epochs": 1}}
    train(make_config(record), tmp_path / "on.niwaki", Log(), init=nlp, threads=1)
    assert len(GIVEN) == len({sentence.forms for sentence in toy})
    # A network learns in one engine and is used in another, which add up in other orders.
    near = 1e-4 if nlp.config["model"]["kind"] == "neural" else 1e-6
    for sentence in toy:
        seen, found = GIVEN[sentence.forms], nlp.kbest(sentence, K)
        assert seen.trees == found.trees
        assert seen.probabilities == pytest.approx(found.probabilities, abs=near)


def test_a_lead_is_raised_by_what_was_asked_for_and_no_more(
    name: str, nlp: Pipeline, sentences: list[Sentence]
) -> None:
    """In the scores of the weights that learn; a family may stay below, but must get on."""
    family, rises = load_family(name), []
    corpus = read_treebank([str(TOY)])
    setup = Setup(
        config=continued(
            make_config({"objective": [{"data": str(TOY)}]}), upgraded(nlp.config)
        ).family,
        corpus=corpus,
        features="rich",
        more_features=(),
        lowercase=False,
        max_rows=1000,
        has_tags=True,
        clusters=None,
        epochs=1,
        seed=1,
        init=nlp.parser,
        selections=frozenset({"hope-fear"}),
    )
    job = family.plan(setup).chains(nlp.tag(corpus.batch))[0][-1]
    batch = Batch([sentence.source for sentence in sentences])
    examples = job.make({}).examples(batch, nlp.tag(batch))

    for s in range(len(sentences)):
        before = examples.kbest(s, K)
        if len(before) > 1:
            examples.raise_lead(before, 1, 0, 0.5)
        after = examples.kbest(s, K)
        places = {(*tree.heads, *tree.deprels): rank for rank, tree in enumerate(after)}
        ranks = [places.get((*tree.heads, *tree.deprels)) for tree in before][:2]
        if len(ranks) == 2 and None not in ranks:
            worse, better = after.scores[ranks].tolist()
            rises.append(better - worse - float(before.scores[1] - before.scores[0]))
    assert len(rises) > 5
    assert np.mean(rises) > 0.1
    assert max(rises) <= 0.5 + 1e-3
