"""Finds the compiled kernel's modules; everything else stands in pyproject.toml."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
KERNEL = SOURCE / "niwaki" / "kernel"
SHARED = "niwaki.kernel._shared"
CORES = os.cpu_count() or 1

# `make asan` and `make tsan` build the kernel with the sanitizers that NIWAKI_SANITIZE names.
if sanitizers := os.environ.get("NIWAKI_SANITIZE"):
    flags = ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=undefined"]
    sanitize = [f"-fsanitize={sanitizers}"]
elif os.environ.get("NIWAKI_COVERAGE"):
    # `make fuzz`: each block of code tells that it was reached; see tests/fuzz/coverage.c.
    flags, sanitize = ["-O2", "-fsanitize-coverage=trace-pc"], []
else:
    # No -march=native: a wheel must run on machines other than the one that built it. Without
    # what debuggers read, the kernel is a tenth of the size.
    flags, sanitize = ["-O3", "-g0"], []

if os.environ.get("NIWAKI_COUNT_LINES"):
    # `make asan`, for `make coverage`: counts of lines are written beside the object files, from
    # wherever the kernel is run, so their folder must not be made anonymous.
    sanitize.append("--coverage")
else:
    # Where it was built is nobody's business: the same source gives the same bytes in any folder.
    flags.append(f"-ffile-prefix-map={os.getcwd()}=.")
# Products and sums are rounded one by one, also where a processor could do both at once (ARM): the
# same numbers on all machines.
flags.append("-ffp-contract=off")
# Cython writes functions that not every module calls.
WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-unused-function"]
MSVC_FLAGS = ["/O2", "/W3"]


class BuildKernel(build_ext):
    """Compiles with the flags of the compiler that is there: GCC's and Clang's, or MSVC's."""

    def build_extensions(self) -> None:
        if self.compiler.compiler_type == "msvc":
            for each in self.extensions:
                each.extra_compile_args, each.extra_link_args = MSVC_FLAGS, []
        super().build_extensions()


def extension(path: Path) -> Extension:
    module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    return Extension(
        module,
        [str(path)],
        include_dirs=[str(KERNEL)],
        depends=[str(header) for header in sorted(KERNEL.glob("*.h"))],
        extra_compile_args=[*flags, *sanitize, *WARNINGS],
        extra_link_args=sanitize,
    )


def kernel() -> list[Extension]:
    # pip compiles in a folder of its own; `make build` compiles in place, and only once.
    if os.environ.get("NIWAKI_NO_KERNEL"):
        return []
    # What all modules need of Cython (views of memory, above all) is compiled once, into _shared.
    shared = Extension(
        SHARED,
        [str(KERNEL / "_shared.c")],
        extra_compile_args=[*flags, *sanitize],
        extra_link_args=sanitize,
    )
    return cythonize(
        [*(extension(path) for path in sorted(KERNEL.rglob("*.pyx"))), shared],
        build_dir="build/cython",
        shared_utility_qualified_name=SHARED,
        nthreads=CORES,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    )


setup(
    ext_modules=kernel(),
    cmdclass={"build_ext": BuildKernel},
    options={"build_ext": {"parallel": CORES}},
)
