"""A record's variables are set only if they steer messaging: a record may be a stranger's."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from weft.cli.main import app
from weft.errors import WeftError
from weft.host.taken import taken_variables
from weft.plan.variations import Variation

RUN_CODE = (
    "LD_PRELOAD", "LD_LIBRARY_PATH", "GLIBC_TUNABLES", "OMPI_MCA_plm_rsh_agent",
    "OMPI_MCA_orte_launch_agent", "PRTE_MCA_prte_launch_agent",
    "OMPI_MCA_mca_base_component_path", "OMPI_MCA_component_path",
    "OMPI_MCA_mca_base_param_files", "OMPI_MCA_mca_base_env_list", "UCX_MODULE_DIR",
    "FI_PROVIDER_PATH", "HYDRA_LAUNCHER_EXEC", "I_MPI_HYDRA_BOOTSTRAP_EXEC", "OPAL_PREFIX",
    "OMP_TOOL_LIBRARIES", "IBV_DRIVERS", "UCX_LOG_FILE", "PATH", "PYTHONPATH", "BASH_ENV",
)  # fmt: skip
STEER = (
    "OMPI_MCA_btl", "OMPI_MCA_pml", "UCX_TLS", "UCX_NET_DEVICES", "UCX_RNDV_THRESH",
    "FI_PROVIDER", "MPICH_CH4_NETMOD", "OMP_NUM_THREADS", "UCX_IB_TRAFFIC_CLASS",
)  # fmt: skip


def of(name: str) -> dict[str, Variation]:
    varied = Variation(of="tcp", environment={name: "x\x1b[2J"})
    return {varied.label: varied}


@pytest.mark.parametrize("name", RUN_CODE)
def test_a_variable_that_can_run_code_is_refused_by_name(name: str) -> None:
    with pytest.raises(WeftError, match=f"--allow-env {name}"):
        taken_variables(of(name), ())


@pytest.mark.parametrize("name", RUN_CODE)
def test_a_variable_can_be_allowed_by_name_only(name: str) -> None:
    assert taken_variables(of(name), (name,)) == (f"{name}=x\\x1b[2J",)
    with pytest.raises(WeftError):
        taken_variables(of(name), (f"{name}S",))


@pytest.mark.parametrize("name", STEER)
def test_a_variable_that_steers_messaging_is_taken(name: str) -> None:
    assert taken_variables(of(name), ()) == (f"{name}=x\\x1b[2J",)


@pytest.mark.parametrize("option", ["--again", "--resume"])
def test_a_record_with_a_library_to_load_is_not_measured(option: str, tmp_path: Path) -> None:
    cases = make_cases()
    record = synthetic_record(tmp_path / "r.jsonl", cases, variations=of("LD_PRELOAD"))
    before = record.read_bytes()
    done = CliRunner().invoke(app, ["run", option, str(record)])
    assert isinstance(done.exception, WeftError)
    assert "LD_PRELOAD" in str(done.exception)
    assert record.read_bytes() == before
    assert json.loads(before.splitlines()[0])["plan"]["variations"]


def test_a_header_of_any_length_hides_no_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first line is read up to a bound; a longer one is read with the whole record."""
    record = synthetic_record(tmp_path / "r.jsonl", make_cases(), variations=of("LD_PRELOAD"))
    monkeypatch.setattr("weft.record.reader._LONGEST_HEADER_BYTES", 100)
    done = CliRunner().invoke(app, ["run", "--resume", str(record)])
    assert isinstance(done.exception, WeftError)
    assert "LD_PRELOAD" in str(done.exception)
