"""What the tests of the pages share: how to read them, and text that must stay text."""

from __future__ import annotations

import os
import shutil
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = os.environ.get("NIWAKI_BROWSER") or next(filter(None, map(shutil.which, _NAMES)), None)

SENTENCE = "The gardener shapes old pines."
# Fields are foreign text: none of it may become markup.
NASTY = '<img src=x onerror=alert(1)> & "pines" \'</script>'


def arcs(place: Any) -> dict[int, tuple[int, str]]:
    """The tree on the screen: head and label of each word."""
    rows = place.locator("g.arc").evaluate_all(
        "all => all.map(g => [g.dataset.arc, g.dataset.head, g.dataset.label])"
    )
    return {int(word): (int(head), label) for word, head, label in rows}


def tree(record: Any) -> dict[int, tuple[int, str]]:
    pairs = zip(record["heads"], record["deprels"], strict=True)
    return dict(enumerate(pairs, start=1))


def until(condition: Any, page: Any) -> None:
    for _ in range(600):
        if done := condition():
            break
        page.wait_for_timeout(100)
    assert done, "it did not come about"


DROP = """([text, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(".drop").dispatchEvent(drop);
}"""
