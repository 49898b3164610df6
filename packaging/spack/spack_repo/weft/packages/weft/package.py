from pathlib import Path

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *

# The clone that this file is in: what is committed on its branch main is what is built.
_CHECKOUT = Path(__file__).resolve().parents[6]


class Weft(PythonPackage):
    """Measures, models and compares cluster interconnects."""

    homepage = _CHECKOUT.as_uri()
    git = _CHECKOUT.as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("py-scikit-build-core@0.11:", type="build")

    depends_on("mpi")
    requires(
        "^[virtuals=mpi] openmpi",
        "^[virtuals=mpi] mpich",
        policy="one_of",
        msg="weft starts ranks under Open MPI and MPICH",
    )
    depends_on("highway")
    depends_on("zlib-api")
    depends_on("hwloc@2:")
    depends_on("ucx")
    depends_on("libfabric")
    depends_on("rdma-core")

    depends_on("python@3.11:", type=("build", "run"))
    with default_args(type="run"):
        depends_on("py-jinja2@3.1:")
        depends_on("py-matplotlib@3.9:")
        depends_on("py-msgspec@0.19:")
        depends_on("py-numpy@2.0:")
        depends_on("py-polars@1.20:")
        depends_on("py-psutil@6.0:")
        depends_on("py-pyyaml@6.0:")
        depends_on("py-rich@13.9:")
        depends_on("py-scipy@1.14:")
        depends_on("py-typer@0.28:")
        depends_on("py-zstandard@0.23:")

    import_modules = ["weft"]

    def config_settings(self, spec, prefix):
        """The MPI of this build, and no other that the PATH has."""
        wrappers = {"openmpi": "OFF", "mpich": "OFF", spec["mpi"].name: spec["mpi"].mpicxx}
        return {f"cmake.define.WEFT_{mpi}_WRAPPER": path for mpi, path in wrappers.items()}

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        """The rank programs lie in this prefix, the interpreter in another."""
        env.set("WEFT_ENGINE_DIR", self.prefix.libexec.weft)
