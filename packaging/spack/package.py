# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim for Spack. In a repository of one's own:

    spack repo create netsim-repo && spack repo add netsim-repo
    mkdir -p netsim-repo/packages/netsim && cp packaging/spack/package.py netsim-repo/packages/netsim/
    spack dev-build --source-path "$PWD" netsim@main
"""

from spack.package import *


class Netsim(CMakePackage):
    """Packet-level discrete-event simulator of cluster interconnects."""

    license("GPL-3.0-or-later")
    version("main")

    variant("mpi", default=False, description="Let mpirun share out sweeps")
    variant("otf2", default=True, description="Read OTF2 archives of recorded programs")
    variant("plot", default=True, description="Draw pictures")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libyaml")
    depends_on("gsl")
    depends_on("glib")
    depends_on("jansson")
    depends_on("muparser")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("otf2", when="+otf2")
    depends_on("mpi", when="+mpi")
    depends_on("py-matplotlib", type="run", when="+plot")

    generator("ninja")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False), self.define_from_variant("NETSIM_MPI", "mpi")]
