"""Sentences in the forms of other libraries, and what is said where these are missing."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import niwaki
from niwaki import Sentence
from niwaki.integrations.words import COLUMNS

SENTENCES = [
    Sentence.from_words(
        ["Trees", "grow", "."],
        comments=["sent_id = one"],
        lemmas=["tree", "grow", "."],
        upos=["NOUN", "VERB", "PUNCT"],
        xpos=["NNS", "_", "."],
        feats=["Number=Plur", "_", "_"],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "punct"],
        misc=["ArcProb=0.5", "SpaceAfter=No", "_"],
    ),
    Sentence.from_words(["Yes"], upos=["INTJ"], heads=[0], deprels=["root"]),
]
ROW = (*(0, "one", 1, "Trees", "tree", "NOUN", "NNS", "Number=Plur", 2, "nsubj"), "ArcProb=0.5")


@pytest.mark.parametrize(
    ("verb", "library", "advice"),
    [
        ("to_pandas", "pandas", "pandas is not installed; run: pip install pandas"),
        ("to_arrow", "pyarrow", "pyarrow is not installed; run: pip install pyarrow"),
        ("to_networkx", "networkx", "networkx is not installed; run: pip install networkx"),
        ("to_spacy", "spacy", "spaCy is not installed; run: pip install niwaki[spacy]"),
    ],
)
def test_a_missing_library_is_named_in_one_line(verb: str, library: str, advice: str) -> None:
    code = (
        f"import sys; sys.modules[{library!r}] = None; import niwaki\n"
        f"niwaki.{verb}(niwaki.Sentence.from_words(['a']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"niwaki.errors.ExtraMissingError: {advice}"


# -- with stand-ins, so that what is handed over is tested everywhere --------------------------


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **names: Any) -> None:
    module = ModuleType(name)
    vars(module).update(names)
    monkeypatch.setitem(sys.modules, name, module)


def test_rows_for_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = SimpleNamespace(from_records=lambda rows, columns: (rows, columns))
    stand_in(monkeypatch, "pandas", DataFrame=frame)
    rows, columns = niwaki.to_pandas(iter(SENTENCES))
    assert columns == list(COLUMNS)
    assert all(len(row) == len(columns) for row in rows)
    assert rows[0] == (*ROW, 0, 5, 0.5)
    assert rows[1][-3:] == (6, 10, None)
    assert [row[:3] for row in rows] == [(0, "one", 1), (0, "one", 2), (0, "one", 3), (1, "", 1)]
    assert niwaki.to_pandas(SENTENCES[0])[0] == rows[:3]


def test_columns_for_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        *(monkeypatch, "pyarrow"),
        **{name: lambda name=name: name for name in ("int64", "float64", "string")},
        schema=dict,
        table=lambda columns, schema: (columns, schema),
    )
    columns, schema = niwaki.to_arrow(iter(SENTENCES))
    assert list(columns) == list(schema) == list(COLUMNS)
    assert tuple(values[0] for values in columns.values()) == (*ROW, 0, 5, 0.5)
    assert columns["prob"] == [0.5, None, None, None] and columns["sentence"] == [0, 0, 0, 1]
    assert schema["form"] == "string" and schema["head"] == "int64" and schema["prob"] == "float64"
    assert niwaki.to_arrow([])[1] == schema, "types are known without a row"


@pytest.mark.parametrize("given", ["Trees grow.", ["Trees grow.", "Yes."]])
def test_a_text_is_to_be_parsed_first(monkeypatch: pytest.MonkeyPatch, given: Any) -> None:
    for name in ("pyarrow", "networkx", "spacy"):
        stand_in(monkeypatch, name)
    stand_in(monkeypatch, "pandas", DataFrame=SimpleNamespace(from_records=None))
    stand_in(monkeypatch, "spacy.tokens", Doc=None)
    stand_in(monkeypatch, "spacy.vocab", Vocab=str)
    for verb in (niwaki.to_pandas, niwaki.to_arrow, niwaki.to_spacy):
        with pytest.raises(niwaki.NiwakiError, match=r"the text 'Trees grow.'; give Sentences"):
            verb(given)
    with pytest.raises(niwaki.NiwakiError, match="give one Sentence"):
        niwaki.to_networkx(given)


class Graph:
    """Keeps what it is told."""

    def __init__(self, **about: Any) -> None:
        self.graph = about
        self.nodes: dict[int, Any] = {}
        self.edges: dict[tuple[int, int], Any] = {}

    def add_node(self, name: int, **about: Any) -> None:
        self.nodes[name] = about

    def add_edge(self, one: int, other: int, **about: Any) -> None:
        self.edges[one, other] = about


def check_graph(graph: Any) -> None:
    assert graph.graph["id"] == "one"
    assert set(graph.nodes) == {0, 1, 2, 3}
    assert graph.nodes[1]["form"] == "Trees" and graph.nodes[1]["feats"] == {"Number": "Plur"}
    assert set(graph.edges) == {(2, 1), (0, 2), (2, 3)}
    assert dict(graph.edges[2, 1]) == {"deprel": "nsubj", "prob": 0.5}
    assert dict(graph.edges[0, 2]) == {"deprel": "root"}


def test_a_graph_for_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "networkx", DiGraph=Graph)
    check_graph(niwaki.to_networkx(SENTENCES[0]))
    unknown = niwaki.to_networkx(Sentence.from_words(["a", "b"], heads=[-1, 0]))
    assert set(unknown.edges) == {(0, 2)}


def test_columns_for_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "spacy")
    stand_in(monkeypatch, "spacy.tokens", Doc=lambda vocab, **columns: (vocab, columns))
    stand_in(monkeypatch, "spacy.vocab", Vocab=lambda: "a new one")
    vocab, columns = niwaki.to_spacy(SENTENCES)
    assert vocab == "a new one"
    assert columns["words"] == ["Trees", "grow", ".", "Yes"]
    assert columns["spaces"] == [True, False, True, True]
    assert columns["heads"] == [1, 1, 1, 3]
    assert columns["deps"] == ["nsubj", "ROOT", "punct", "ROOT"]
    assert columns["pos"] == ["NOUN", "VERB", "PUNCT", "INTJ"]
    assert columns["tags"] == ["NNS", "", ".", ""]
    assert columns["morphs"][0] == "Number=Plur" and columns["lemmas"][3] == ""
    assert "sent_starts" not in columns
    vocab, columns = niwaki.to_spacy([Sentence.from_words(["a", "b"])] * 2, vocab="mine")
    assert vocab == "mine"
    assert columns["sent_starts"] == [True, False, True, False]
    assert "heads" not in columns


# -- with the libraries themselves ----------------------------------------------------------


def test_a_pandas_table() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is missing: pip install pandas")
    table = niwaki.to_pandas(SENTENCES)
    assert list(table.columns) == list(COLUMNS) and len(table) == 4
    assert table.iloc[0].tolist() == [*ROW, 0, 5, 0.5]
    assert pandas.isna(table.iloc[1]["prob"])


def test_an_arrow_table() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is missing: pip install pyarrow")
    table = niwaki.to_arrow(SENTENCES)
    assert table.column_names == list(COLUMNS) and table.num_rows == 4
    assert table.to_pylist()[0] == dict(zip(COLUMNS, (*ROW, 0, 5, 0.5), strict=True))
    assert table.schema.field("prob").type == pyarrow.float64()
    assert niwaki.to_arrow([]).schema == table.schema


def test_a_networkx_graph() -> None:
    networkx = pytest.importorskip("networkx", reason="networkx is missing: pip install networkx")
    graph = niwaki.to_networkx(SENTENCES[0])
    check_graph(graph)
    assert networkx.shortest_path(graph, 0, 3) == [0, 2, 3]


def test_a_spacy_document() -> None:
    pytest.importorskip("spacy", reason="spaCy is missing: pip install niwaki[spacy]")
    doc = niwaki.to_spacy(SENTENCES)
    assert doc.text.strip() == "Trees grow. Yes"
    assert [token.head.i for token in doc] == [1, 1, 1, 3]
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "punct", "ROOT"]
    assert len(list(doc.sents)) == 2
