"""Links of the pages: those to elsewhere are well formed, those to files of the repository lead somewhere.

mkdocs checks the links between the site's own pages (`mkdocs build --strict`, in .ci/run). No network is
needed here.
"""

from __future__ import annotations

import re
import string
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from page_commands import ROOT, prose_of, texts

PAGES = texts() | {name: (ROOT / name).read_text() for name in ("CHANGELOG.md", "SECURITY.md")}
OUTSIDE_THE_SITE = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
IN_ADDRESSES = set(string.ascii_letters + string.digits + "-._~:/?#[]@!$&'()*+,;=%")
A_FILE = re.compile(
    r"`((?:\.ci|accel|benches|docs|examples|kernels_cl|reference|src|tests)/[\w./-]+\.\w+)[`:]"
)


def targets(text: str) -> list[str]:
    """Return what a page's links lead to; an address may have parentheses, one inside another at most."""
    return re.findall(r"\]\(((?:[^()\s]|\([^()\s]*\))+)\)", prose_of(text))


def addresses(text: str) -> list[str]:
    """Return the addresses on a page, in links and in angle brackets."""
    return [
        *filter(re.compile(r"\w+:").match, targets(text)),
        *re.findall(r"<(\w+://[^>]*)>", prose_of(text)),
    ]


def wrong_with_address(address: str) -> str:
    """Return what is wrong with an address, as far as can be told without a network."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        return "not http or https"
    if not re.fullmatch(r"([a-z0-9-]+\.)+[a-z]{2,}", parts.netloc.lower()):
        return "no host"
    if not set(address) <= IN_ADDRESSES or re.search(r"%(?![0-9A-Fa-f]{2})", address):
        return "a character that addresses do not have"
    if address[-1] in ".,;:!?'" or address.count("(") != address.count(")"):
        return "it ends too late or too early"
    return ""


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?) *$", prose_of(text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w -]", "", plain).replace(" ", "-")
        number = sum(1 for each in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", each))
        found.add(f"{slug}-{number}" if number else slug)
    return found


def wrong_with_link(page: Path, target: str) -> str:
    """Return what is wrong with a link from a page to a file of the repository, or to a heading in it."""
    name, _, anchor = target.partition("#")
    file = (page.parent / name).resolve() if name else page
    if not file.is_relative_to(ROOT) or not file.exists():
        return "there is no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
        return "there is no such heading"
    return ""


@pytest.mark.parametrize("page", PAGES)
def test_addresses_are_well_formed(page: str) -> None:
    found = {address: wrong_with_address(address) for address in addresses(PAGES[page])}
    assert {address: wrong for address, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("page", OUTSIDE_THE_SITE)
def test_links_to_files_and_headings_lead_somewhere(page: str) -> None:
    local = [target for target in targets(PAGES[page]) if target not in addresses(PAGES[page])]
    found = {target: wrong_with_link(ROOT / page, target) for target in local}
    assert {target: wrong for target, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != "CHANGELOG.md"]
)  # it tells of old files too
def test_files_that_are_named_exist(page: str) -> None:
    named = [name for name in A_FILE.findall(PAGES[page]) if Path(name).stem != "x"]
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_links_are_found() -> None:
    assert len(targets(PAGES["README.md"])) > 20
    assert sum(len(addresses(text)) for text in PAGES.values()) > 0
    text = "[a](https://example.org/a_(b)#c), [b](b.md#c), <http://d.org>, `[e](f.md)`\n```\n[g](h.md)\n```\n"
    assert targets(text) == ["https://example.org/a_(b)#c", "b.md#c", "f.md"]
    assert addresses(text) == ["https://example.org/a_(b)#c", "http://d.org"]


def test_every_address_is_in_a_link() -> None:
    for page, text in PAGES.items():
        bare = re.findall(r"(?<![(<\"'])https?://\S+", re.sub(r"`[^`]*`", "", prose_of(text)))
        assert bare == [], page


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("https://example.org/a_(b)#c", ""),
        ("https://example.org/a%20b", ""),
        ("ftp://example.org/", "not http or https"),
        ("https:///path", "no host"),
        ("https://example/", "no host"),
        ("https://example.org/a%2", "a character that addresses do not have"),
        ("https://example.org/ä", "a character that addresses do not have"),
        ("https://example.org/a.", "it ends too late or too early"),
        ("https://example.org/a_(b", "it ends too late or too early"),
    ],
)
def test_wrong_addresses_are_found(address: str, wrong: str) -> None:
    assert wrong_with_address(address) == wrong


@pytest.mark.parametrize(
    ("target", "wrong"),
    [
        ("other.md", ""),
        ("other.md#a-heading-with-code-2", ""),
        ("other.md#twice-1", ""),
        ("#here", ""),
        ("other.md#no-heading", "there is no such heading"),
        ("other.md#in-a-block", "there is no such heading"),
        ("missing.md", "there is no such file"),
        ("../elsewhere.md", "there is no such file"),
    ],
)
def test_wrong_links_are_found(
    target: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path.resolve() / "repository")
    (tmp_path / "repository").mkdir()
    page = tmp_path.resolve() / "repository" / "page.md"
    page.write_text("# Here\n")
    page.with_name("other.md").write_text(
        "# A heading, with `code`: 2\n\n## Twice\n\n## Twice\n\n```\n# In a block\n```\n"
    )
    (tmp_path / "elsewhere.md").write_text("")
    assert wrong_with_link(page, target) == wrong
