"""Settings that are varied: from what is typed to transports, and back to what a command has."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import WeftError
from weft.plan.variations import Variation, names_of, parse_vary, variations_of


def test_each_value_is_a_transport_with_a_setting_of_its_own() -> None:
    found = variations_of(parse_vary(["ucx.rendezvous=8192,65536"]), ())
    assert found == {
        "ucx:rendezvous=8192": Variation(of="ucx", options={"ucx.rendezvous": "8192"}),
        "ucx:rendezvous=65536": Variation(of="ucx", options={"ucx.rendezvous": "65536"}),
    }


def test_several_settings_are_combined() -> None:
    found = variations_of(parse_vary(["mpi=openmpi,mpich", "env:OMPI_MCA_btl=tcp,vader"]), ())
    settings = {(one.mpi, one.environment["OMPI_MCA_btl"]) for one in found.values()}
    assert settings == set(product(("openmpi", "mpich"), ("self,tcp", "self,vader")))
    assert {one.of for one in found.values()} == {"mpi"}
    assert all(label == one.label for label, one in found.items())


def test_an_mpi_and_a_variable_reach_every_transport_and_an_option_its_own() -> None:
    varied = parse_vary(["mpi=openmpi,mpich", "tcp.port=7000,7001"])
    found = variations_of(varied, ("tcp", "ucx:am"))
    assert [one.of for one in found.values()] == ["tcp"] * 4 + ["ucx:am"] * 2
    assert not any(one.options for one in found.values() if one.of == "ucx:am")


@pytest.mark.parametrize("of", ["tcp", "tcp:stripe"])
def test_an_option_of_a_transport_reaches_its_modes(of: str) -> None:
    found = variations_of(parse_vary(["tcp.rails=1,2"]), (of, "mpi"))
    assert found == {
        f"{of}:rails={rails}": Variation(of=of, options={"tcp.rails": rails}) for rails in "12"
    }
    both = variations_of(parse_vary(["tcp.rails=1,2"]), ("tcp", "tcp:stripe"))
    assert [one.of for one in both.values()] == ["tcp"] * 2 + ["tcp:stripe"] * 2


def test_the_other_transports_stay_as_they_are() -> None:
    found = variations_of(parse_vary(["ucx.rendezvous=1,2"]), ("tcp", "ucx"))
    assert names_of(found, ("tcp", "ucx")) == ("ucx:rendezvous=1", "ucx:rendezvous=2", "tcp")


@pytest.mark.parametrize(
    ("variable", "transport"),
    [("OMPI_MCA_btl", "mpi"), ("MPIR_CVAR_X", "mpi"), ("MPICH_X", "mpi"), ("UCX_TLS", "ucx"),
     ("FI_PROVIDER", "ofi")],
)  # fmt: skip
def test_a_variable_is_of_the_library_that_it_steers(variable: str, transport: str) -> None:
    found = variations_of(parse_vary([f"env:{variable}=a,b"]), ())
    assert {one.of for one in found.values()} == {transport}


def test_values_with_commas_have_bars_between_them() -> None:
    found = variations_of(parse_vary(["env:UCX_TLS=posix,self|sysv,self"]), ())
    assert [one.environment["UCX_TLS"] for one in found.values()] == ["posix,self", "sysv,self"]
    [blank] = parse_vary(["ucx.rendezvous=8192, 65536"]).values()
    assert blank == ("8192", "65536")
    # Names of cases, sides and lists are parted by these.
    assert not any(set("/@, ") & set(label) for label in found)


@pytest.mark.parametrize(
    ("typed", "ways"),
    [
        ("vader,tcp", ["self,vader", "self,tcp"]),
        ("vader,self|tcp", ["vader,self", "self,tcp"]),
        ("^vader,^tcp", ["^vader", "^tcp"]),
    ],
)
def test_open_mpi_always_has_a_way_from_a_process_to_itself(typed: str, ways: list[str]) -> None:
    """It starts no process without one."""
    found = variations_of(parse_vary([f"env:OMPI_MCA_btl={typed}"]), ())
    assert [one.environment["OMPI_MCA_btl"] for one in found.values()] == ways
    # A command that is written of one of them gives it back.
    for one in found.values():
        assert list(variations_of(parse_vary(one.typed[3::2]), ("mpi",)).values()) == [one]


FORMS = "use --vary TRANSPORT.OPTION=A,B, --vary mpi=openmpi,mpich or --vary env:NAME=A,B"


@pytest.mark.parametrize(
    ("words", "transports", "told"),
    [
        (["rendezvous=1,2"], (), f"'rendezvous=1,2' is not a setting to vary; {FORMS}"),
        (["ucx.rendezvous=1,1"], (), f"--vary ucx.rendezvous has a value twice, or none; {FORMS}"),
        (["ucx.rendezvous=,"], (), f"--vary ucx.rendezvous has a value twice, or none; {FORMS}"),
        (
            ["mpi=openmpi", "mpi=mpich"],
            (),
            "mpi is varied twice; use --vary mpi= once, with all values",
        ),
        (["env:HOME=/a,/b"], (), "which transport HOME steers is not known; add --transport"),
        (
            ["ucx.rendezvous=1,2"],
            ("tcp",),
            "tcp has no setting ucx.rendezvous; add --transport ucx",
        ),
        (
            ["ucx.rendezvous=1,2"],
            ("tcp:stripe", "ucxx"),
            "tcp:stripe and ucxx have no setting ucx.rendezvous; add --transport ucx",
        ),
        (
            ["ofi.provider=a,b"],
            ("tcp", "mpi"),
            "tcp and mpi have no setting ofi.provider; add --transport ofi",
        ),
        (
            [f"ucx.rendezvous={','.join(map(str, range(17)))}"],
            (),
            "17 combinations of settings are too many; vary 16 or fewer at once",
        ),
    ],
)
def test_what_is_refused(words: list[str], transports: tuple[str, ...], told: str) -> None:
    with pytest.raises(WeftError) as refused:
        variations_of(parse_vary(words), transports)
    assert str(refused.value).startswith(told)


def test_sixteen_combinations_are_not_too_many() -> None:
    assert len(variations_of(parse_vary([f"ucx.x={','.join(map(str, range(16)))}"]), ())) == 16


VALUES = st.text("abcXYZ019,_:.=", min_size=1, max_size=8).filter(lambda text: text.strip(","))


@given(
    mpi=st.sampled_from(["", "openmpi"]),
    options=st.dictionaries(st.sampled_from(["ucx.a", "ucx.b"]), VALUES),
    environment=st.dictionaries(st.sampled_from(["UCX_TLS", "FOO"]), VALUES),
)
def test_what_a_command_has_for_one_gives_it_back(
    mpi: str, options: dict[str, str], environment: dict[str, str]
) -> None:
    one = Variation(of="ucx", mpi=mpi, options=options, environment=environment)
    name, of, *words = one.typed
    assert (name, of) == ("--transport", "ucx")
    if words:
        [back] = variations_of(parse_vary(words[1::2]), ("ucx",)).values()
        assert back == one
