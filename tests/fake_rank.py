#!/usr/bin/env python3
"""A rank program that speaks the engine's protocol, with scripted misbehaviour.

FAKE_RANK holds words: hang=CASE, die=PHASE (start, hello, CASE, finish), garbage=CASE, and
wrong=CASE; CASE is the number of the case line, counted from 0 in this launch.
"""

import json
import os
import signal
import sys

CLOCK = {"name": "tsc", "tick_ns": 1.0, "overhead_ticks": 10, "baseline_ns": 20000000}
PATTERNS = [
    {
        "name": "ping_pong",
        "title": "Latency",
        "summary": "there and back",
        "ranks": 2,
        "latency_divisor": 2,
        "bandwidth_factor": 2,
        "supported": True,
        "reason": "",
    },
    {
        "name": "put_ping_pong",
        "title": "Put latency",
        "summary": "puts",
        "ranks": 2,
        "latency_divisor": 2,
        "bandwidth_factor": 2,
        "supported": False,
        "reason": "the transport has no one-sided operations",
    },
]


def say(message: dict) -> None:  # type: ignore[type-arg]
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    script = dict(word.split("=") for word in os.environ.get("FAKE_RANK", "").split())
    if "--describe" in sys.argv:
        say({"kind": "describe", "transport": "fake", "summary": "scripted", "patterns": PATTERNS})
        return
    if script.get("die") == "start":
        sys.exit("rank-fake: told to die; do not tell it so")
    if script.get("hang") == "start":
        signal.pause()
    ranks = [{"rank": r, "host": "vm", "pid": 1, "cpu": r, "numa": 0} for r in (0, 1)]
    say({"kind": "hello", "transport": "fake", "mpi": "fake", "ranks": ranks, "clock": CLOCK})
    if script.get("die") == "hello":
        sys.exit("rank-fake: told to die; do not tell it so")
    for number, line in enumerate(sys.stdin):
        case = json.loads(line)
        if script.get("hang") == str(number):
            signal.pause()
        if script.get("die") == str(number):
            os.kill(os.getpid(), signal.SIGKILL)
        if script.get("garbage") == str(number):
            say({"what": "is this"})
            continue
        wrong = script.get("wrong") == str(number)
        ops = case["ops_per_sample"]
        ticks = [(2000 + 2 * case["bytes"]) * ops] * (case["samples"] + case["warmup"])
        say(
            {
                "kind": "batch",
                "id": case["id"],
                "status": "failed" if wrong else "ok",
                "reason": "wrong byte at offset 3 of 8" if wrong else "",
                "warmup": case["warmup"],
                "ops_per_sample": ops,
                "verified_bytes": 64,
                "elapsed_ns": 1000,
                "ticks": [] if wrong else ticks,
            }
        )
    if script.get("die") == "finish":
        sys.exit("rank-fake: told to die; do not tell it so")
    say({"kind": "bye", "clock": CLOCK})


main()
