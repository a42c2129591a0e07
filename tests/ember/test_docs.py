"""README and docs: the example runs, links lead somewhere, commands exist."""

import re
from pathlib import Path

import pytest

from ember import Config
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


def structure(report: str) -> str:
    """A report without its configuration, levels of the queues, numbers, bars and columns."""
    report = re.sub(r"^    \d+(-\d+)? .*\n", "", report, flags=re.MULTILINE)
    report = re.sub(r"^  configuration .*\n(?:   .*\n)*", "", report, flags=re.MULTILINE)
    report = re.sub(r" +[#x.]+$", "", report, flags=re.MULTILINE)
    report = re.sub(r"\d[\d.,]*(\+cpu)?", "N", report)
    return re.sub(" +", " ", report)


@pytest.mark.xdist_group("rtl-tiny")
def test_the_sample_of_the_readme_is_what_a_run_prints(capsys, monkeypatch):
    pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.chdir(ROOT)
    (sample,) = re.findall(r"```\n\$ (ember run .*?)```$", (ROOT / "README.md").read_text(),
                           re.DOTALL | re.MULTILINE)  # fmt: skip
    command = sample.partition("\n")[0].split()[1:]
    assert main([*command, "--preset", "tiny"]) == 0
    assert structure(sample) == structure(capsys.readouterr().out)
    names = re.findall(r"(\w+)=\d+", sample)
    assert names and set(names) <= set(Config().to_dict())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_is_documented():
    text = (ROOT / "docs" / "cli.md").read_text()
    for command in ("run text", "run criteo", "run movielens", "run bag", "run nest",
                    "compile", "verilog", "export", "build", "program",
                    "bench bag", "bench rate", "bench coupled", "bench memory", "bench cpu",
                    "report",
                    "doctor"):  # fmt: skip
        assert f"ember {command}" in text


def test_every_option_is_documented(capsys):
    text = (ROOT / "docs" / "cli.md").read_text()
    kinds = [("run", "text"), ("run", "bag"), ("run", "nest"), ("export",)]
    kinds += [("bench", kind) for kind in ("bag", "rate", "coupled", "memory", "cpu")]
    for kind in kinds:
        main([*kind, "--help"])
        for option in re.findall(r"(?<!\S)--[a-z-]+", capsys.readouterr().out):
            if option != "--help":
                assert option in text, option


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, page.name
