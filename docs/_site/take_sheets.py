"""Takes sheets for the gallery: robots and examples by day, under clouds and at night, on a desktop and on a phone.

``SHARNIR_KERNELS=general python docs/_site/take_sheets.py`` takes all, names take these. ``--before FOLDER`` puts
pictures that were taken earlier (``NAME.webp``) beside them. The card of an example is taken anew, too. It needs
Chromium.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page
from take_pictures import CARD, PLOTTED, WHEN, ball_about
from take_pictures import FOLDER as CARDS

from sharnir.experiment import Experiment, list_examples, load_example
from sharnir.view.pictures import SHOW, player
from sharnir.view.recording import Recording, recording_of
from sharnir.view.robots import ROBOTS

FOLDER = Path(__file__).resolve().parents[1] / "pictures" / "sheets"
LIGHTS = ("day", "overcast", "night")
DESKTOP, PHONE = (480, 300), (174, 300)  # pixels of the view
WIDE = (800, 500)  # of a card
SETTLED = 0.4  # s of a robot's run that is shown
QUALITY = 80


def run_of(name: str) -> tuple[Recording, float]:
    """What is shown of a robot or an example, and when (s)."""
    if name in ROBOTS:
        experiment: Experiment = ROBOTS[name]()
        experiment.time = SETTLED
        return recording_of(experiment.scene, experiment.run().world(0)), SETTLED
    experiment = load_example(name)
    run = experiment.run().world(0)
    instant = int(WHEN.get(name, 0.5) * (len(run.time) - 1))
    recording = recording_of(experiment.scene, run)
    recording.world["focus"] |= ball_about(experiment.scene, run, recording.world["bodies"], instant)
    recording.world["followed"] = -1
    return recording, float(run.time[instant] - run.time[0])


def shot(page: Page, size: tuple[int, int], time: float) -> Image.Image:
    """The view as large as asked for, at its home."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("() => { sharnir.view.resize(); sharnir.view.cameras.home() }")
    page.evaluate(SHOW, time)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def take(name: str, before: Path | None) -> None:
    """One sheet: the three lights in columns, wide above narrow, and the picture before, where there is one."""
    recording, time = run_of(name)
    with player(recording, WIDE, "light", True) as page:
        page.evaluate("() => sharnir.view.overlay('contacts', false)")
        card = shot(page, WIDE, time)
        columns = []
        for light in LIGHTS:
            page.evaluate("(light) => sharnir.view.light(light)", light)
            columns.append((shot(page, DESKTOP, time), shot(page, PHONE, time)))
    if name not in ROBOTS and name not in PLOTTED:
        card.resize((CARD, CARD * WIDE[1] // WIDE[0])).save(CARDS / f"{name}.webp", quality=QUALITY, method=6)
    old = before / f"{name}.webp" if before else None
    sheet = Image.new("RGB", (3 * DESKTOP[0], 2 * DESKTOP[1]), "white")
    for i, (wide, narrow) in enumerate(columns):
        sheet.paste(wide, (i * DESKTOP[0], 0))
        sheet.paste(narrow, (i * PHONE[0], DESKTOP[1]))
    if old is not None and old.exists():
        with Image.open(old) as image:
            small = image.convert("RGB").resize(DESKTOP)
        sheet.paste(small, (3 * DESKTOP[0] - DESKTOP[0], DESKTOP[1]))
    FOLDER.mkdir(parents=True, exist_ok=True)
    sheet.save(FOLDER / f"{name}.webp", quality=QUALITY, method=6)


def main() -> None:
    """Take the sheets of what is named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="robots and examples (all)")
    parser.add_argument("--before", type=Path, help="a folder with pictures that were taken earlier")
    options = parser.parse_args()
    for name in options.names or [*ROBOTS, *list_examples()]:
        take(name, options.before)
        print(f"{name}: {(FOLDER / f'{name}.webp').stat().st_size / 1024:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
