"""Models fetched from folders, packages and a web server that may do anything."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.data.modelfile import write_model_file
from niwaki.errors import ModelError
from niwaki.hub.cache import cached_models
from niwaki.hub.cards import index_folder
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.verbs.fetching import download, models
from tests.apart import put_together, taken_apart
from tests.hub.serving import Site, serving


def left_behind(cache: Path) -> list[str]:
    """What lies in the cache, copies of indexes aside."""
    return sorted(path.name for path in cache.glob("models/*"))


def test_from_a_folder(collection: Path, cache: Path, model: Pipeline) -> None:
    path = download("toy", collection)
    assert path.read_bytes() == (collection / "toy.niwaki").read_bytes()
    assert left_behind(cache) == ["toy@1.niwaki"]
    assert load("toy").config == model.config
    assert download("toy", collection / "index.json") == path


def test_from_the_web_and_then_without_it(site: Site, cache: Path, model: Pipeline) -> None:
    path = download("toy", site.url)
    assert path.read_bytes() == site.files["/toy.niwaki"]
    assert left_behind(cache) == ["toy@1.niwaki"]
    asked = len(site.requests)
    assert load("toy").config == model.config
    assert len(site.requests) == asked
    # What is there is not fetched again.
    download("toy", f"{site.url}index.json")
    assert [path for path, _ in site.requests[asked:]] == ["/index.json"]


def test_the_environment_names_the_index(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIWAKI_INDEX", site.url)
    with pytest.raises(ModelError, match="no model 'toy': neither a file nor"):
        load("toy")
    (listed,) = (each for each in models() if each.where == "available")
    assert listed.name == "toy"
    # The names are remembered, so `load` knows them and asks no server.
    asked = len(site.requests)
    with pytest.raises(ModelError, match=r"^no model 'toy' yet; run: niwaki download toy$"):
        load("toy")
    with pytest.raises(ModelError, match="did you mean 'toy'"):
        load("tyo")
    assert len(site.requests) == asked
    download("toy")
    assert load("toy").parser is not None


def test_names_that_there_are_not(collection: Path) -> None:
    with pytest.raises(ModelError, match="no model 'tyo' in the index; did you mean 'toy'"):
        download("tyo", collection)
    with pytest.raises(ModelError, match="'en' is bundled"):
        download("en", collection)
    with pytest.raises(ModelError, match="no index of models: give --index"):
        download("toy")


def test_a_download_that_breaks_off_goes_on(site: Site, cache: Path) -> None:
    site.breaks_after = 1000
    for have in (1000, 2000):
        with pytest.raises(ModelError, match=f"broke off after {have:,} of .*to go on from there"):
            download("toy", site.url)
        assert left_behind(cache) == ["toy@1.niwaki.part", "toy@1.niwaki.part.json"]
        assert cached_models() == {}
    site.breaks_after = None
    path = download("toy", site.url)
    assert path.read_bytes() == site.files["/toy.niwaki"]
    assert left_behind(cache) == ["toy@1.niwaki"]
    asked = [said for name, said in site.requests if name == "/toy.niwaki"]
    assert asked == ["", "bytes=1000-", "bytes=2000-"]


def test_a_file_that_changed_meanwhile_is_fetched_anew(site: Site, cache: Path) -> None:
    broken_off(site)
    site.etag = '"two"'
    assert download("toy", site.url).read_bytes() == site.files["/toy.niwaki"]
    assert left_behind(cache) == ["toy@1.niwaki"]


def test_an_index_that_changed_meanwhile(site: Site, cache: Path, model_path: Path) -> None:
    broken_off(site)
    parts = taken_apart(model_path)
    parts["config.json"]["card"]["description"] = "Another one."
    folder = cache.parent / "other"
    folder.mkdir()
    put_together(folder / "toy.niwaki", parts)
    index_folder(folder)
    site.files = {f"/{path.name}": path.read_bytes() for path in folder.iterdir()}
    assert download("toy", site.url).read_bytes() == site.files["/toy.niwaki"]
    assert site.requests[-1] == ("/toy.niwaki", "")


def test_a_server_that_cannot_go_on(site: Site, cache: Path) -> None:
    broken_off(site)
    site.ranges = False
    assert download("toy", site.url).read_bytes() == site.files["/toy.niwaki"]
    assert left_behind(cache) == ["toy@1.niwaki"]


def test_a_server_without_validators_is_begun_anew(site: Site, cache: Path) -> None:
    site.etag, site.breaks_after = "", 1000
    with pytest.raises(ModelError, match=r"broke off after 1,000 .*; run it again$"):
        download("toy", site.url)
    assert left_behind(cache) == []
    site.breaks_after = None
    assert download("toy", site.url).is_file()


def test_a_weak_validator_is_none(site: Site, cache: Path) -> None:
    site.etag, site.breaks_after = 'W/"one"', 1000
    with pytest.raises(ModelError, match="broke off"):
        download("toy", site.url)
    assert left_behind(cache) == []


def test_a_server_that_goes_on_elsewhere(site: Site) -> None:
    broken_off(site)
    site.wrong_range = True
    with pytest.raises(ModelError, match="the server sent other bytes than it was asked for"):
        download("toy", site.url)


def test_what_came_of_a_part_is_checked_too(site: Site, cache: Path) -> None:
    broken_off(site)
    part = cache / "models" / "toy@1.niwaki.part"
    part.write_bytes(b"x" * 1000)
    with pytest.raises(ModelError, match="nothing is kept"):
        download("toy", site.url)
    assert left_behind(cache) == []
    assert download("toy", site.url).is_file()


def test_a_part_that_is_whole_or_longer(site: Site, cache: Path) -> None:
    for more in (b"", b"more"):
        broken_off(site)
        (cache / "models" / "toy@1.niwaki.part").write_bytes(site.files["/toy.niwaki"] + more)
        path = download("toy", site.url)
        assert path.read_bytes() == site.files["/toy.niwaki"]
        path.unlink()


@pytest.mark.parametrize("notes", ["", "[]", "{}", '{"sha256": 3, "validator": 3}'])
def test_notes_that_say_nothing(site: Site, cache: Path, notes: str) -> None:
    broken_off(site)
    (cache / "models" / "toy@1.niwaki.part.json").write_text(notes)
    assert download("toy", site.url).is_file()
    assert site.requests[-1] == ("/toy.niwaki", "")


def broken_off(site: Site) -> None:
    """A download that broke off after a thousand bytes."""
    site.breaks_after = 1000
    with pytest.raises(ModelError, match="broke off"):
        download("toy", site.url)
    site.breaks_after = None


# -- hostile ------------------------------------------------------------------------------


def refused(site: Site, cache: Path, reason: str) -> None:
    with pytest.raises(ModelError) as caught:
        download("toy", site.url)
    assert reason in str(caught.value)
    assert str(caught.value).isprintable()
    assert left_behind(cache) == []
    assert cached_models() == {}


def test_other_bytes(site: Site, cache: Path) -> None:
    data = bytearray(site.files["/toy.niwaki"])
    data[-1] ^= 1
    site.files["/toy.niwaki"] = bytes(data)
    refused(site, cache, "bytes with the SHA-256")


def test_a_file_that_is_cut(site: Site, cache: Path) -> None:
    site.files["/toy.niwaki"] = site.files["/toy.niwaki"][:-10]
    refused(site, cache, "gives a file of")


def test_a_file_that_is_too_long(site: Site, cache: Path) -> None:
    site.files["/toy.niwaki"] += b"more"
    refused(site, cache, "gives a file of")
    site.length = -1  # it does not say so beforehand
    refused(site, cache, "gives more bytes than that")


def test_what_is_no_model(site: Site, cache: Path) -> None:
    page = b"<html>Sign in first</html>"
    site.files["/toy.niwaki"] = page
    site.index(size=len(page), sha256=hashlib.sha256(page).hexdigest())
    refused(site, cache, "not a niwaki model")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/toy", "data:,x"])
@pytest.mark.parametrize("path", ["/toy.niwaki", "/index.json"])
def test_redirects_out_of_the_web(site: Site, cache: Path, path: str, target: str) -> None:
    site.redirects[path] = target
    refused(site, cache, f"redirects to '{target}', which is not followed")


def test_redirects_within_it(site: Site, cache: Path) -> None:
    site.files["/elsewhere"] = site.files["/toy.niwaki"]
    site.redirects["/toy.niwaki"] = "/elsewhere"
    assert download("toy", site.url).is_file()


def test_redirects_without_end(site: Site, cache: Path) -> None:
    site.redirects["/toy.niwaki"] = "/toy.niwaki"
    refused(site, cache, "redirects to '/toy.niwaki', which is not followed")


def test_names_that_lead_elsewhere(site: Site, cache: Path) -> None:
    site.index(name="../../toy")
    refused(site, cache, "name is '../../toy'")
    site.index(name="toy", file="../toy.niwaki")
    refused(site, cache, "file is '../toy.niwaki'")
    site.index(file="toy.niwaki", version="1/../../x")
    refused(site, cache, "version is '1/../../x'")


def test_files_that_are_not_there(site: Site, cache: Path, collection: Path) -> None:
    del site.files["/toy.niwaki"]
    refused(site, cache, "the server answers 404 'Not Found'")
    del site.files["/index.json"]
    refused(site, cache, "index.json: the server answers 404")
    (collection / "toy.niwaki").unlink()
    with pytest.raises(ModelError, match=r"no file 'toy\.niwaki' in"):
        download("toy", collection)
    os.mkfifo(collection / "toy.niwaki")
    with pytest.raises(ModelError, match=r"no file 'toy\.niwaki' in"):
        download("toy", collection)
    assert left_behind(cache) == []


def test_an_index_without_end(site: Site, cache: Path) -> None:
    site.files["/index.json"] = b" " * (5 << 20)
    refused(site, cache, "more than 4,194,304 bytes")


def test_nobody_listens(cache: Path) -> None:
    with serving(Site({})) as gone:
        pass
    with pytest.raises(ModelError, match=r"index\.json: no connection \(.*\); try again later"):
        download("toy", gone.url)
    assert left_behind(cache) == []


def test_two_at_once(site: Site, cache: Path) -> None:
    (cache / "models").mkdir(parents=True)
    with open(cache / "models" / "toy@1.niwaki.part", "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="another process fetches it"):
            download("toy", site.url)
    assert download("toy", site.url).is_file()


# -- versions, lists, packages ------------------------------------------------------------


def test_a_new_version_takes_the_place_of_the_old_one(
    collection: Path, cache: Path, model_path: Path
) -> None:
    download("toy", collection)
    parts = taken_apart(model_path)
    parts["config.json"]["card"]["description"] = "Another one."
    put_together(collection / "toy.niwaki", parts)
    index_folder(collection)
    (listed,) = (each for each in models(collection) if each.name == "toy")
    assert (listed.where, listed.entry.version, listed.newer) == ("downloaded", "1", "2")
    download("toy", collection)
    assert left_behind(cache) == ["toy@2.niwaki"]
    assert load("toy").config["card"]["description"] == "Another one."


@pytest.fixture
def package(collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The collection as an installed package."""
    folder = tmp_path / "installed"
    record = folder / "toy_models-1.dist-info"
    record.mkdir(parents=True)
    (folder / "toy_models.py").write_text(f"FOLDER = {os.fspath(collection)!r}\n")
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-models\nVersion: 1\n")
    (record / "entry_points.txt").write_text("[niwaki.indexes]\ntoy-models = toy_models:FOLDER\n")
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("toy_models", None)


