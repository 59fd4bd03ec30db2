"""A dependency tree as a networkx graph."""

from __future__ import annotations

from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import ExtraMissingError, NiwakiError


def to_networkx(sentence: Sentence) -> Any:
    """A `networkx.DiGraph` with an edge from each head to its dependent; needs networkx.

    Nodes are the numbers of words, from 1, with `form`, `lemma`, `upos`, `xpos` and `feats`;
    edges have `deprel`, and `prob` where it is known. A root's edge comes from the node 0, which
    has no form; words whose head is unknown have no edge.

        >>> graph = to_networkx(sentence)
        >>> networkx.shortest_path(graph, 0, 5)
    """
    try:
        import networkx
    except ImportError as error:
        raise ExtraMissingError("networkx is not installed; run: pip install networkx") from error
    if not isinstance(sentence, Sentence):
        raise NiwakiError(f"found a {type(sentence).__name__}; give one Sentence")
    graph = networkx.DiGraph(id=sentence.id, text=sentence.text)
    graph.add_node(0)
    for token in sentence:
        graph.add_node(
            token.index,
            form=token.form,
            lemma=token.lemma,
            upos=token.upos,
            xpos=token.xpos,
            feats=dict(token.feats),
        )
    for token, head in zip(sentence, sentence.heads, strict=True):
        if head >= 0:
            known = {} if token.prob is None else {"prob": token.prob}
            graph.add_edge(head, token.index, deprel=token.deprel, **known)
    return graph
