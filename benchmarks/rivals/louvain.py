"""Louvain communities of scikit-network, on the graph whose edges lead from rows to columns."""

from __future__ import annotations

from typing import Any

from sknetwork.clustering import Louvain

from benchmarks.rivals.answering import Question, answer


def find(question: Question) -> dict[str, Any]:
    """Communities of the largest modularity; a count is the weight of an edge."""
    model = Louvain(random_state=question.seed).fit(question.counts, force_bipartite=True)
    return {"": model.labels_row_}


if __name__ == "__main__":
    answer(find)
