"""Differences of scores as rows of tables: for a terminal, and for a page."""

from __future__ import annotations

from html import escape

from niwaki.metrics.significance import Difference


def text_row(each: Difference) -> str:
    """Before, after, difference and interval; a star if the interval does not hold 0."""
    star = "*" if each.is_significant else " "
    return (
        f"{each.metric:24}{each.a:9.4f}{each.b:9.4f}{each.difference:+9.4f}{star}  "
        f"[{each.low:+.4f}, {each.high:+.4f}]"
    )


def html_row(each: Difference, *, more_is_better: bool) -> str:
    """The same with the class `good` or `bad`, if the difference is shown to be there."""
    kind = "good" if (each.difference > 0) == more_is_better else "bad"
    mark = kind if each.is_significant else ""
    return (
        f"<tr><td>{escape(each.metric)}<td>{each.a:.4f}<td>{each.b:.4f}"
        f"<td class='{mark}'>{each.difference:+.4f}<td>{each.low:+.4f} to {each.high:+.4f}"
    )
