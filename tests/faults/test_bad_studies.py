"""Bad studies: one clear line each, and nothing lost."""

from __future__ import annotations

import errno
import json

import numpy as np
import pytest

import sharnir as sh
from sharnir.cli.command import main
from sharnir.experiment import load_example
from sharnir.studies import Study, open_study
from sharnir.studies.store import Store

MEASURE = ["hinge.angle final"]


def refused(capsys, *arguments: str) -> str:
    assert main(["sweep", *arguments]) == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1 and "Traceback" not in text
    return text


@pytest.mark.parametrize(
    ("vary", "hint"),
    [
        ("hinge.frition=10:30:5", "no number 'hinge.frition'; did you mean 'hinge.friction.level'"),
        ("dor.mass=1", "did you mean 'door.mass'"),
        ("door.x=1", "say which"),
        ("door.mass=", "--vary is 'door.mass='"),
        ("door.mass=1:2:0", "an empty range"),
        ("door.mass=1:1:5", "an empty range"),
        ("door.mass=3:2", "an empty range; give the smaller end first"),
        ("door.mass=normal(26)", "normal takes 2 or 4 numbers"),
        ("door.mass=normal(26,-2)", "deviation must be above zero"),
        ("door.mass=gauss(26,2)", "'gauss' is unknown"),
        ("door.mass=heavy", "'heavy', which is no number"),
        ("door.mass=1,2,1", "a value stands twice"),
        ("door.mass=1,nan", "finite"),
        ("door.mass=normal(26,2)", "say how many samples"),
        ("torque.hing=1", "no joint or body 'hing'; did you mean 'hinge'"),
    ],
)
def test_bad_spreads(capsys, vary, hint):
    assert hint in refused(capsys, "door", "--vary", vary, "--measure", MEASURE[0])


@pytest.mark.parametrize(
    ("measure", "hint"),
    [
        ("hinge.anle final", "no signal 'hinge.anle'; did you mean 'angle'"),
        ("hing.angle final", "did you mean 'hinge'"),
        ("hinge.angle finl", "'finl' is unknown; did you mean 'final'"),
        ("hinge.angle first above", "takes a number"),
        ("hinge.angle max 3", "takes no number"),
        ("hinge.angle quantile 3", "share from 0 to 1"),
        ("door.position max", "is a vector; add .x"),
    ],
)
def test_bad_measures(capsys, measure, hint):
    assert hint in refused(capsys, "door", "--vary", "door.mass=26", "--measure", measure)


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--samples", "5"], "nothing is random"),
        (["--time", "-1"], "above zero"),
        (["--every", "0"], "every"),
        (["--input", "torque.hinge"], "--input is 'torque.hinge'"),
        (["--input", "toque.hinge=1"], "give one of torque"),
        (["--input", "torque.hinge=a"], "give a number"),
        (["--cluster", "tcp://127.0.0.1:9"], "no Dask scheduler answers at tcp://127.0.0.1:9"),
        (["--cluster", "nonsense"], "cluster is 'nonsense'; give the address of a Dask scheduler"),
        (["--device", "toaster"], "no device 'toaster'"),
        (["--vary", "door.mass=27"], "--vary has 'door.mass' twice, as '26' and as '27'; give it once"),
        (["--input", "torque.hinge=1", "--input", "torque.hinge=2"], "--input has 'torque.hinge' twice"),
    ],
)
def test_bad_options(capsys, options, hint, monkeypatch):
    monkeypatch.setattr("sharnir.studies.workers.CLUSTER_WAIT", "1s")
    assert hint in refused(capsys, "door", "--vary", "door.mass=26", "--measure", MEASURE[0], *options)


def test_bad_files(capsys, tmp_path):
    study = tmp_path / "study.yaml"
    study.write_text("study: 1\nscene: door\nvari: {door.mass: 1}\nmeasure: [hinge.angle]\n")
    assert "line 3: unknown key 'vari'; did you mean 'vary'" in refused(capsys, str(study))
    assert "there is no study" in refused(capsys, "show", str(tmp_path / "none.zarr"))
    (tmp_path / "other.zarr").mkdir()
    assert "is not a study" in refused(capsys, "show", str(tmp_path / "other.zarr"))
    assert "needs the results" in refused(capsys, "show")


