"""Find words in trees, by a query.

The input is CoNLL-U with trees; with -m, anything that `niwaki parse` reads; or with --index, an
index of `niwaki index`. A query is words and arrows (docs/formats/queries.md): tags or conditions,
`>` to a child, `>>` to anything below, `++` to a later word, `!` for what must not be there, `?`
for what may be, and `=` for what is to be told. Instead of a query, --set takes a set of them:
`facts`, or a file.

  niwaki find 'VERB >nsubj NOUN=x >obj *=y' trees.conllu
  niwaki find '[lemma=plant] >obj *=y' letter.txt -m en --count y.lemma
  niwaki find 'VERB=v !>nsubj *' trees.conllu --to conllu | niwaki draw -
  niwaki find --set facts letter.txt -m en --to table
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from niwaki.cli import OK
from niwaki.cli._arguments import add_source, add_threads, positive
from niwaki.cli._json import to_json
from niwaki.cli._loading import optional
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._shards import add_shards, check_json, run_shards, status_of
from niwaki.cli._tags import add_tags_argument
from niwaki.data.conllu import write_conllu
from niwaki.data.files import open_output
from niwaki.draw import printable
from niwaki.errors import NiwakiError
from niwaki.pipeline.store import load
from niwaki.tasks.find.query import Query
from niwaki.tasks.find.results import Match, by_sentence, marked, read_fields
from niwaki.tasks.find.sets import QuerySet, load_queries
from niwaki.verbs.finding import find

GROUP = "Parse and look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="?", help="not with --set")
    parser.add_argument("files", metavar="FILE", nargs="*", help="default: stdin")
    parser.add_argument("--set", metavar="SET", help="name or file of a set of queries")
    parser.add_argument("--index", metavar="INDEX", help="look through an index, not through files")
    parser.add_argument("-m", "--model", metavar="MODEL", help="parse with this model first")
    add_source(parser)
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--to",
        choices=["text", "table", "conllu", "json"],
        help="conllu: what was found stands in MISC (default: text; with --count, table)",
    )
    parser.add_argument(
        "--fields",
        metavar="FIELDS",
        help="columns of a table, such as x.lemma,y.text,y.Number (default: the forms)",
    )
    parser.add_argument(
        "--count", metavar="FIELDS", help="count what is found, the most frequent first"
    )
    parser.add_argument("--first", type=positive, metavar="N", help="only the first N")
    add_tags_argument(parser, "with -m: ")
    add_threads(parser, prefix="with -m: ")
    add_on_error(parser, "sentences that cannot be read")
    add_shards(parser, files=False, to="text", model=optional(load))


def run(arguments: argparse.Namespace) -> int:
    check_json(arguments)
    query, files = _asked(arguments)
    skipped = Skipped(arguments)
    form = arguments.to or ("table" if arguments.count else "text")
    _check(arguments, form)
    if arguments.shards is not None:
        if arguments.index or arguments.count or arguments.first:
            raise NiwakiError(
                "--index, --count and --first look at all sentences at once; leave out --shards"
            )
        return status_of(run_shards(arguments, files))
    names = read_fields(arguments.count or arguments.fields or ",".join(query.names), query.names)
    found = find(
        query,
        None if arguments.index else files,
        arguments.model,
        index=arguments.index,
        form=arguments.source,
        tags=arguments.tags,
        threads=arguments.threads,
        on_error=skipped.on_error,
    )
    if arguments.count:
        lines = _counted(found, names, form, arguments.first)
    else:
        found = islice(found, arguments.first)
        if form == "conllu":
            groups = by_sentence(found)
            write_conllu((marked(each[0].sentence, each) for each in groups), arguments.output)
            skipped.tell()
            return OK
        lines = _lines(found, names, form, isinstance(query, QuerySet))
    with open_output(arguments.output) as out:
        for line in lines:
            out.write(f"{line}\n".encode())
    skipped.tell()
    return OK


def run_shard(arguments: argparse.Namespace) -> None:
    """In a worker of --shards: what is found in a shard, which is the only file."""
    if arguments.set is not None:
        arguments.query = None
    run(arguments)


def _asked(arguments: argparse.Namespace) -> tuple[Query | QuerySet, list[str]]:
    """What is looked for, and the files to look through."""
    files = list(arguments.files)
    if arguments.set is not None:
        if arguments.query is not None:
            files.insert(0, arguments.query)
    elif arguments.query is None:
        raise NiwakiError("nothing to look for; give a query, or --set facts")
    if arguments.index and files:
        raise NiwakiError(f"--index has its own sentences; leave out {files[0]}")
    if arguments.set is not None:
        return load_queries(arguments.set), files or ["-"]
    return Query(arguments.query), files or ["-"]


def _check(arguments: argparse.Namespace, form: str) -> None:
    if arguments.fields and form != "table":
        raise NiwakiError("--fields are columns of a table; give --to table")
    if arguments.fields and arguments.count:
        raise NiwakiError("--count has its own fields; leave out --fields")
    if arguments.count and form not in ("table", "json"):
        raise NiwakiError(f"--count gives a table, not {form}; give --to table or --to json")


def _lines(
    found: Iterator[Match], fields: Sequence[tuple[str, str]], form: str, of_set: bool
) -> Iterator[str]:
    if form == "table":
        yield _row(["id", *["query"] * of_set, *map(_title, fields)])
    for match in found:
        if form == "json":
            yield to_json(match.to_dict())
        elif form == "table":
            values = [match.field(*each) for each in fields]
            yield _row([match.place, *[match.query] * of_set, *values])
        else:
            query = f" ({match.query})" if of_set else ""
            yield printable(f"{match.place}{query}: {match.to_text()}")


def _counted(
    found: Iterator[Match], fields: Sequence[tuple[str, str]], form: str, first: int | None
) -> Iterator[str]:
    counts = Counter(tuple(match.field(*each) for each in fields) for match in found)
    titles = list(map(_title, fields))
    if form == "table":
        yield _row(["count", *titles])
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    for values, count in ranked[:first]:
        if form == "json":
            yield to_json({"count": count, **dict(zip(titles, values, strict=True))})
        else:
            yield _row([str(count), *values])


def _title(field: tuple[str, str]) -> str:
    name, kind = field
    return name if kind == "form" else f"{name}.{kind}"


def _row(values: Sequence[str]) -> str:
    """A row with tabs between its fields; those of comments may have tabs themselves."""
    return "\t".join(printable(value.replace("\t", " ")) for value in values)
