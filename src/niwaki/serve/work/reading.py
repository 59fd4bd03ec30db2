"""Sentences from what a request gives: text, words or CoNLL-U, within the limits."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from niwaki.data.constraints import Constraints, FixedHead, ForbiddenHead, Labels, Statement
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.pipeline.pipeline import Pipeline
from niwaki.serve.errors import RequestError

Given = dict[str, Any]


def read_given(given: Given, model: Pipeline | None, limits: dict[str, int]) -> list[Sentence]:
    """The sentences of a request; too many words, or none, are refused."""
    return list(_within(_sentences(given, model), limits))


def _sentences(given: Given, model: Pipeline | None) -> Iterable[Sentence]:
    kinds = [kind for kind in ("text", "lines", "tokens", "conllu") if kind in given]
    if len(kinds) != 1:
        raise RequestError(
            422, "give exactly one of text, lines, tokens and conllu; "
            f"found {', '.join(kinds) or 'none'}"
        )  # fmt: skip
    (kind,) = kinds
    if kind == "tokens":
        return _from_words(given["tokens"])
    if kind != "conllu" and (model is None or model.segmenter is None):
        raise RequestError(422, "this model has no segmenter; give tokens")
    if not given[kind].strip():
        return []
    source = io.BytesIO(given[kind].encode("utf-8"))
    return read_sentences(source, kind, model.segmenter if model else None)


def _from_words(rows: list[list[str]]) -> Iterator[Sentence]:
    for number, words in enumerate(rows, start=1):
        if not words:
            raise RequestError(422, f"tokens[{number - 1}]: found no words; leave it out")
        try:
            yield Sentence.from_words(words)
        except ValueError as error:
            raise RequestError(422, f"tokens[{number - 1}]: {error}") from error


def _within(sentences: Iterable[Sentence], limits: dict[str, int]) -> Iterator[Sentence]:
    total = 0
    for number, sentence in enumerate(sentences, start=1):
        words = len(sentence)
        total += words
        if words > limits["sentence_words"]:
            raise RequestError(
                413,
                f"sentence {number} has {words} words; "
                f"the limit is {limits['sentence_words']} a sentence",
            )
        if total > limits["request_words"]:
            raise RequestError(
                413,
                f"more than {limits['request_words']} words in one request; send it in parts",
            )
        yield sentence


def statements(rows: list[Given], words: int) -> Constraints:
    """Constraints on one sentence, as the API writes them."""
    found: list[Statement] = []
    for row in rows:
        word = row["word"]
        if "head" in row:
            found.append(FixedHead(word, row["head"]))
        found += [ForbiddenHead(word, head) for head in row.get("forbid", [])]
        if row.get("labels"):
            found.append(Labels(word, tuple(row["labels"])))
    return Constraints(words, tuple(found))


def all_statements(rows: list[list[Given]] | None, sentences: list[Sentence]) -> list[Constraints]:
    """Constraints of every sentence; none if the request has none."""
    if rows is None:
        return [Constraints(len(sentence)) for sentence in sentences]
    if len(rows) != len(sentences):
        raise RequestError(
            422, f"constraints: found {len(rows)} entries for {len(sentences)} sentences"
        )
    return [statements(each, len(sentence)) for each, sentence in zip(rows, sentences, strict=True)]
