"""Takes the pictures of the workbench in docs/images, in a headless Chromium.

.venv/bin/python tools/make_screenshots.py [parse reorder ...]

The sentences are those of examples/ and tests/fixtures/toy.conllu, which are our own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

import niwaki

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
TOY = ROOT / "tests" / "fixtures" / "toy.conllu"
LETTERS = (
    "Time flies like an arrow. The horse raced past the barn fell. Show me the path to the pond. "
    "Visiting relatives can be boring. Did the gardener who planted the pine leave? "
    "Fruit flies like a banana. The old man the boats. We saw her duck under the bridge. "
    "Water the moss in spring. The stones the monks carried here are still wet."
)
LONG = (
    "We saw the man with the telescope. Although the gardener had meant to prune the old pine "
    "before the end of the year, the monks who had planted it insisted that he should first look "
    "at the roots which the storm had laid bare, and he agreed to wait until spring."
)

JOINED = (
    "The monks planted a young pine by the pond and watered it every morning. "
    "However, the storm that came in spring broke the old bridge."
)

SHORTER = "Mori said the old gardener slowly raked the gravel. Unfortunately, the pond is dry."


SMALL = """
[[objective]]
data = "garden-train.conllu"
[tagger]
folds = 2
epochs = 3
[training]
epochs = 4
greedy_epochs = 4
"""


def thirds() -> dict[str, list[niwaki.Sentence]]:
    """The small treebank in three parts, none of which knows the others."""
    whole = list(niwaki.read_conllu(TOY))
    names = ("garden-train", "garden-more", "garden-dev")
    return {name: whole[start::3] for start, name in enumerate(names)}


class Bench:
    """A running workbench and a page in it."""

    def __init__(self, url: str, page: Page) -> None:
        self.url, self.page = url, page

    def post(self, path: str, value: dict[str, Any]) -> Any:
        data = json.dumps(value).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers)
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path) as reply:
            return json.load(reply)

    def open(self, path: str) -> None:
        self.page.goto(self.url + path)
        self.page.wait_for_selector("body[data-ready]")

    def letters(self) -> str:
        """The project of the pictures, made once."""
        known = self.get("/api/projects")
        if known:
            return str(known[0]["id"])
        made = self.post("/api/projects-create", {"name": "Garden letters", "text": LETTERS})["id"]
        while not self.get(f"/api/projects/{made}")["ranked"]:
            time.sleep(0.1)
        return str(made)


def parse(bench: Bench) -> None:
    bench.open("/parse")
    bench.page.fill("#text", LONG)
    bench.page.wait_for_selector(".sentence g.arc")
    bench.page.click(".sentence .kbest")
    bench.page.wait_for_selector(".candidate g.arc")
    bench.page.click('.sentence [data-word="7"]')
    bench.page.wait_for_selector(".heads .chip")
    # Two readings tell the story; six would only make the picture long.
    bench.page.evaluate(
        "() => document.querySelectorAll('.candidate').forEach((e, i) => i > 1 && e.remove())"
    )


def find(bench: Bench) -> None:
    bench.open("/find")
    bench.page.wait_for_selector(".found")
    bench.page.fill("#count", "who.lemma,did.lemma")
    bench.page.wait_for_selector("#counts")
    bench.page.locator(".found summary").nth(1).click()
    bench.page.wait_for_selector(".found g.arc")


def reorder(bench: Bench) -> None:
    bench.open("/reorder")
    bench.page.fill("#text", "The old pine that the monks planted leans over the pond.")
    bench.page.wait_for_selector("article.card")
    bench.page.select_option("#against", "garden")
    bench.page.wait_for_selector("#page-scores")


def relate(bench: Bench) -> None:
    bench.open("/relate")
    bench.page.fill("#text", JOINED)
    bench.page.wait_for_selector(".sentence g.arc")
    bench.page.locator('.relation:has-text("watered")').click()
    bench.page.wait_for_selector("g.arc.path")


def meaning(bench: Bench) -> None:
    bench.open("/parse")
    bench.page.fill("#text", JOINED)
    bench.page.click("#meaning")
    bench.page.wait_for_selector(".meaning li")


def shorten(bench: Bench) -> None:
    bench.open("/shorten")
    bench.page.fill("#text", SHORTER)
    bench.page.wait_for_selector("del")


def translate(bench: Bench) -> None:
    bench.open("/translate")
    bench.page.select_option("#words", "spaces")
    bench.page.fill("#text", "the quiet gardener moved the maple")
    bench.page.wait_for_selector(".phrases .token")


def annotate(bench: Bench) -> None:
    bench.open(f"/annotate?project={bench.letters()}")
    bench.page.wait_for_selector(".choice")
    for _ in range(3):
        before = bench.page.inner_text("#count")
        best = bench.page.locator(".choice.likely").first
        best.click()
        bench.page.wait_for_function(
            "text => document.querySelector('#count').innerText !== text", arg=before
        )


def heads(bench: Bench) -> None:
    bench.open(f"/annotate?project={bench.letters()}&mode=heads")
    bench.page.wait_for_selector("#stage g.arc")
    bench.page.keyboard.press("ArrowRight")
    bench.page.keyboard.press("ArrowRight")


def agreement(bench: Bench) -> None:
    """Two people about the same tree: does the man or the seeing have the telescope?"""
    words = "We saw the man with the telescope .".split()
    request = {"name": "Telescopes", "tokens": [words], "model": "en"}
    made = bench.post("/api/projects-create", request)["id"]
    labels = "nsubj root det obj case det nmod punct".split()
    for who, head, label in (("Mori", 4, "nmod"), ("Sato", 2, "obl")):
        heads = [2, 0, 4, 2, 7, 7, head, 2]
        named = [label if each == "nmod" else each for each in labels]
        rows = [
            {"word": word, "head": each, "label": name}
            for word, (each, name) in enumerate(zip(heads, named, strict=True), start=1)
        ]
        answer = {"who": who, "version": 0, "heads": rows}
        bench.post(f"/api/projects/{made}/sentences/0/answer", answer)
    bench.open(f"/annotate?project={made}&mode=agreement")
    bench.page.wait_for_selector("#decided g.arc")


def annotated(bench: Bench) -> str:
    """Heads in sentences that a small model did not know; made once."""
    known = [each["id"] for each in bench.get("/api/projects") if each["name"] == "Garden heads"]
    if known:
        return str(known[0])
    # Each with several beginnings, or they would be too few.
    begun = [(begin, s) for s in thirds()["garden-more"] for begin in ("Now", "Then", "Here", "So")]
    tokens = [[begin, *sentence.forms] for begin, sentence in begun]
    request = {"name": "Garden heads", "tokens": tokens, "model": "small"}
    made = str(bench.post("/api/projects-create", request)["id"])
    for n, (_, sentence) in enumerate(begun):
        arcs = enumerate(zip(sentence.heads, sentence.deprels, strict=True), start=2)
        said = [{"word": word, "head": head + (head > 0), "label": x} for word, (head, x) in arcs]
        bench.post(f"/api/projects/{made}/sentences/{n}/answer", {"version": 0, "heads": said})
    return made


def adapt(bench: Bench) -> None:
    project = annotated(bench)
    bench.open("/adapt")
    for box in bench.page.locator("input[data-project]").all():
        box.set_checked(box.get_attribute("data-project") == project)
    bench.page.select_option("#treebank", "garden-train")
    bench.page.select_option("#dev", "garden-dev")
    bench.page.keyboard.press("Escape")
    bench.page.click("#start")
    bench.page.wait_for_selector("#before-after", timeout=240_000)


def trade_off(bench: Bench) -> None:
    """After `adapt`, which makes the model."""
    project = annotated(bench)
    bench.open("/analyze")
    bench.page.click("#mode-trade-off")
    bench.page.select_option("#before", "small")
    bench.page.select_option("#after", f"{project}-v1")
    bench.page.select_option("#task", f"{project}.known")
    bench.page.select_option("#gold", "garden-dev")
    bench.page.check("#unseen")
    bench.page.click("#run")
    bench.page.wait_for_selector("#trade-off", timeout=60_000)


def compare(bench: Bench) -> None:
    bench.open("/compare")
    bench.page.select_option("#corpus", "garden-trees")
    bench.page.select_option('[data-side="a"] [data-field="beam"]', "1")
    bench.page.select_option('[data-side="b"] [data-field="model"]', "en")
    bench.page.click("#run")
    bench.page.wait_for_selector("#table", timeout=60_000)
    bench.page.locator("tr[data-n]").first.click()
    bench.page.wait_for_selector(".detail g.arc")


def analyze(bench: Bench) -> None:
    bench.open("/analyze")
    bench.page.select_option("#corpus", "garden-trees")
    bench.page.click("#add-system")
    for at, (model, beam) in enumerate((("small", "1"), ("en", "8"))):
        bench.page.select_option(f'[data-system="{at}"] [data-field="model"]', model)
        bench.page.select_option(f'[data-system="{at}"] [data-field="beam"]', beam)
    bench.page.click("#run")
    bench.page.wait_for_selector("#factor", timeout=60_000)
    bench.page.locator("#profile .point").nth(9).hover()


def api(bench: Bench) -> None:
    bench.open("/api")


PICTURES: dict[str, tuple[Callable[[Bench], None], int]] = {
    "parse": (parse, 1500),
    "find": (find, 830),
    "reorder": (reorder, 900),
    "translate": (translate, 1180),
    "relate": (relate, 830),
    "meaning": (meaning, 900),
    "shorten": (shorten, 830),
    "annotate": (annotate, 560),
    "heads": (heads, 620),
    "agreement": (agreement, 1120),
    "adapt": (adapt, 1220),
    "trade-off": (trade_off, 1000),
    "compare": (compare, 1120),
    "analyze": (analyze, 1240),
    "api": (api, 900),
}


def main() -> None:
    wanted = sys.argv[1:] or list(PICTURES)
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        references = Path(folder) / "garden.jsonl"
        order = [str(ROOT / "examples" / f"order.{end}") for end in ("en", "ja", "links")]
        niwaki_command = [sys.executable, "-m", "niwaki"]
        subprocess.run([*niwaki_command, "references", *order, "-o", str(references)], check=True)
        serve = [*niwaki_command, "serve", "--port", "0", "--quiet", "--work", f"{folder}/work"]
        serve += ["--trees", f"garden-trees={TOY}", "--references", f"garden={references}"]
        for name, sentences in thirds().items():
            niwaki.write_conllu(sentences, f"{folder}/{name}.conllu")
            serve += ["--trees", f"{folder}/{name}.conllu"]
        small, model = Path(folder) / "small.toml", f"{folder}/small.niwaki"
        small.write_text(SMALL, encoding="utf-8")
        subprocess.run([*niwaki_command, "train", str(small), "-o", model], check=True)
        serve += ["-m", model]
        stories, joins = str(ROOT / "examples" / "connectives.conllu"), f"{folder}/stories.niwaki"
        subprocess.run([*niwaki_command, "train-connectives", stories, "-o", joins], check=True)
        serve += ["--connectives", joins]
        pairs, short = str(ROOT / "examples" / "shorter.jsonl"), f"{folder}/short.niwaki"
        learn = [*niwaki_command, "train-compressor", pairs, "-o", short, "--parser", "en"]
        subprocess.run(learn, check=True)
        serve += ["--compressor", short]
        text = [str(ROOT / "examples" / f"garden.{end}") for end in ("en", "ja")]
        for name, more in (("ordered", ["--preorder", "ja"]), ("plain", [])):
            made = ["--links", str(ROOT / "examples" / "garden.align"), "-o", f"{folder}/{name}"]
            subprocess.run([*niwaki_command, "translate", "train", *text, *made, *more], check=True)
            serve += ["--translator", f"{folder}/{name}"]
        process = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            take(process.stdout.readline().strip().rstrip("/"), wanted)
        finally:
            process.terminate()
            process.wait()


def take(url: str, wanted: list[str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name in wanted:
            work, height = PICTURES[name]
            for theme in ("light", "dark") if name == "parse" else ("light",):
                page = browser.new_page(
                    viewport={"width": 1280, "height": height}, color_scheme=theme
                )
                work(Bench(url, page))
                page.evaluate("() => { document.activeElement?.blur(); scrollTo(0, 0); }")
                page.wait_for_timeout(700)
                end = "-dark" if theme == "dark" else ""
                page.screenshot(path=IMAGES / f"{name}{end}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
