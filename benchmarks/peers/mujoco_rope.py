"""MuJoCo's own cable: from version 4 on a one-dimensional flex, a discrete elastic rod of point masses.

Its edges keep their length by soft equality constraints, here as stiff as MuJoCo lets them be (a time constant of two
steps); flexcomp shares the mass out evenly, so that of the last point is halved afterwards.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

XML = """<mujoco>
<option timestep="{dt}" integrator="{integrator}" solver="Newton" iterations="100" tolerance="1e-10"/>
<worldbody>
<flexcomp name="r" type="grid" dim="1" count="{points} 1 1" spacing="{segment} 1 1" pos="{middle} 0 0"
          radius="{radius}" mass="{mass}">
<edge equality="true" solref="{stiff} 1" solimp="0.9999 0.9999 0.001"/>
<elasticity young="{young}" shear="{shear}"/>
<contact contype="0" conaffinity="0" selfcollide="none"/>
<pin id="0"/>
</flexcomp>
</worldbody>
</mujoco>"""


def swing(
    steps: int,
    length: float,
    radius: float,
    density: float,
    bending: float,
    twisting: float,
    elements: int,
    integrator: str,
) -> tuple[Any, float]:
    """The tip after 1 s of falling from level in that many steps, and the seconds it took."""
    import mujoco

    mass = density * np.pi * radius**2 * length / elements * (elements + 1)
    xml = XML.format(
        dt=1 / steps,
        stiff=2 / steps,
        integrator=integrator,
        points=elements + 1,
        segment=length / elements,
        middle=length / 2,
        radius=radius,
        mass=mass,
        young=4 * bending / (np.pi * radius**4),
        shear=2 * twisting / (np.pi * radius**4),
    )
    model = mujoco.MjModel.from_xml_string(xml)
    tip = model.body(f"r_{elements}").id
    model.body_mass[tip] *= 0.5
    model.body_inertia[tip] *= 0.5
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)
    mujoco.mj_forward(model, data)
    begin = time.thread_time()
    mujoco.mj_step(model, data, steps)
    return data.xpos[tip].copy(), time.thread_time() - begin
