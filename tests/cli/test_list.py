"""What can be listed, as a user reads it."""

from typer.testing import CliRunner

from support.printed import result_of
from weft.cli.main import app


def test_a_test_that_some_transport_lacks_says_over_which_it_runs() -> None:
    rows = result_of(CliRunner().invoke(app, ["list", "tests", "--json"]).output)
    only = {row["test"]: row["only_over"] for row in rows}
    assert only["ping_pong"] == only["copy"] == only["window_stream"] == []
    assert only["allreduce"] == ["mpi"]
    assert "tcp" not in only["put_latency"]
    assert {"mpi"} < set(only["put_latency"])
    lines = CliRunner().invoke(app, ["list", "tests"]).output.splitlines()
    assert [line.endswith(" (only over mpi)") for line in lines if "allreduce " in line] == [True]
    assert not any("only" in line for line in lines if line.startswith("ping_pong "))
