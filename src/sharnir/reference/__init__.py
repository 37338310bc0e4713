"""The exact twin: the same scene solved as differential-algebraic equations, slowly and to many digits.

``solve`` integrates the spatial equations of motion with an implicit method of high order and adaptive steps; joints
are kept together by projection. Bristle friction (LuGre, Dahl) is the continuous system of [004]. Set-valued laws
(Coulomb, Stribeck) and limits switch at events that are located to 1e-13 s.

What it leaves out, or smears, and by how much:

- Friction vectors (ball and planar joints) keep their direction down to 1e-10 rad/s or m/s, and rest below 1e-9.
- An impact at a limit is shared by locked joints and motors; friction that follows the load takes no part in it.
- Where locked rows are redundant, their forces are those of an independent set of rows; motion does not depend on it,
  friction that follows the load does only if it is one of the undetermined forces.
- Prescribed motions are differentiated by interpolation, to about 1e-10 of what they are; those with corners that are
  not named as breaks are refused.
- Gears and couplings with losses, and catches, are refused by name; flanks of couplings with play are met without
  rebound.
- The flow of a valve is rounded off over a ten-thousandth of the supply pressure; so are suction and relief.
- Bodies whose inertia is below about 1e-9 of their neighbours' (m l^2) drown in rounding.
"""

from .solve import solve

__all__ = ["solve"]