def begun(tmp_path, **changed) -> Study:
    details = {"measure": MEASURE, "time": 0.1, "dt": 0.01} | changed
    return Study(load_example("door").scene, {"torque.hinge": "21:30:4"}, **details)


def test_another_study_in_the_same_place_is_refused(tmp_path, capsys):
    begun(tmp_path).run(tmp_path / "s.zarr")
    with pytest.raises(sh.SceneError, match=r"begun with other time \(0.1, now 0.2\)"):
        begun(tmp_path, time=0.2).run(tmp_path / "s.zarr")
    with pytest.raises(sh.SceneError, match=r"with other measures \('hinge.angle final', now 'hinge.speed max'\)"):
        begun(tmp_path, measure=["hinge.speed max"]).run(tmp_path / "s.zarr")
    store = Store.open(tmp_path / "s.zarr")
    store.group.attrs["environment"] = store.about["environment"] | {"numpy": "1.26.0"}
    with pytest.raises(sh.SceneError, match=r"the version of numpy .* is 1\.26\.0, here it is"):
        begun(tmp_path).run(tmp_path / "s.zarr")
    shown = ["show", str(tmp_path / "s.zarr"), "--at"]
    assert "does not vary 'torque.hing'; did you mean" in refused(capsys, *shown, "torque.hing=1")
    assert "give numbers" in refused(capsys, *shown, "torque.hinge=a")
    assert "torque.hinge is 31; this study has 21 to 30" in refused(capsys, *shown, "torque.hinge=31")
    options = ["door", "--vary", "door.mass=26", "--measure", MEASURE[0]]
    assert "--at belongs to 'sharnir sweep show S.zarr'" in refused(capsys, *options, "--at", "torque.hinge=21")
    drawn = Study(load_example("door").scene, {"door.mass": "20:30"}, MEASURE, samples=3, time=0.1, dt=0.01)
    with pytest.raises(sh.SceneError, match="there is no sample 3; this study has samples 0 to 2"):
        drawn.run().open({"sample": 3})


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    whole = begun(tmp_path).run(tmp_path / "whole.zarr", chunk=1).values(MEASURE[0])[1]
    written, real = [], Store.write

    def full(self, piece, outcome, names):
        if len(written) == 2:
            from sharnir.studies.store import writing

            with writing(self.where):
                raise OSError(errno.ENOSPC, "No space left on device")
        written.append(piece)
        real(self, piece, outcome, names)

    monkeypatch.setattr(Store, "write", full)
    with pytest.raises(sh.SceneError, match="the disk is full; what was finished is kept"):
        begun(tmp_path).run(tmp_path / "s.zarr", chunk=1)
    monkeypatch.setattr(Store, "write", real)
    kept = open_study(tmp_path / "s.zarr")
    assert kept.finished == (2, 4)
    assert np.isfinite(kept.values(MEASURE[0])[1]).sum() == 2
    done = begun(tmp_path).run(tmp_path / "s.zarr")
    assert (done.values(MEASURE[0])[1] == whole).all()


@pytest.mark.parametrize("room", range(13))  # all writes that there are
def test_a_disk_that_is_full_after_any_write(tmp_path, monkeypatch, room):
    """The error says so, and the same study, given again, goes on or begins anew."""
    from zarr.storage import LocalStore

    real, written = LocalStore.set, []

    async def full(self, *given, **named):
        if len(written) == room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(given)
        await real(self, *given, **named)

    monkeypatch.setattr(LocalStore, "set", full)
    with pytest.raises(sh.SceneError, match="the disk is full"):
        begun(tmp_path).run(tmp_path / "s.zarr", chunk=2)
    monkeypatch.setattr(LocalStore, "set", real)
    done = begun(tmp_path).run(tmp_path / "s.zarr", chunk=2)
    assert done.finished == (4, 4) and np.unique(done.values(MEASURE[0])[1]).size == 4


def test_nothing_in_a_store_is_executed(tmp_path):
    begun(tmp_path).run(tmp_path / "s.zarr")
    for file in (tmp_path / "s.zarr").rglob("zarr.json"):
        json.loads(file.read_text())  # plain JSON and numbers
