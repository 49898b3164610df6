"""Two records of maps: who got slower, as a check, a comparison and a page say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from support.builders import synthetic_record, write_lines
from support.maps import HOSTS, map_record
from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError
from weft.record.run import load
from weft.sources.topologies import topology_of
from weft.studies.figures import chart_called
from weft.studies.map_changes import changed_maps, checks_of, sentences_of
from weft.studies.maps import check_are_maps, maps_among

if TYPE_CHECKING:
    from pathlib import Path

    import weft


@pytest.fixture
def before(tmp_path: Path) -> weft.Run:
    return map_record(tmp_path / "before.jsonl", {})


@pytest.fixture
def after(tmp_path: Path) -> weft.Run:
    return map_record(tmp_path / "after.jsonl", {"n5": 1.5})


def test_who_got_slower_is_named_and_fails_the_check(before: weft.Run, after: weft.Run) -> None:
    [found] = changed_maps([before], [after])
    first, together = sentences_of(found)
    assert "n5 when it sends got slower: 50 %" in first
    assert "all together" in together
    [check] = checks_of([found], 0.05)
    assert check.outcome == "fail"
    assert "n5" in check.why
    [back] = changed_maps([after], [before])
    assert "n5 when it sends got faster: 50 %" in sentences_of(back)[0]
    assert "longer before" in sentences_of(back)[0]
    assert checks_of([back], 0.05)[0].outcome == "pass"
    # Within the tolerance it passes.
    assert checks_of([found], 0.6)[0].outcome == "pass"


def test_two_rounds_do_not_tell(tmp_path: Path, before: weft.Run) -> None:
    few = map_record(tmp_path / "few.jsonl", {}, rounds=2)
    [found] = changed_maps([before], [few])
    assert checks_of([found], 0.05)[0].outcome == "cannot tell"
    assert "too little was measured" in sentences_of(found)[0]


@pytest.mark.parametrize(
    ("longer", "low", "high", "outcome"),
    [
        (0.296, 0.0, 16.169, "cannot tell"),
        (0.115, 0.049, 0.179, "cannot tell"),
        (0.115, 0.051, 0.179, "fail"),
        (0.0, -0.1, 0.049, "pass"),
    ],
)
def test_an_interval_that_reaches_beyond_the_tolerance_is_no_pass(
    before: weft.Run, tmp_path: Path, longer: float, low: float, high: float, outcome: str
) -> None:
    """+29.6 % [+0.0, +1616.9] passed at a tolerance of 5 %."""
    [found] = changed_maps([before], [map_record(tmp_path / "same.jsonl", {})])
    change = msgspec.structs.replace(found.change, longer=longer, longer_low=low, longer_high=high)
    [check] = checks_of([msgspec.structs.replace(found, change=change)], 0.05)
    assert check.outcome == outcome
    assert ("its interval reaches beyond 5 %" in check.why) is (outcome == "cannot tell")


def test_a_way_that_nobody_explains_is_no_pass(before: weft.Run, tmp_path: Path) -> None:
    """One way between two hosts takes ten times as long: who is slow is not known."""
    [found] = changed_maps([before], [map_record(tmp_path / "same.jsonl", {})])
    slower = found.change.slower
    rest = slower.rest
    one_way = (rest.source == rest.source[0]) & (rest.target == rest.target[0])
    rest = msgspec.structs.replace(rest, time_ns=np.where(one_way, 10.0, 1.0) * rest.time_ns)
    change = msgspec.structs.replace(
        found.change, slower=msgspec.structs.replace(slower, rest=rest)
    )
    [check] = checks_of([msgspec.structs.replace(found, change=change)], 0.05)
    assert check.outcome == "cannot tell"
    assert "no cause is sure" in check.why


def test_other_hosts_have_no_pair_in_common(tmp_path: Path, before: weft.Run) -> None:
    other = map_record(tmp_path / "o.jsonl", {}, hosts=tuple(f"m{host}" for host in HOSTS))
    with pytest.raises(WeftError, match="maps without a pair in common"):
        changed_maps([before], [other])


def test_a_map_of_which_nothing_was_measured_is_named(tmp_path: Path, before: weft.Run) -> None:
    lines = before.lines
    write_lines(tmp_path / "none.jsonl", [lines.header, *lines.launches, *lines.ends])
    none = load(tmp_path / "none.jsonl")
    for sides in (([before], [none]), ([none], [before])):
        with pytest.raises(WeftError, match=r"none\.jsonl has no map that was measured") as refused:
            changed_maps(*sides)
        assert refused.value.fix == f"run weft run --resume {none.path}"
    # Of several the first.
    write_lines(tmp_path / "also.jsonl", [lines.header, *lines.launches, *lines.ends])
    with pytest.raises(WeftError, match=r"none\.jsonl has no map that was measured") as refused:
        changed_maps([before], [none, load(tmp_path / "also.jsonl")])
    assert refused.value.fix == f"run weft run --resume {none.path}"


def test_a_host_that_is_gone_fails(tmp_path: Path, before: weft.Run) -> None:
    dead = map_record(tmp_path / "d.jsonl", {}, gone=("n3",))
    [found] = changed_maps([before], [dead])
    assert checks_of([found], 0.05)[0].outcome == "fail"
    assert any("n3 did not answer" in line for line in sentences_of(found))


def test_the_commands_take_maps(
    before: weft.Run, after: weft.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(before.path.parent)
    assert after.path.parent == tmp_path
    ran = CliRunner()
    check = ran.invoke(app, ["check", "after.jsonl", "--against", "before.jsonl"])
    assert check.exit_code == 1
    said = " ".join(check.stdout.split())
    assert "n5 when it sends got slower" in said
    assert said.count(" endpoints: ") == 1, "a line of a check is of one map"
    compare = ran.invoke(app, ["compare", "before.jsonl", "after.jsonl", "-o", "c.html"])
    assert compare.exit_code == 0, compare.output
    assert "n5 when it sends got slower" in compare.stdout
    page = (tmp_path / "c.html").read_text()
    assert page.count("<figure>") == 3
    plain = result_of(ran.invoke(app, ["compare", "before.jsonl", "after.jsonl", "--json"]).stdout)
    assert plain[0]["slower"][0]["causes"] == [{"kind": "send", "name": "n5"}]


def test_a_map_is_compared_with_a_map_alone(before: weft.Run) -> None:
    with pytest.raises(WeftError, match="is a map, and a map is compared with one other map"):
        maps_among([str(before.path), "escher"])
    assert maps_among(["escher", "red-squall"]) is None


def test_several_maps_a_side_are_one(tmp_path: Path, before: weft.Run, after: weft.Run) -> None:
    """What was slow in one of three earlier maps is not what is usual."""
    odd = map_record(tmp_path / "odd.jsonl", {"n2": 3.0})
    [found] = changed_maps([before, odd, map_record(tmp_path / "b2.jsonl", {})], [after])
    assert [one.causes[0].name for one in found.change.slower.findings] == ["n5"]
    assert found.change.faster.findings == ()
    assert found.before.launches == 15
    ran = CliRunner().invoke(
        app,
        ["check", str(after.path), "--against", str(before.path), "--against", str(odd.path)],
    )
    assert ran.exit_code == 1
    assert "n5 when it sends got slower" in " ".join(ran.stdout.split())


def test_what_got_slower_is_named_by_its_leaf(tmp_path: Path, before: weft.Run) -> None:
    """The same in a comparison and a check, where the topology is typed."""
    leaves = ("n[1-3]", "n[4-5]", "n[6-7]")
    text = "".join(f"SwitchName=l{at} Nodes={own}\n" for at, own in enumerate(leaves, 1))
    (tmp_path / "t.conf").write_text(text)
    after = map_record(tmp_path / "after.jsonl", {"n6": 1.5, "n7": 1.5})
    known = ["--topology", str(tmp_path / "t.conf")]
    compared = CliRunner().invoke(app, ["compare", str(before.path), str(after.path), *known])
    assert "the way out of leaf l3 got slower" in " ".join(compared.stdout.split())
    words = ["check", str(after.path), "--against", str(before.path), *known]
    checked = CliRunner().invoke(app, words)
    assert checked.exit_code == 1
    assert "leaf l3" in " ".join(checked.stdout.split())
    without = CliRunner().invoke(app, words[:-2])
    assert "leaf" not in without.stdout


def test_a_page_and_a_figure_of_a_map_know_its_topology(tmp_path: Path) -> None:
    """The page named single hosts where the terminal named their leaf."""
    leaves = ("n[1,6]", "n[2-3]", "n[4,5,7]")
    text = "".join(f"SwitchName=l{at} Nodes={own}\n" for at, own in enumerate(leaves, 1))
    (tmp_path / "t.conf").write_text(text)
    run = map_record(tmp_path / "m.jsonl", {"n2": 1.5, "n3": 1.5})
    page = tmp_path / "p.html"
    words = ["report", str(run.path), "-o", str(page)]
    for known in ([], ["--topology", str(tmp_path / "t.conf")]):
        assert CliRunner().invoke(app, [*words, *known]).exit_code == 0
        assert ("the way out of leaf l2 is slow" in page.read_text()) == bool(known)
    fabric_of = topology_of([str(tmp_path / "t.conf")]).on
    matrix = chart_called([str(run.path)], "map-0", fabric_of=fabric_of).matrix
    assert matrix is not None
    assert matrix.names == ("n1", "n6", "n2", "n3", "n4", "n5", "n7")


def test_maps_of_other_hosts_are_joined_by_their_names(tmp_path: Path, before: weft.Run) -> None:
    turned = map_record(tmp_path / "t.jsonl", {"n5": 1.5}, hosts=HOSTS[::-1])
    [found] = changed_maps([before, before], [turned])
    assert [one.causes[0].name for one in found.change.slower.findings] == ["n5"]
    # Where n5 was as slow in both of them nothing has changed.
    both = [map_record(tmp_path / "f.jsonl", {"n5": 1.5}), turned]
    [same] = changed_maps(both, [map_record(tmp_path / "s.jsonl", {"n5": 1.5})])
    assert same.change.slower.findings == ()
    assert same.change.longer == pytest.approx(0, abs=0.01)


def test_the_first_map_of_either_side_is_named_where_they_have_no_pair(tmp_path: Path) -> None:
    hosts = tuple(f"m{host}" for host in HOSTS)
    before = [map_record(tmp_path / f"b{at}.jsonl", {}) for at in range(2)]
    after = [map_record(tmp_path / f"a{at}.jsonl", {}, hosts=hosts) for at in range(2)]
    with pytest.raises(WeftError, match=r"/b0\.jsonl and \S+/a0\.jsonl are maps without"):
        changed_maps(before, after)


def test_a_topology_is_for_maps_of_which_there_may_be_one(tmp_path: Path) -> None:
    one = map_record(tmp_path / "m.jsonl", {})
    other = load(synthetic_record(tmp_path / "r.jsonl"))
    fabric_of = topology_of(["dragonfly"]).on
    check_are_maps([one, other], fabric_of)
    check_are_maps([other], None)
    with pytest.raises(WeftError, match="--topology"):
        check_are_maps([other, other], fabric_of)
