"""What a host's programs are asked for: each command word by word."""

from weft.host.software import _commands


def test_programs_packages_and_the_loaders_cache_are_asked_in_their_words() -> None:
    assert _commands() == {
        "ompi_info": ("ompi_info", "--version"),
        "mpichversion": ("mpichversion",),
        "mpirun": ("mpirun", "--version"),
        "ucx_info": ("ucx_info", "-v"),
        "packages": (
            "dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n",
            "libopenmpi[0-9]*", "libmpich1[0-9]*", "libucx0*", "libfabric1*", "libibverbs1*",
            "libhwloc1[0-9]*", "libpmix2*", "libc6",
        ),
        "cache": ("/sbin/ldconfig", "-p"),
    }  # fmt: skip
