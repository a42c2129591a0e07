"""README and docs: the example runs, links lead somewhere, commands exist."""

import re
from pathlib import Path

import pytest

from ember.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.xdist_group("rtl-tiny")
def test_the_example_of_the_readme_runs(capsys):
    (example,) = blocks(ROOT / "README.md", "python")
    exec(compile(example, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert out.startswith("(3, 32)\n") and "slc.loop" in out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_is_documented():
    text = (ROOT / "docs" / "cli.md").read_text()
    for command in ("run text", "run criteo", "run movielens", "run bag", "compile", "verilog",
                    "bench bag", "bench rate", "bench coupled", "doctor"):  # fmt: skip
        assert f"ember {command}" in text


def test_every_option_is_documented(capsys):
    text = (ROOT / "docs" / "cli.md").read_text()
    kinds = [("run", "text"), ("run", "bag")]
    kinds += [("bench", "bag"), ("bench", "rate"), ("bench", "coupled")]
    for kind in kinds:
        main([*kind, "--help"])
        for option in re.findall(r"(?<!\S)--[a-z-]+", capsys.readouterr().out):
            if option != "--help":
                assert option in text, option


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, page.name
