#!/bin/sh
# Says which system packages are missing before anything is built. Usage: doctor.sh PYTHON
set -u
python=$1
missing=""
need() { missing="$missing\n  $1: install it with: apt-get install $2"; }

if ! command -v "$python" >/dev/null 2>&1; then
    need "Python 3.11 or newer ($python)" python3
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    found=$("$python" -c 'import platform; print(platform.python_version())')
    need "Python 3.11 or newer ($python is $found; choose another with make PYTHON=...)" python3
else
    "$python" -c 'import venv, ensurepip' 2>/dev/null || need "Python's venv module" python3-venv
    "$python" - <<'PY' || need "Python's header files (Python.h)" python3-dev
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))
PY
fi
if ! command -v "${CC:-cc}" >/dev/null 2>&1 && ! command -v gcc >/dev/null 2>&1; then
    need "a C compiler" "gcc libc6-dev"
elif ! echo '#include <stdio.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1; then
    need "the C library's header files" libc6-dev
fi

if [ -n "$missing" ]; then
    # shellcheck disable=SC2059
    printf "niwaki cannot be built here; missing:$missing\n" >&2
    exit 1
fi
