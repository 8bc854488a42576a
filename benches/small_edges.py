"""Ten to a million random edges, from arrays and from scipy's matrices to labels: is anything simpler faster?

    python benches/small_edges.py [--device cpu] [--only "degree 16"] [--json FILE]

We are compared with scipy and, where there are a C++ compiler and Boost's headers, with Boost's serial
union-find. Where a round is short, everybody runs twice in each turn before they are timed, as in a process
that does nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from edge_table import (
    ARRAYS,
    BOOST,
    BOTH_DIRECTIONS,
    MATRIX,
    OURS,
    SCIPY,
    Edges,
    Measurement,
    Report,
    parser,
    run,
    session_of,
    ways_here,
)

SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 200_000, 300_000, 500_000, 1_000_000)
MEAN_DEGREES = (2, 16)
WAYS = [
    *((ARRAYS, who) for who in (OURS, BOOST, SCIPY)),
    *((form, who) for form in (MATRIX, BOTH_DIRECTIONS) for who in (OURS, SCIPY)),
]
SECONDS, MOST_ROUNDS = 2.0, 200


def edges_named(only: str) -> Iterator[Edges]:
    """Make those edges whose names contain a text."""
    for degree in MEAN_DEGREES:
        for m in SIZES:
            if only in (name := f"degree {degree}, {m:,}"):
                vertices = max(2, 2 * m // degree)
                sources, targets = np.random.default_rng(m).integers(0, vertices, (2, m))
                yield Edges(name, sources, targets, vertices)


def main() -> None:
    """Run the command."""
    asked = parser(__doc__).parse_args()
    session = session_of(asked)
    measurement = Measurement(ways_here(WAYS), session, asked.rounds, MOST_ROUNDS, SECONDS, lead_in=2)
    report = Report(f"small edges on {session.device}", "microseconds", 1e6)
    run(report, edges_named(asked.only), measurement, asked.json)


if __name__ == "__main__":
    main()
