"""The listings in docs/slc.md, docs/dlc.md and docs/compiler.md are what the compiler does."""

import re
from pathlib import Path

import numpy as np
import pytest
from ember.compiler.dlc.dialect import DLC
from ember.compiler.pass_docs import docs_passes
from ember.compiler.pipeline import compile_bags, pipeline
from ember.compiler.slc.dialect import SLC
from ember.compiler.spec import BagSpec
from ember.hw.config import Config

DOCS = Path(__file__).parents[2] / "docs"
GOLDENS = Path(__file__).parent / "filecheck"
SPEC = BagSpec("C3", rows=100, dim=20, bags=8, lookups=40)
CONFIG = Config.preset("default")


@pytest.mark.parametrize("page", ["slc", "dlc"])
def test_listings(page):
    listings = re.findall(r"```mlir (O\d) (\w+)\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.S)
    assert len(listings) == 2
    for opt, stage, text in listings:
        lines = compile_bags(CONFIG, [SPEC], opt).text(stage).splitlines()[1:-1]
        assert text == "".join(line[2:] + "\n" for line in lines)


def test_the_program_listing():
    _, _, text = compile_bags(CONFIG, [SPEC]).text("asm").partition("\n")
    assert text in (DOCS / "dlc.md").read_text()


def test_the_page_of_passes_is_up_to_date():
    hint = "run python -m ember.compiler.pass_docs docs"
    assert (DOCS / "passes.md").read_text() == docs_passes(GOLDENS), hint


@pytest.mark.parametrize("page, dialect", [("slc", SLC), ("dlc", DLC)])
def test_every_operation_is_documented(page, dialect):
    text = (DOCS / f"{page}.md").read_text()
    for op in dialect.operations:
        kind, _, short = op.name.rpartition(".")
        assert op.name in text or f"`{short}`" in text, op.name


def test_the_example_runs_and_every_pass_is_listed():
    text = (DOCS / "compiler.md").read_text()
    [example] = re.findall(r"```python\n(.*?)```", text, re.S)
    names: dict = {}
    exec(example.replace("print(", "str("), names)
    assert len(names["programs"]) == 1
    [example] = re.findall(r"```python interpret\n(.*?)```", text, re.S)
    exec(example, names)
    assert np.all(names["arrays"]["out"] == 1) and names["outcome"].queues[0].tokens == 8 * 5 + 1
    [example] = re.findall(r"```python nest\n(.*?)```", text, re.S)
    exec(example.replace("print(", "str("), {})
    listed = re.findall(r"^\| `([\w-]+)(?:\{.*\})?` \|", text, re.M)
    every = pipeline(CONFIG.replace(store_streams=1), "O3")
    assert listed == [step.name for step in every]
