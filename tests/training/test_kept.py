"""Which epoch a log says was kept."""

from __future__ import annotations

from niwaki.training.reporting import EpochReport, Kept, ObjectiveReport, kept_epochs


def lines(stage: str, scores: list[float | None], costs: int = 0) -> list[str]:
    cost = ObjectiveReport("0 arc-length", 1, 1, 0.5, 0.1, 2.0, 0, written=0.4, priced=1)
    reports = [
        EpochReport(stage, number, len(scores), 1, 1, las, las, (cost,) * costs)
        for number, las in enumerate(scores, start=1)
    ]
    return [line for report in reports for line in report.log_lines()]


def test_the_first_of_the_best() -> None:
    log = lines("parser", [80.0, 85.0, 85.0, 84.0]) + lines("greedy", [70.0, 71.0])
    assert kept_epochs(log) == [Kept("parser", 2, 4, 85.0), Kept("greedy", 2, 2, 71.0)]


def test_with_costs_or_without_scores_the_last() -> None:
    assert kept_epochs(lines("parser", [80.0, 70.0], costs=1)) == [Kept("parser", 2, 2, None)]
    assert kept_epochs(lines("parser", [None, None, None])) == [Kept("parser", 3, 3, None)]
    assert kept_epochs([]) == []
