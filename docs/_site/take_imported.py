"""Takes the picture of robots of public packages, each driven on its own console, for docs/gallery.md.

``SHARNIR_KERNELS=general python docs/_site/take_imported.py`` drives all of them, names take some of them alone. It
needs Chromium, example-robot-data, gymnasium-robotics and pybullet.
"""

from __future__ import annotations

import io
import os
import sys
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
SHARE = 0.2  # of the way to the end of their sliders that its joints are driven
QUALITY = 80
ROBOTS = {
    "anymal": ("example_robot_data", "anymal_b_simple_description/robots/anymal.urdf"),
    "panda": ("example_robot_data", "panda_description/urdf/panda.urdf"),
    "laikago": ("pybullet_data", "laikago/laikago_toes.urdf"),
    "hand": ("gymnasium_robotics", "envs/assets/hand/reach.xml"),
}
SLIDERS = """(share) => {
  const found = sharnir.world.panel.groups.flatMap(({ widgets }) => widgets).filter(({ kind }) => kind === "slider");
  for (const [i, { name, low, high }] of found.entries()) {
    const start = Math.min(Math.max(0, low), high);
    sharnir.link.set(name, start + share * ((i % 2 ? low : high) - start));
  }
  return found.length;
}"""


def take(browser: Any, name: str) -> Image.Image:
    """A robot on its console, its joints where the sliders were pushed."""
    module, file = ROBOTS[name]
    folder = folder_of(module)
    if folder is None:
        raise SystemExit(f"{module} is not installed")
    with console(str(folder / file)) as links:
        page = opened(browser, links["operator"], WINDOW, "light")
        until(page, 0.2)
        driven = page.evaluate(SLIDERS, SHARE)
        until(page, TIME)
        page.evaluate("() => { sharnir.view.fresh = sharnir.view.stale = true; sharnir.view.render() }")
        page.evaluate("() => document.getElementById('toasts').replaceChildren()")
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        page.close()
    print(f"{name}: {driven} sliders", flush=True)
    return shot


def main(names: list[str]) -> None:
    """Take the robots named, or all of them as one sheet."""
    os.environ.setdefault("SHARNIR_KERNELS", "general")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        shots = [take(browser, name) for name in names or ROBOTS]
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
