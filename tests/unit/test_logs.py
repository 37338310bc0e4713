"""Logs: read from three kinds of files, in other units, refused where they are broken; and `sharnir identify`."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray as xr

import sharnir as sh
from sharnir.cli.command import main
from sharnir.experiment import load_example
from sharnir.studies.logs import make_log, noise_of, read_log, resolution_of

TIME = np.arange(0.0, 1.0, 0.005)  # s
INERTIA = 26.487360107 * (0.9**2 / 3 + 0.04**2 / 12)  # kg m^2, of the example's door
ANGLE = 0.5 * (50.0 - 20.0) / INERTIA * TIME**2  # rad: pushed by 50 N m against 20 N m of friction


def csv_text(angle=ANGLE, head="time [ms],angle [deg],torque [N m]") -> str:
    rows = [f"{1e3 * t:.6f},{np.degrees(a):.9f},50" for t, a in zip(TIME, angle, strict=True)]
    return "\n".join([head, *rows]) + "\n"


def test_csv_with_units(tmp_path):
    (tmp_path / "log.csv").write_text(csv_text())
    log = read_log(tmp_path / "log.csv")
    np.testing.assert_allclose(log.time, TIME, atol=1e-9)
    np.testing.assert_allclose(log.column("angle", "rad"), ANGLE, atol=1e-9)
    part = log.between(0.25, 0.75)
    assert part.time[0] == 0.0 and len(part.time) == 101


def test_netcdf_and_a_trajectory_of_our_own(tmp_path):
    data = xr.Dataset({"angle": ("time", ANGLE, {"units": "rad"})}, {"time": ("time", TIME, {"units": "s"})})
    data.to_netcdf(tmp_path / "log.nc", engine="h5netcdf")
    np.testing.assert_array_equal(read_log(tmp_path / "log.nc").column("angle", "rad"), ANGLE)
    experiment = load_example("door")
    experiment.time = 0.2
    run = experiment.run()
    run.save(tmp_path / "run.nc")
    log = read_log(tmp_path / "run.nc")
    hinge = experiment.scene.joints["hinge"]
    np.testing.assert_array_equal(log.column("hinge.angle", "rad"), run[hinge.angle].values)
    np.testing.assert_array_equal(log.column("hinge.angle effort", "N m"), run[hinge.effort()].values)


def test_mcap(tmp_path):
    writer_module = pytest.importorskip("mcap.writer")
    with (tmp_path / "log.mcap").open("wb") as file:
        writer = writer_module.Writer(file)
        writer.start()
        schema = writer.register_schema(name="numbers", encoding="jsonschema", data=b"{}")
        topics = [
            writer.register_channel(topic=t, message_encoding="json", schema_id=schema) for t in ("/fast", "/slow")
        ]
        for i, (time, angle) in enumerate(zip(TIME, ANGLE, strict=True)):
            now = round(1e9 * time)
            data = json.dumps({"angle [deg]": float(np.degrees(angle))}).encode()
            writer.add_message(topics[0], log_time=now, publish_time=now, data=data)
            if i % 10 == 0:
                data = json.dumps({"torque": 100.0 * float(time)}).encode()
                writer.add_message(topics[1], log_time=now, publish_time=now, data=data)
        writer.finish()
    log = read_log(tmp_path / "log.mcap")
    np.testing.assert_allclose(log.column("angle", "rad"), ANGLE, atol=1e-12)
    np.testing.assert_allclose(log.column("torque", "N m")[:190], 100.0 * TIME[:190], atol=1e-6)  # on straight lines


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "no rows below its names"),
        ("1,2\n3,4\n", "put the names of the columns there"),
        ("a,b\n1,2\n", "no column of time"),
        ("time,angle\n" + "0,1\n" * 20, "does not rise after row 1"),
        ("time,angle\n0,1\n1,x\n", "line 3, column 'angle': 'x' is no number"),
        ("time,angle\n0,1\n1\n", "line 3 has 1 cells"),
        ("time,angle\n0,1\n1,2\n", "2 whole rows; give 10 or more"),
        (csv_text(head="time [furlong],angle,torque"), "its time is in furlong"),
    ],
)
def test_broken_logs(tmp_path, text, hint):
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(sh.SceneError, match=hint):
        read_log(tmp_path / "log.csv")


def test_columns_in_other_units_are_refused():
    log = make_log(TIME, {"angle": ANGLE}, {"angle": "mm"})
    with pytest.raises(sh.SceneError, match="is in m, but it is used as rad"):
        log.column("angle", "rad")
    with pytest.raises(sh.SceneError, match="is in furlong, but it is used as rad"):
        make_log(TIME, {"angle": ANGLE}, {"angle": "furlong"}).column("angle", "rad")
    with pytest.raises(sh.SceneError, match="did you mean 'angle'"):
        log.column("angel", "rad")


def test_noise_and_the_step_of_an_encoder():
    rng = np.random.default_rng(0)
    smooth = np.sin(2 * np.pi * np.arange(0, 10, 0.002))
    assert noise_of(smooth + rng.normal(0, 1e-3, len(smooth))) == pytest.approx(1e-3, rel=0.05)
    step = 2 * np.pi / 1024
    assert resolution_of(np.round(smooth / step) * step) == pytest.approx(step)
    assert resolution_of(smooth + rng.normal(0, 1e-3, len(smooth))) == 0.0


def test_identify_from_the_shell(tmp_path, capsys):
    noisy = ANGLE + np.random.default_rng(1).normal(0.0, 2e-3, len(TIME))
    (tmp_path / "log.csv").write_text(csv_text(noisy))
    scene = load_example("door").scene.save(tmp_path / "door.yaml")
    command = ["identify", str(scene), str(tmp_path / "log.csv"), "--input", "torque", "--output", "hinge.angle"]
    saved, report = tmp_path / "found.yaml", tmp_path / "report.html"
    options = [
        "--free",
        "hinge.friction=2:45",
        "--dt",
        "0.005",
        "--save",
        str(saved),
        "--report",
        str(report),
        "--json",
    ]
    assert main([*command, *options]) == 0
    (found,) = json.loads(capsys.readouterr().out)["estimates"]
    assert found["low"] < 20.0 < found["high"] and found["high"] - found["low"] < 1.0
    assert sh.Scene.load(saved).joints["hinge"].friction["angle"].level == pytest.approx(found["value"])
    assert "data:image/png" in report.read_text()


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--free", "hinge.fricton"], "did you mean 'hinge.friction"),
        (["--free", "hinge.friction", "--output", "hinge.angle=angel"], "no column 'angel'"),
        (["--free", "hinge.friction", "--input", "torque.hinge=tork"], "no column 'tork'"),
        (["--free", "", "--output", "hinge.angle"], "nothing is free"),
        (["--free", "hinge.friction", "--delay", "soon"], "--delay is 'soon'"),
        (["--free", "hinge.friction=3:1"], "empty range"),
    ],
)
def test_bad_identifications(tmp_path, capsys, options, hint):
    (tmp_path / "log.csv").write_text(csv_text())
    given = options if "--output" in options else [*options, "--output", "hinge.angle"]
    assert main(["identify", "door", str(tmp_path / "log.csv"), *given]) == 2
    assert hint in capsys.readouterr().err
