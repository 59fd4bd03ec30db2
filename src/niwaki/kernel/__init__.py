"""The compiled code: integers, floats and buffers in and out, no Python objects in the loops.

Not public: its functions change with the models that use them.
"""

import importlib

from niwaki.errors import KernelMissingError

try:
    importlib.import_module("niwaki.kernel.conllu")
except ImportError as error:
    raise KernelMissingError(
        f"the compiled kernel cannot be imported ({error}); build it with `make build`, "
        "or reinstall with `pip install -e .`"
    ) from error
