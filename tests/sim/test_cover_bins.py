"""Groups of bins: what is legal, what is missing, and what may not happen."""

import re
from pathlib import Path

import pytest
from ember.hw.config import PRESETS, Config
from ember.sim.campaign_configs import CONFIGS, campaign_config, random_config
from ember.sim.cover_bins import Coverage, Group
from ember.sim.cover_report import coverage_dict, coverage_text
from ember.sim.cover_wish import wish_for
from ember.sim.coverage import machine_coverage


def group() -> Group:
    return Group(
        "some", "a question", dict(a=(1, 2), b=("x", "y", "z")),
        rules=(lambda at: "no y at 1" if at == (1, "y") else None,),
        waived=(lambda at: "z is rare" if at[1] == "z" else None,),
    )  # fmt: skip


def test_the_bins_are_the_product_without_the_excluded_ones() -> None:
    g = group()
    assert g.legal == ((1, "x"), (2, "x"), (2, "y"))
    assert g.excluded == {(1, "y"): "no y at 1"}
    assert set(g.optional) == {(1, "z"), (2, "z")}
    assert g.missing == list(g.legal)


def test_hits() -> None:
    g = group()
    g.hit((1, "x"), 3)
    g.hit((2, "z"))
    assert (g.reached, g.missing, g.impossible) == (1, [(2, "x"), (2, "y")], [])
    with pytest.raises(KeyError, match=re.escape("some has no bin a=3 b=x")):
        g.hit((3, "x"))


def test_an_excluded_bin_that_is_hit_is_a_failure() -> None:
    coverage = Coverage([group()])
    for at in coverage["some"].legal:
        coverage["some"].hit(at)
    assert coverage.complete
    coverage["some"].hit((1, "y"))
    assert not coverage.complete
    assert "impossible, yet hit: some a=1 b=y: no y at 1" in coverage_text(coverage)


def test_report() -> None:
    coverage = Coverage([group()])
    coverage["some"].hit((2, "x"))
    assert coverage_text(coverage).splitlines() == [
        "group    hit  legal  what",
        "some       1      3  a question",
        "all        1      3  33.3 %",
        "missing: some a=1 b=x",
        "missing: some a=2 b=y",
        "impossible: some, 1 bins: no y at 1",
        "not asked for: some, 2 bins: z is rare",
    ]
    report = coverage_dict(Config.preset("tiny"), coverage)
    assert (report["legal"], report["hit"], report["complete"]) == (3, 1, False)
    assert report["groups"]["some"]["missing"] == ["a=1 b=x", "a=2 b=y"]
    assert report["groups"]["some"]["hits"] == {"a=2 b=x": 1}


def test_merge() -> None:
    one, two = Coverage([group()]), Coverage([group()])
    one["some"].hit((1, "x"), 2)
    two.merge(one.dump())
    two.merge(one.dump())
    assert two["some"].hits == {(1, "x"): 4}


@pytest.mark.parametrize("name", [*CONFIGS, *PRESETS, *range(40)])
def test_every_configuration_has_groups_and_a_wish_for_each_bin(name) -> None:
    if isinstance(name, int):
        config = random_config(name)
    else:
        config = campaign_config(name) if name in CONFIGS else Config.preset(name)
    coverage = machine_coverage(config)
    for some in coverage:
        assert some.legal, some.name
        for at in some.legal:
            wish = wish_for(config, some, at)
            assert wish.merged(wish) == wish


def test_rules_follow_the_configuration() -> None:
    def legal(group: str, **changes: int) -> tuple:
        return machine_coverage(Config.preset("tiny").replace(**changes))[group].legal

    assert {at[1] for at in legal("rows", lanes=1)} == {1}
    assert {at[1] for at in legal("rows", lanes=16)} == set(range(1, 17))
    assert {at[0] for at in legal("streams", layers=2)} == {0}
    assert not any(at[:2] == (0, "RANGE") for at in legal("streams"))
    assert {at[3] for at in legal("pushes", mshrs=1)} == {"in order"}
    states = {(at[1], at[2]) for at in legal("pushes", dataq_depth=1)}
    assert ("vector", "partly") not in states and ("token", "partly") in states
    assert ("part", 0, 0) not in legal("writes", lanes=1)
    assert legal("lanes", fiber_lanes=8) == tuple((n,) for n in range(1, 9))


def test_the_page_names_every_group() -> None:
    page = (Path(__file__).parents[2] / "docs" / "verification.md").read_text()
    section = page.split("\n## Coverage\n")[1].split("\n## ")[0]
    table = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert table == [some.name for some in machine_coverage(Config.preset("tiny"))]
