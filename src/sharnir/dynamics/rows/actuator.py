"""Actuators: the effort on a coordinate x with the rate u, how it will change with them, and what goes on inside.

An actuator is a line, F = force - damping (u - u_0) - stiffness (way), which ``soft.py`` adds to the row of its axis as
it does springs and dampers: slopes of F that calm the motion are implicit, so that oil and gas may be as stiff as they
like. What is inside (pressures, heat, activation) belongs to the instants of the poses, like a coordinate, and goes on
by the drift, once the rate in the middle of it is known:

    cylinder   V (p' - p)/(B h) = mean of Q(p) and Q(p') -+ A u      Q = c s sqrt(p_t - p), p_t the supply or the tank
               with z = p_t - p' a quadratic equation for sqrt(z); where the mean would carry p past p_t, Q(p') alone
    motor      T' = T_end + (T - T_end) exp(-h/t),  T_end = R_th R i^2 of the current of the step
    muscle     a' = s + (a - s) exp(-h/t)

A pressure that p' -> p - A u h B/V would change is a spring of A^2 B/V; the flow of the valve moves its rest.
"""

from ...model import actuator_numbers as at
from ..factory import Features, Made, Precision, factory, functions, wp

MOST_HELD = 0.4  # of a muscle that is pulled out: what it holds beyond its force
LEAST = 1e-3  # of its volume to which a chamber is squeezed at most


