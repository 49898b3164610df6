"""The lab's own devices, without weft: both are up and reach each other over their cable."""

from __future__ import annotations

import re
from pathlib import Path

from lab.guest import DEADLINE_S, beside, run


def check_both_devices_are_up() -> None:
    told = run("ibv_devinfo").stdout
    assert re.findall(r"hca_id:\s+(\w+)", told) == ["rxe0", "rxe1"], told
    assert re.findall(r"state:\s+(\w+)", told) == ["PORT_ACTIVE", "PORT_ACTIVE"], told


def check_the_devices_reach_each_other_over_the_cable() -> None:
    counter = Path("/sys/class/net/roce0/statistics/tx_packets")
    before = int(counter.read_text())
    words = ["ibv_rc_pingpong", "-g", "1", "-n", "50"]
    with beside([*words, "-d", "rxe1"]) as server:
        client = run(*words, "-d", "rxe0", "10.9.0.2", until_works=True)
        assert "50 iters" in client.stdout, client
        assert server.wait(DEADLINE_S) == 0
    assert int(counter.read_text()) - before >= 100


def check_what_is_written_goes_into_the_overlay() -> None:
    target = Path(__file__).with_name("written-in-the-guest")
    target.write_text("here")
    assert target.read_text() == "here"