def test_models_of_a_package_need_no_download(package: Path, cache: Path) -> None:
    assert load("toy").parser is not None
    assert {each.name: each.where for each in models()}["toy"] == "package"
    assert left_behind(cache) == []
    download("toy", "toy-models")
    assert left_behind(cache) == ["toy@1.niwaki"]
    with pytest.raises(ModelError, match=r"no index 'toy-model': .*did you mean 'toy-models'"):
        download("toy", "toy-model")


def test_an_index_that_tells_nothing_hides_no_names(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index in ("https://host.invalid/models/", "no-such-folder"):
        monkeypatch.setenv("NIWAKI_INDEX", index)
        with pytest.raises(ModelError, match="did you mean 'toy'"):
            load("tyo")


def test_a_package_that_fails(package: Path) -> None:
    (package / "toy_models.py").write_text("raise KeyError('a\\nb')\n")
    with pytest.raises(ModelError, match=r"its package fails with .*install the package again"):
        download("toy")


def test_commands(
    collection: Path, site: Site, capsys: pytest.CaptureFixture[str], cache: Path
) -> None:
    assert cli.main(["index-models", str(collection)]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("toy ")
    assert cli.main(["models", "--index", site.url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["name", "language", "version"]
    assert any(line.startswith("toy ") and " available " in line for line in lines)
    assert cli.main(["download", "toy", "--index", site.url]) == 0
    assert "toy@1.niwaki" in capsys.readouterr().out
    assert cli.main(["models", "--json"]) == 0
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)["models"]}
    assert listed["toy"]["where"] == "downloaded"
    assert {"version", "size", "licence", "scores", "sha256", "treebank"} <= set(listed["toy"])
    assert listed["en"]["where"] == "bundled"


def test_what_is_at_hand_is_listed_without_a_connection(
    collection: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    download("toy", collection)
    with serving(Site({})) as gone:
        pass
    assert cli.main(["models", "--index", gone.url]) == 1
    printed = capsys.readouterr()
    assert "\ntoy " in printed.out
    assert printed.err.startswith(f"niwaki: {gone.url}index.json: no connection")
    assert printed.err.count("\n") == 1


def test_an_older_version_is_not_newer(collection: Path) -> None:
    index = collection / "index.json"
    index.write_text(index.read_text().replace('"version": "1"', '"version": "2"'))
    download("toy", collection)
    index.write_text(index.read_text().replace('"version": "2"', '"version": "1"'))
    (toy,) = (each for each in models(collection) if each.name == "toy")
    assert (toy.where, toy.newer) == ("downloaded", "")


def test_an_index_without_models(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text('{"format": 1, "models": []}')
    with pytest.raises(ModelError, match="the index has no models"):
        download("toy", tmp_path)


def test_a_model_that_is_damaged_in_the_cache_is_fetched_again(collection: Path) -> None:
    path = download("toy", collection)
    path.write_bytes(path.read_bytes()[:-1])
    assert {each.name: each.where for each in models(collection)}["toy"] == "available"
    with pytest.raises(ModelError, match="damaged"):
        load("toy")
    download("toy", collection)
    assert load("toy").parser is not None


def test_a_model_for_a_task_is_not_listed(cache: Path) -> None:
    folder = cache / "models"
    folder.mkdir(parents=True)
    write_model_file(folder / "task@1.niwaki", {"config.json": {"kind": "roles"}})
    names = [each.name for each in models()]
    assert "en" in names and "task" not in names and "en-roles" not in names
