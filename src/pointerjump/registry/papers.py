"""The five papers that are reproduced here table by table, and the letter that stands for each.

"E 5.1", for example, means section 5.1 of paper E. Each paper has a page in ``docs/papers/``
that says, for every table, figure and theorem, which command reproduces it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper and the ways to cite it. ``str(paper)`` is the full citation.

    Attributes
    ----------
    letter : str
        The shortest way to cite it.
    authors : str
        The way to cite it in a sentence: ``f"{ECL_CC.authors}, table 4"``.
    citation : str
        Authors, title, venue and year.
    page : str
        The file stem of its page in ``docs/papers/``.
    """

    letter: str
    authors: str
    citation: str
    page: str

    def __str__(self) -> str:
        return self.citation


AFFOREST = Paper(
    "A",
    "Sutton et al.",
    "Sutton, Ben-Nun, Barak, Optimizing parallel graph connectivity computation via subgraph sampling, "
    "IPDPS 2018",
    "afforest",
)
CONG = Paper(
    "C",
    "Cong and Muzio",
    "Cong, Muzio, Fast parallel connected components algorithms on GPUs, Euro-Par 2014 workshops",
    "cong",
)
DEHNE = Paper(
    "D",
    "Dehne and Yogaratnam",
    "Dehne, Yogaratnam, Exploring the limits of GPUs with parallel graph algorithms, 2010",
    "dehne",
)
ECL_CC = Paper(
    "E",
    "Jaiganesh and Burtscher",
    "Jaiganesh, Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018",
    "ecl-cc",
)
THESIS = Paper(
    "T",
    "Jaiganesh's thesis",
    "Jaiganesh, thesis, Texas State University, 2017",
    "thesis",
)

PAPERS = (AFFOREST, CONG, DEHNE, ECL_CC, THESIS)
