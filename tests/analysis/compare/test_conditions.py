"""Launches are put together only under like conditions; compare names those that are not."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import weft
import weft.launch.local
import weft.launch.site
import weft.session
from support.builders import HOST, make_cases, synthetic_record
from support.shown import render_page
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.conditions import Conditions, conditions_of, differences, unlike
from weft.analysis.compare.pool import pool
from weft.analysis.compare.sides import side_of_run
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.errors import WeftError
from weft.record.model import Launch
from weft.record.run import Run

CASES = make_cases(("ping_pong",), ("tcp",), (8, 1024))
HOP = {"address": "0000:81:00.0", "speed_gt_per_s": 16.0, "width": 16}
NIC = {
    "name": "eth0", "driver": "mlx5_core", "firmware": "20.1", "mtu": 9000,
    "speed_mbit_per_s": 100_000, "duplex": "full", "pcie": [HOP],
}  # fmt: skip
MACHINE: dict[str, Any] = {**HOST, "interfaces": [NIC, {**NIC, "name": "eth1"}]}


def with_nic(**changes: object) -> dict[str, Any]:
    return {**MACHINE, "interfaces": [{**NIC, **changes}]}


def at(section: str, **changes: object) -> dict[str, Any]:
    return {**MACHINE, section: {**MACHINE[section], **changes}}


Change = Callable[[Run], Run]


def host(manifest: dict[str, Any]) -> Change:
    return lambda run: changed(run, hosts={"node1": manifest})


def changed(run: Run, **fields: object) -> Run:
    header = msgspec.structs.replace(run.header, **fields)
    return Run(run.path, msgspec.structs.replace(run.lines, header=header))


def plan(**fields: object) -> Change:
    return lambda run: changed(run, plan=msgspec.structs.replace(run.header.plan, **fields))


def details(**own: str) -> Change:
    def change(run: Run) -> Run:
        lines = msgspec.structs.replace(run.lines, launches=with_details(run.lines.launches, own))
        return Run(run.path, lines)

    return change


def with_details(launches: Iterable[Launch], own: dict[str, str]) -> tuple[Launch, ...]:
    return tuple(msgspec.structs.replace(launch, details=own) for launch in launches)


def record(folder: Path, name: str, first: float) -> Run:
    """A record over eth0; the first samples differ, so that none is a copy of another."""
    path = synthetic_record(
        folder / f"{name}.jsonl", CASES, times_ns=lambda _, round_: [first, 2000.0 + round_, 2010.0]
    )
    return details(interface="eth0", address="10.0.0.1:5", connect_ns="77")(
        host(MACHINE)(weft.load(path))
    )


@pytest.fixture
def before(tmp_path: Path) -> Run:
    return record(tmp_path, "a", 2001.0)


@pytest.fixture
def after(tmp_path: Path) -> Run:
    return record(tmp_path, "b", 2002.0)


# What is changed, whether a manifest tells of it (and so --resume can know), and the words.
UNLIKE = [
    (host(at("cpu", governor="powersave")), True, "governor performance then, powersave now"),
    (host(at("cpu", turbo=True)), True, "turbo unknown then, True now"),
    (host(at("cpu", model="another")), True, "processor Test CPU then, another now"),
    (host(at("software", kernel="6.2")), True, "kernel 6.1.0 then, 6.2 now"),
    (
        host(at("software", libraries={"openmpi": "4.1.5"})),
        True,
        "library openmpi 4.1.4 then, 4.1.5 now",
    ),
    (
        host(at("environment", UCX_TLS="tcp")),
        True,
        "variable UCX_TLS not set then, tcp now",
    ),
    (
        host({**MACHINE, "environment": {}}),
        True,
        "variable OMPI_MCA_btl self,vader then, not set now",
    ),
    (host(with_nic(mtu=1500)), True, "tcp device mtu 9000 then, 1500 now"),
    (
        host(with_nic(speed_mbit_per_s=25_000)),
        True,
        "tcp device speed_mbit_per_s 100000 then, 25000 now",
    ),
    (
        host(with_nic(pcie=[{**HOP, "width": 8}])),
        True,
        r"tcp bus at 0000:81:00.0, lanes 16 then, 8 now",
    ),
    (plan(mpi="mpich"), False, "MPI openmpi then, mpich now"),
    (plan(options={"tcp.port": "7000"}), False, "option tcp.port not set then, 7000 now"),
    (details(interface="eth1"), False, "tcp interface eth0 then, eth1 now"),
    (lambda run: changed(run, weft_version="9"), False, r"method weft 0\S* then, weft 9 now"),
]


@pytest.mark.parametrize(("change", "_", "told"), UNLIKE, ids=[told for *_, told in UNLIKE])
def test_unlike_conditions_are_named_and_never_pooled(
    before: Run, after: Run, change: Change, _: bool, told: str
) -> None:
    assert pool([before, after])["tcp/ping_pong/8"].launches == 10
    with pytest.raises(WeftError, match=told):
        pool([before, change(after)])


def test_where_a_launch_listened_and_how_long_it_connected_is_its_own(
    before: Run, after: Run
) -> None:
    other = details(interface="eth0", address="10.0.0.1:9", connect_ns="99")(after)
    assert pool([before, other])["tcp/ping_pong/8"].launches == 10


def test_a_rails_device_is_looked_up_by_its_rail(before: Run, after: Run) -> None:
    rails = {"rails": "2", "rail 0 interface": "eth0", "rail 1 interface": "eth1",
             "rail 1 address": "10.0.0.2:7"}  # fmt: skip
    slow = {**MACHINE, "interfaces": [NIC, {**NIC, "name": "eth1", "mtu": 1500}]}
    one, other = details(**rails)(before), host(slow)(details(**rails)(after))
    with pytest.raises(WeftError, match="tcp rail 1 device mtu 9000 then, 1500 now"):
        pool([one, other])


@pytest.mark.parametrize(
    ("change", "told"),
    [(change, told) for change, of_manifest, told in UNLIKE if of_manifest],
    ids=[told for _, of_manifest, told in UNLIKE if of_manifest],
)
def test_resume_goes_on_only_under_like_conditions(
    before: Run, monkeypatch: pytest.MonkeyPatch, change: Change, told: str
) -> None:
    """Nothing is missing in this record: where the host is as it was, resume has nothing to do."""
    monkeypatch.setattr(weft.session, "load", lambda _: before)
    monkeypatch.setattr(weft.launch.site, "programs", lambda _: ())
    for manifest in (MACHINE, next(iter(change(before).header.hosts.values()))):
        monkeypatch.setattr(weft.launch.local, "collect", lambda manifest=manifest: manifest)
        expected = "tcp of .* is not usable here" if manifest is MACHINE else told
        with pytest.raises(WeftError, match=expected):
            weft.session.resume(before.path, {}, begun_s=0.0, report=False)


@pytest.mark.usefixtures("undrawn")
def test_compare_and_the_page_name_the_same_conditions(before: Run, after: Run) -> None:
    other = host(at("environment", UCX_TLS="tcp"))(details(interface="eth1")(after))
    sides = [side_of_run(run, summarise(run), name) for name, run in
             (("a", before), ("b", other))]  # fmt: skip
    assert compare(sides).unlike == {
        "bus": ("eth0: PCIe 4 x16 at 0000:81:00.0", "eth1: PCIe 4 x16 at 0000:81:00.0"),
        "variable UCX_TLS": ("not set", "tcp"),
        "tcp interface": ("eth0", "eth1"),
    }
    page = render_page([(run, summarise(run)) for run in (before, other)])
    assert "unlike conditions: variable UCX_TLS: not set / tcp; tcp interface: eth0 / eth1" in page


def test_check_names_how_the_reference_differs(tmp_path: Path) -> None:
    paths = [
        synthetic_record(tmp_path / f"{name}.jsonl", CASES, host=name) for name in ("n1", "n2")
    ]
    done = CliRunner().invoke(app, ["check", str(paths[0]), "--against", str(paths[1])])
    assert "unlike the reference: nodes n2 then, n1 now" in done.output


TEXTS = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(("", "x", "y")))
KNOWN = st.builds(
    Conditions, facts=TEXTS, kinds=st.dictionaries(st.sampled_from(("tcp", "mpi")), TEXTS)
)


@given(st.lists(KNOWN, min_size=2, max_size=4))
def test_what_is_unlike_has_a_text_a_side_and_nothing_else_is_named(
    sides: list[Conditions],
) -> None:
    found = unlike(sides)
    for name, texts in found.items():
        assert len(texts) == len(sides)
        assert len(set(texts)) > 1, name
    assert unlike([sides[0], sides[0]]) == {}
    assert unlike(sides[::-1]).keys() == found.keys()
    then, now = sides[:2]
    assert bool(differences(then, now)) == bool(unlike([then, now]))
    for name in then.facts.keys() | now.facts.keys():
        told = (then.facts.get(name, "") or "unknown", now.facts.get(name, "") or "unknown")
        assert unlike([then, now]).get(name, (told[0], told[0])) == told


@pytest.mark.parametrize(
    ("transport", "level", "higher"),
    [
        ("mpi", {"requested thread level": "funneled", "provided thread level": "funneled"},
         {"requested thread level": "single", "provided thread level": "single"}),
        ("mpi:persistent", {"provided thread level": "funneled"},
         {"provided thread level": "multiple"}),
        ("ucx", {"thread level": "single"}, {"thread level": "multiple"}),
        ("ofi", {"rail 1 thread level": "FI_THREAD_DOMAIN"}, {"rail 1 thread level": "safe"}),
    ],
)  # fmt: skip
def test_a_record_without_the_thread_level_counts_as_the_level_that_all_had(
    transport: str, level: dict[str, str], higher: dict[str, str]
) -> None:
    older = Conditions(facts={}, kinds={transport: {"MPI": "one", "standard": "3.1"}})
    same = Conditions(facts={}, kinds={transport: {**older.kinds[transport], **level}})
    other = Conditions(facts={}, kinds={transport: {**older.kinds[transport], **higher}})
    assert differences(older, same) == differences(same, older) == ()
    named = sorted(f"{transport} {name}" for name in higher)
    assert sorted(unlike((older, other))) == sorted(unlike((same, other))) == named


def test_nothing_is_known_of_the_thread_level_of_an_imported_record() -> None:
    imported = Conditions(facts={}, kinds={"mpi": {"MPI": "one"}})
    ours = Conditions(facts={}, kinds={"mpi": {"MPI": "one", "requested thread level": "single"}})
    assert unlike((imported, ours)) == {"mpi requested thread level": ("not set", "single")}


def test_a_level_that_was_typed_is_compared_with_the_one_of_the_threads(before: Run) -> None:
    """The launches report it in either case."""
    typed = plan(options={"mpi.thread_level": "funneled"})(before)
    assert pool([typed, before])["tcp/ping_pong/8"].launches == 10


@pytest.mark.parametrize(
    ("transport", "usual", "other"),
    [
        ("tcp", {"traffic class": "0"}, {"traffic class": "104"}),
        ("verbs:ud", {"rail 1 traffic class": "0"}, {"rail 1 traffic class": "106"}),
        ("verbs", {"service level": "0"}, {"service level": "3"}),
    ],
)
def test_a_record_without_classes_counts_as_the_classes_that_all_had(
    transport: str, usual: dict[str, str], other: dict[str, str]
) -> None:
    older = Conditions(facts={}, kinds={transport: {"MPI": "one", "device": "lo"}})
    same = Conditions(facts={}, kinds={transport: {**older.kinds[transport], **usual}})
    changed_class = Conditions(facts={}, kinds={transport: {**older.kinds[transport], **other}})
    assert differences(older, same) == differences(same, older) == ()
    [name] = other
    assert list(unlike((older, changed_class))) == [f"{transport} {name}"]


@pytest.mark.parametrize("older", [{"MPI": "one", "lanes": "rc"}, {"MPI": "one"}])
def test_a_class_that_is_unknown_is_not_a_difference(older: dict[str, str]) -> None:
    """UCX's in older records and those that another program measured."""
    ours = {"lanes": "rc", "MPI": "one", "traffic class": "106", "service level": "unknown"}
    sides = [Conditions(facts={}, kinds={"ucx": own}) for own in (older, ours)]
    assert not {"ucx traffic class", "ucx service level"} & unlike(sides).keys()


def test_a_host_that_blocks_process_vm_readv_is_another_condition(before: Run) -> None:
    allowed, blocked = (
        conditions_of(host({**MACHINE, "single_copy": may})(before).header, before.lines.launches)
        for may in (True, False)
    )
    older = conditions_of(before.header, before.lines.launches)
    assert unlike((allowed, blocked)) == {"host process_vm_readv": ("allowed", "blocked")}
    assert unlike((allowed, older)) == unlike((older, blocked)) == {}


def test_a_class_that_was_typed_is_compared_with_the_usual_one(before: Run, after: Run) -> None:
    usual = details(**{"interface": "eth0", "traffic class": "0"})
    typed = plan(options={"tcp.traffic_class": "0"})(usual(after))
    assert pool([usual(before), typed])["tcp/ping_pong/8"].launches == 10
    other = details(**{"interface": "eth0", "traffic class": "104"})(after)
    with pytest.raises(WeftError, match="tcp traffic class 0 then, 104 now"):
        pool([usual(before), other])
