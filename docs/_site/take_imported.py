"""Takes the picture of robots of public packages, each driven on its own console, for docs/gallery.md.

``SHARNIR_KERNELS=general python docs/_site/take_imported.py`` drives all of them, names take some of them alone. It
needs Chromium, example-robot-data, gymnasium-robotics and pybullet.
"""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from take_console import console, opened, until

from sharnir.view.pictures import ARGUMENTS, chromium

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.importing.wheels import folder_of

FOLDER = Path(__file__).resolve().parents[1] / "pictures" / "robots"
WINDOW = (1100, 720)  # pixels
TIME = 1.5  # s that a robot is driven for before its picture is taken
QUALITY = 80
LEGGED = ("--base", "free", "--ground")


@dataclass(frozen=True)
class Robot:
    """A file of a package, how ``sharnir drive`` reads it, and where its sliders are pushed: by what their names hold,
    rad, all others by a ``share`` of the way from their start to an end."""

    package: str
    file: str
    how: tuple[str, ...] = ()
    targets: tuple[tuple[str, float], ...] = ()
    share: float = 0.2


ROBOTS = {
    "anymal": Robot(
        "example_robot_data",
        "anymal_b_simple_description/robots/anymal.urdf",
        LEGGED,
        (("F_HFE", 0.5), ("F_KFE", -1.0), ("H_HFE", -0.5), ("H_KFE", 1.0), ("HAA", 0.0)),
    ),
    "panda": Robot(
        "example_robot_data",
        "panda_description/urdf/panda.urdf",
        targets=(("joint2", -0.3), ("joint4", -2.0), ("joint6", 1.9), ("finger", 0.03)),
    ),
    "laikago": Robot(  # drawn with y up
        "pybullet_data",
        "laikago/laikago_toes_limits.urdf",
        (*LEGGED, "--up", "y"),
        (("lower_leg", -0.9), ("upper_leg", 0.5), ("hip", 0.0)),
    ),
    "hand": Robot("gymnasium_robotics", "envs/assets/hand/reach.xml"),
}
PUSH = """([targets, share]) => {
  const found = sharnir.world.panel.groups.flatMap(({ widgets }) => widgets).filter(({ kind }) => kind === "slider");
  for (const [i, { name, low, high }] of found.entries()) {
    const start = Math.min(Math.max(0, low), high);
    const told = targets.find(([part]) => name.includes(part));
    sharnir.link.set(name, told ? told[1] : start + share * ((i % 2 ? low : high) - start));
  }
  return found.length;
}"""
IN_CONTROL = """() => {
  if (sharnir.link.chain.state === "held") sharnir.link.send({ do: "enable" }); // this machine was too slow
  return sharnir.link.mayDrive;
}"""
ALL_PIXELS = """() => {
  const { view } = sharnir;
  view.renderer.setAnimationLoop(null);
  view.quality.refine(true, performance.now());
  view.redraw();
  document.getElementById("toasts").replaceChildren();
}"""


def take(browser: Any, robot: Robot) -> Image.Image:
    """A robot on its console, its joints where the sliders were pushed."""
    folder = folder_of(robot.package)
    if folder is None:
        raise SystemExit(f"{robot.package} is not installed")
    with console(str(folder / robot.file), *robot.how) as links:
        page = opened(browser, links["operator"], WINDOW, "light")
        until(page, 0.2)
        page.wait_for_function(IN_CONTROL)
        driven = page.evaluate(PUSH, [robot.targets, robot.share])
        until(page, page.evaluate("sharnir.link.frame.time") + TIME)
        page.evaluate(ALL_PIXELS)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        page.close()
    print(f"{robot.file}: {driven} sliders", flush=True)
    return shot


def main(names: list[str]) -> None:
    """Take the robots named, or all of them as one sheet."""
    os.environ.setdefault("SHARNIR_KERNELS", "general")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        shots = [take(browser, ROBOTS[name]) for name in names or ROBOTS]
        browser.close()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if names:
        for name, shot in zip(names, shots, strict=True):
            shot.save(FOLDER / f"driven-{name}.webp", quality=QUALITY, method=6)
        return
    width, height = WINDOW
    sheet = Image.new("RGB", (2 * width, 2 * height))
    for i, shot in enumerate(shots):
        sheet.paste(shot, (width * (i % 2), height * (i // 2)))
    sheet.save(FOLDER / "driven.webp", quality=QUALITY, method=6)


if __name__ == "__main__":
    main(sys.argv[1:])
