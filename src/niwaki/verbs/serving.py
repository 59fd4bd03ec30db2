"""The workbench as a verb."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from niwaki.errors import ConfigError


def open_workbench(
    models: Iterable[str] = (),
    *,
    trees: Iterable[str] = (),
    references: Iterable[str] = (),
    bitext: Iterable[str] = (),
    rules: Iterable[str] = (),
    connectives: Iterable[str] = (),
    roles: Iterable[str] = (),
    compressors: Iterable[str] = (),
    translators: Iterable[str] = (),
    work: str | os.PathLike[str] = "niwaki-work",
    host: str = "127.0.0.1",
    port: int = 8470,
    token: str | None = None,
    allow_hosts: Iterable[str] = (),
    workers: int = 2,
    seconds: float = 10,
    opened: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve the workbench, a web page and an HTTP API, until it is interrupted (Ctrl-C).

    Models besides "en", treebanks, reference orders, parallel texts ("SRC,TGT"), rule files, models
    of connectives, labellers of roles, compressors and translators (folders) are given as paths, or
    as "NAME=PATH"; what is made is kept in the folder `work`. Port 0 finds one that is free.
    `opened` is told the address. Another host than this machine needs a `token`. Needs the packages
    of `niwaki[serve]`.

        >>> open_workbench(["mine=my.niwaki"], trees=["dev.conllu"], opened=print)
    """
    # Imported here: only this verb needs the extra packages.
    from niwaki.serve.limits import Limits
    from niwaki.serve.registry import Registry, named
    from niwaki.serve.server import bind, check_token, make_server

    check_token(host, token)
    registry = Registry()
    for name, path in [("en", "en"), *map(named, models)]:
        registry.add_model(name, path)
    for name, path in map(named, rules):
        registry.add_rules(name, path)
    for name, path in map(named, connectives):
        registry.add_connectives(name, path)
    for name, path in map(named, roles):
        registry.add_roles(name, path)
    for name, path in map(named, compressors):
        registry.add_compressor(name, path)
    for name, path in map(named, translators):
        registry.add_translator(name, path)
    for kind, given in (("trees", trees), ("references", references)):
        for name, path in map(named, given):
            registry.add_corpus(name, kind, [path])
    for name, path in map(named, bitext):
        files = path.split(",")
        if len(files) != 2:
            raise ConfigError(f"bitext {path}: give two files with a comma between")
        registry.add_corpus(name, "bitext", files)
    limits = dataclasses.replace(Limits(), workers=workers, seconds=float(seconds))
    listener = bind(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listener.getsockname()[1]}/"
    server = make_server(
        listener,
        host,
        registry,
        Path(work),
        limits,
        token=token,
        allow_hosts=list(allow_hosts),
        opened=lambda: opened(url),
    )
    # Ctrl-C is how it is closed, not how it fails.
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