@factory
def make_actuator(p: Precision, features: Features) -> Made:
    real, vec2 = p.real, p.vec2
    func = functions(p)

    @wp.struct
    class Line:
        """F = force - damping (u - u_0) - stiffness h (u - flow)."""

        force: real  # N or N m
        damping: real  # N s/m or N m s/rad
        stiffness: real  # N/m or N m/rad
        flow: real  # m/s or rad/s at which the stiffness is not felt

    @func
    def numb(model, a: int, place: int, world: int) -> real:
        """A number of actuator a by its place, SI units."""
        return model.actuator_number[model.actuator_first[a] + place, world]

    # --- a motor with a controlled current ----------------------------------------------------------------------------

    @func
    def motor_effort(model, memory, command: real, a: int, world: int) -> real:
        """The command, as far as the present limit of the current goes."""
        warm = numb(model, a, wp.static(at.WARM), world)
        hot = numb(model, a, wp.static(at.HOT), world)
        share = wp.clamp((hot - memory.actuator_a[a, world]) / (hot - warm), real(0.0), real(1.0))
        most = (
            share * numb(model, a, wp.static(at.CURRENT), world) * wp.abs(numb(model, a, wp.static(at.TORQUE), world))
        )
        return wp.clamp(command, -most, most)

    @func
    def warm_up(model, memory, command: real, dt: real, a: int, world: int):
        """The winding's temperature above its surroundings after dt, K."""
        current = motor_effort(model, memory, command, a, world) / numb(model, a, wp.static(at.TORQUE), world)
        end = numb(model, a, wp.static(at.HEAT), world) * current * current
        fade = wp.exp(-dt / numb(model, a, wp.static(at.COOLING), world))
        memory.actuator_a[a, world] = end + (memory.actuator_a[a, world] - end) * fade

    # --- a cylinder ---------------------------------------------------------------------------------------------------

    @func
    def pressures(model, memory, a: int, world: int) -> vec2:
        """Of the chambers a and b, Pa; the memory has them beside those at the start."""
        return vec2(
            memory.actuator_a[a, world] + numb(model, a, wp.static(at.START_A), world),
            memory.actuator_b[a, world] + numb(model, a, wp.static(at.START_B), world),
        )

    @func
    def volumes(model, x: real, a: int, world: int) -> vec2:
        """Of the chambers a and b at the coordinate x, m^3."""
        dead = numb(model, a, wp.static(at.DEAD), world)
        way = x - numb(model, a, wp.static(at.RETRACTED), world)
        rest = numb(model, a, wp.static(at.STROKE), world) - way
        least = real(LEAST) * dead
        return vec2(
            wp.max(dead + numb(model, a, wp.static(at.AREA_A), world) * way, least),
            wp.max(dead + numb(model, a, wp.static(at.AREA_B), world) * rest, least),
        )

    @func
    def root(z: real) -> real:
        """The signed square root."""
        return wp.sign(z) * wp.sqrt(wp.abs(z))

    @func
    def pushed_to(goal: real, now: real, edge: real, give: real, drawn: real) -> real:
        """The pressure after a step: (p' - now)/give = the edge's flow - drawn, from or to a pressure ``goal``."""
        half = real(0.5) * edge
        left = (goal - now) / give + drawn - half * root(goal - now)  # = z/give + half root(z)
        r = (-half + wp.sqrt(half * half + real(4.0) * wp.abs(left) / give)) * real(0.5) * give
        if left * (goal - now) < real(0.0):  # past the goal: the flow at the end alone
            left = (goal - now) / give + drawn
            r = (-edge + wp.sqrt(edge * edge + real(4.0) * wp.abs(left) / give)) * real(0.5) * give
        return goal - wp.sign(left) * r * r

    @func
    def opening(command: real) -> real:
        """Of the valve, -1 to 1."""
        return wp.clamp(command, real(-1.0), real(1.0))

    @func
    def goals(model, command: real, a: int, world: int) -> vec2:
        """Where the valve connects the chambers a and b to, Pa."""
        supply = numb(model, a, wp.static(at.SUPPLY), world)
        if command >= real(0.0):
            return vec2(supply, real(0.0))
        return vec2(real(0.0), supply)

    @func
    def oil_spring(area: real, volume: real, now: real, goal: real, edge: real, bulk: real, dt: real) -> vec2:
        """Of one chamber over a step: force per way out, N/m, and the force that its flow adds in the time, N/s."""
        drop = wp.max(wp.abs(goal - now), real(1.0))
        give = volume / bulk + real(0.5) * dt * real(0.5) * edge / wp.sqrt(drop)
        return vec2(area * area / give, area * edge * root(goal - now) / give)

    @func
    def is_slack(now: real, out: real, relief: real) -> bool:
        """Whether a chamber lets oil out, or sucks it in, as its piston goes ``out``."""
        return (now >= relief and out <= real(0.0)) or (now <= real(0.0) and out >= real(0.0))

    @func
    def cylinder_line(model, memory, command: real, x: real, u: real, dt: real, a: int, world: int) -> Line:
        """Of a hydraulic cylinder."""
        area_a = numb(model, a, wp.static(at.AREA_A), world)
        area_b = numb(model, a, wp.static(at.AREA_B), world)
        bulk = numb(model, a, wp.static(at.BULK), world)
        relief = numb(model, a, wp.static(at.RELIEF), world)
        now = pressures(model, memory, a, world)
        volume = volumes(model, x, a, world)
        goal = goals(model, command, a, world)
        edge = numb(model, a, wp.static(at.VALVE), world) * wp.abs(opening(command))
        line = Line()
        line.force = now[0] * area_a - now[1] * area_b
        gain = real(0.0)
        if not is_slack(now[0], u, relief):
            spring = oil_spring(area_a, volume[0], now[0], goal[0], edge, bulk, dt)
            line.stiffness = line.stiffness + spring[0]
            gain = gain + spring[1]
        if not is_slack(now[1], -u, relief):
            spring = oil_spring(area_b, volume[1], now[1], goal[1], edge, bulk, dt)
            line.stiffness = line.stiffness + spring[0]
            gain = gain - spring[1]
        if line.stiffness > real(0.0):
            line.flow = gain / line.stiffness
        return line

    @func
    def fill(model, memory, command: real, x: real, u: real, dt: real, a: int, world: int):
        """The pressures at the end of the drift, from the coordinate in its middle."""
        bulk = numb(model, a, wp.static(at.BULK), world)
        relief = numb(model, a, wp.static(at.RELIEF), world)
        now = pressures(model, memory, a, world)
        volume = volumes(model, x + real(0.5) * dt * u, a, world)
        goal = goals(model, command, a, world)
        edge = numb(model, a, wp.static(at.VALVE), world) * wp.abs(opening(command))
        drawn_a = numb(model, a, wp.static(at.AREA_A), world) * u
        drawn_b = -numb(model, a, wp.static(at.AREA_B), world) * u
        after_a = pushed_to(goal[0], now[0], edge, bulk * dt / volume[0], drawn_a)
        after_b = pushed_to(goal[1], now[1], edge, bulk * dt / volume[1], drawn_b)
        memory.actuator_a[a, world] = wp.clamp(after_a, real(0.0), relief) - numb(
            model, a, wp.static(at.START_A), world
        )
        memory.actuator_b[a, world] = wp.clamp(after_b, real(0.0), relief) - numb(
            model, a, wp.static(at.START_B), world
        )

    # --- gas, muscle, map ---------------------------------------------------------------------------------------------

    @func
    def gas_line(model, x: real, a: int, world: int) -> Line:
        """Of a gas spring: p V^n is constant."""
        area = numb(model, a, wp.static(at.AREA), world)
        full = numb(model, a, wp.static(at.VOLUME), world)
        volume = wp.max(full + area * (x - numb(model, a, wp.static(at.REST), world)), real(LEAST) * full)
        exponent = numb(model, a, wp.static(at.EXPONENT), world)
        pressure = numb(model, a, wp.static(at.PRESSURE), world) * wp.pow(full / volume, exponent)
        line = Line()
        line.force = area * (pressure - numb(model, a, wp.static(at.AMBIENT), world))
        line.stiffness = exponent * area * area * pressure / volume
        return line

    @func
    def hill_law(v: real, hill: real) -> vec2:
        """The share of its force that a muscle has as it shortens at the share v of its fastest, and -d/dv of it."""
        if v >= real(1.0):
            return vec2(real(0.0), real(0.0))
        if v >= real(0.0):
            below = real(1.0) + v / hill
            return vec2((real(1.0) - v) / below, (real(1.0) + real(1.0) / hill) / (below * below))
        bend = real(MOST_HELD) * hill / (real(1.0) + hill)
        below = bend - v
        return vec2(real(1.0) - real(MOST_HELD) * v / below, real(MOST_HELD) * bend / (below * below))

    @func
    def activation(model, memory, command: real, last: real, a: int, world: int) -> real:
        """Of a muscle over the kick, 0 to 1."""
        if numb(model, a, wp.static(at.RISE), world) > real(0.0):
            return memory.actuator_a[a, world]
        return real(0.5) * (wp.clamp(command, real(0.0), real(1.0)) + wp.clamp(last, real(0.0), real(1.0)))

    @func
    def muscle_line(model, memory, command: real, last: real, x: real, u: real, a: int, world: int) -> Line:
        """Of a muscle: F = F_0 a f_l(x) f_v(u)."""
        length = numb(model, a, wp.static(at.LENGTH), world)
        width = numb(model, a, wp.static(at.WIDTH), world)
        off = (x / length - real(1.0)) / width
        reach = wp.max(real(1.0) - off * off, real(0.0))
        top = length * numb(model, a, wp.static(at.FASTEST), world)
        law = hill_law(-u / top, numb(model, a, wp.static(at.HILL), world))
        pull = numb(model, a, wp.static(at.FORCE), world) * activation(model, memory, command, last, a, world)
        line = Line()
        line.force = -pull * reach * law[0]
        line.damping = pull * reach * law[1] / top
        if reach > real(0.0):
            line.stiffness = wp.max(real(-2.0) * pull * law[0] * off / (width * length), real(0.0))
        return line

    @func
    def excite(model, memory, command: real, dt: real, a: int, world: int):
        """The muscle's activation after dt, by its rise time."""
        rise = numb(model, a, wp.static(at.RISE), world)
        end = wp.clamp(command, real(0.0), real(1.0))
        if rise > real(0.0):
            memory.actuator_a[a, world] = end + (memory.actuator_a[a, world] - end) * wp.exp(-dt / rise)
        else:
            memory.actuator_a[a, world] = end

    @func
    def segment(model, first: int, count: int, value: real, world: int) -> int:
        """The interval of a rising row of numbers that holds a value, or an end one."""
        i = int(0)
        while i + 2 < count and value > model.actuator_number[first + i + 1, world]:
            i += 1
        return i

    @func
    def map_line(model, x: real, u: real, a: int, world: int) -> Line:
        """Interpolated in both; beyond the ends as there, where it has no slope."""
        first = model.actuator_first[a]
        rows = int(numb(model, a, wp.static(at.COORDINATES), world))
        columns = int(numb(model, a, wp.static(at.SPEEDS), world))
        xs = first + wp.static(at.GRID)
        us = xs + rows
        i = segment(model, xs, rows, x, world)
        j = segment(model, us, columns, u, world)
        wide = model.actuator_number[xs + i + 1, world] - model.actuator_number[xs + i, world]
        high = model.actuator_number[us + j + 1, world] - model.actuator_number[us + j, world]
        right = (x - model.actuator_number[xs + i, world]) / wide
        up = (u - model.actuator_number[us + j, world]) / high
        s = wp.clamp(right, real(0.0), real(1.0))
        r = wp.clamp(up, real(0.0), real(1.0))
        at_00 = us + columns + i * columns + j
        low = model.actuator_number[at_00, world] * (real(1.0) - r) + model.actuator_number[at_00 + 1, world] * r
        next = at_00 + columns
        top = model.actuator_number[next, world] * (real(1.0) - r) + model.actuator_number[next + 1, world] * r
        left = model.actuator_number[at_00, world] * (real(1.0) - s) + model.actuator_number[next, world] * s
        away = model.actuator_number[at_00 + 1, world] * (real(1.0) - s) + model.actuator_number[next + 1, world] * s
        line = Line()
        line.force = low * (real(1.0) - s) + top * s
        if s == right:
            line.stiffness = wp.max((low - top) / wide, real(0.0))
        if r == up:
            line.damping = wp.max((left - away) / high, real(0.0))
        return line

    # --- all of them --------------------------------------------------------------------------------------------------

    @func
    def actuator_line(model, memory, commands: vec2, x: real, u: real, dt: real, a: int, world: int) -> Line:
        """At the coordinate x and the rate u before the kick, and the commands of this step and the last.

        What follows its command at once has the mean of the two.
        """
        command = commands[0]
        last = commands[1]
        kind = model.actuator_kind[a]
        line = Line()
        if kind == wp.static(at.IDEAL):
            most = numb(model, a, 0, world)
            line.force = real(0.5) * (wp.clamp(command, -most, most) + wp.clamp(last, -most, most))
        elif kind == wp.static(at.MOTOR):
            line.force = real(0.5) * (
                motor_effort(model, memory, command, a, world) + motor_effort(model, memory, last, a, world)
            )
        elif kind == wp.static(at.CYLINDER):
            line = cylinder_line(model, memory, command, x, u, dt, a, world)
        elif kind == wp.static(at.GAS):
            line = gas_line(model, x, a, world)
        elif kind == wp.static(at.MUSCLE):
            line = muscle_line(model, memory, command, last, x, u, a, world)
        else:
            line = map_line(model, x, u, a, world)
        return line

    @func
    def rotor(model, a: int, world: int) -> real:
        """The inertia that goes along with the coordinate, kg or kg m^2."""
        if model.actuator_kind[a] == wp.static(at.MOTOR):
            return numb(model, a, wp.static(at.ROTOR), world)
        return real(0.0)

    @func
    def go_on(model, memory, command: real, x: real, u: real, dt: real, a: int, world: int):
        """What is inside, over the drift with the rate u from the coordinate x."""
        kind = model.actuator_kind[a]
        if kind == wp.static(at.MOTOR):
            warm_up(model, memory, command, dt, a, world)
        elif kind == wp.static(at.CYLINDER):
            fill(model, memory, command, x, u, dt, a, world)
        elif kind == wp.static(at.MUSCLE):
            excite(model, memory, command, dt, a, world)

    return locals()
