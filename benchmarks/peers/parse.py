"""Tags and parses a CoNLL-U file's words with another tool; prints words and seconds as JSON.

Usage: parse.py spacy|udpipe MODEL BEAM FILE [OUT]. Run by the benchmarks in the peers'
own environment. Nothing is read or written while the clock runs; with OUT, the result
is written afterwards. BEAM is UDPipe's.
"""

import json
import sys
import time


def read(path: str) -> list[list[str]]:
    sentences: list[list[str]] = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            columns = line.rstrip("\n").split("\t")
            if columns[0].isdigit():
                sentences[-1].append(columns[1])
            elif not line.strip() and sentences[-1]:
                sentences.append([])
    return [sentence for sentence in sentences if sentence]


class Spacy:
    def __init__(self, model: str, beam: int, sentences: list[list[str]]) -> None:
        import spacy

        self.nlp = spacy.load(model)
        self.sentences = sentences

    def prepare(self) -> None:
        self.docs = [self._doc(words) for words in self.sentences]

    def _doc(self, words: list[str]):
        from spacy.tokens import Doc

        return Doc(self.nlp.vocab, words=words, sent_starts=[True] + [False] * (len(words) - 1))

    def tag(self) -> None:
        with self.nlp.select_pipes(disable=["parser"]):
            self.docs = list(self.nlp.pipe(self.docs, batch_size=256))

    def parse(self) -> None:
        with self.nlp.select_pipes(disable=["tagger", "morphologizer"]):
            self.docs = list(self.nlp.pipe(self.docs, batch_size=256))

    def both(self) -> None:
        self.docs = list(self.nlp.pipe(self.docs, batch_size=256))

    def rows(self):
        for doc in self.docs:
            yield [
                (t.text, t.pos_, t.tag_, 0 if t.head.i == t.i else t.head.i + 1, t.dep_)
                for t in doc
            ]


class Udpipe:
    def __init__(self, model: str, beam: int, sentences: list[list[str]]) -> None:
        from ufal.udpipe import Model, ProcessingError

        self.model, self.error = Model.load(model), ProcessingError()
        self.options = f"beam_search={beam}"
        self.words = sentences

    def prepare(self) -> None:
        from ufal.udpipe import Sentence

        self.sentences = []
        for words in self.words:
            sentence = Sentence()
            for word in words:
                sentence.addWord(word)
            self.sentences.append(sentence)

    def tag(self) -> None:
        for sentence in self.sentences:
            self.model.tag(sentence, "", self.error)

    def parse(self) -> None:
        for sentence in self.sentences:
            self.model.parse(sentence, self.options, self.error)

    def both(self) -> None:
        self.tag()
        self.parse()

    def rows(self):
        for sentence in self.sentences:
            words = list(sentence.words)[1:]
            yield [(w.form, w.upostag, w.xpostag, w.head, w.deprel) for w in words]


def write(rows, path: str) -> None:
    with open(path, "w", encoding="utf-8") as out:
        for sentence in rows:
            for number, (form, upos, xpos, head, label) in enumerate(sentence, start=1):
                # spaCy writes the root's label in capitals.
                label = "root" if head == 0 else label
                columns = [number, form, "_", upos or "_", xpos or "_", "_", head, label, "_", "_"]
                out.write("\t".join(map(str, columns)) + "\n")
            out.write("\n")


def main() -> None:
    tool, model, beam, path = sys.argv[1:5]
    sentences = read(path)
    run = {"spacy": Spacy, "udpipe": Udpipe}[tool](model, int(beam), sentences)
    seconds = {}
    # The first time is for warming up.
    for work in ("tag", "tag", "both", "parse"):
        run.prepare()
        if work == "parse":
            run.tag()
        start, processor = time.perf_counter(), time.process_time()
        getattr(run, work)()
        seconds[work] = time.perf_counter() - start
        seconds[f"{work}, processor"] = time.process_time() - processor
    if len(sys.argv) > 5:
        write(run.rows(), sys.argv[5])
    print(json.dumps({"words": sum(map(len, sentences)), **seconds}))


main()
