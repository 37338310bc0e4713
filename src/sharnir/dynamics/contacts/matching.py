"""Contacts kept from step to step, so that the solver starts from the impulses of the last one.

A new point is the old one of the same pair of shapes that lies nearest, seen from the body that moves: a wheel that
rolls and a box that slides keep theirs. What was found but cannot be reached within the step is dropped.
"""

from ..factory import Features, Made, Precision, factory, functions, wp
from .broad import SLACK
from .lead import make_lead

SAME = 0.25  # of a shape's radius: a point that moved no farther is the same one


@factory
def make_matching(p: Precision, features: Features) -> Made:
    if not features.contacts:
        return None
    real, vec3 = p.real, p.vec3
    func = functions(p)
    find_lead = make_lead(p, features).find_lead
    ENDLESS = wp.constant(real(1e15))

    @func
    def seen_from(model, state, i: int, work, world: int) -> vec3:
        """The contact's point from the body that moves."""
        body = model.shape_body[work.contact_a[i, world]]
        if model.inv_mass[body, world] == real(0.0):
            body = model.shape_body[work.contact_b[i, world]]
        return work.contact_point[i, world] - state.position[body, world]

    @func
    def size_of(model, work, i: int, world: int) -> real:
        """The smaller radius of the two shapes of contact i, m."""
        return wp.min(model.shape_radius[work.contact_a[i, world]], model.shape_radius[work.contact_b[i, world]])

    @func
    def velocity_at(model, state, work, body: int, point: vec3, world: int) -> vec3:
        """Of a body at a point, m/s."""
        return work.velocity[body, world] + wp.cross(work.spin[body, world], point - state.position[body, world])

    @func
    def is_reachable(model, state, work, dt: real, i: int, world: int) -> bool:
        """Whether contact i can close within about two steps."""
        gap = work.contact_gap[i, world]
        if gap <= real(SLACK) * size_of(model, work, i, world):
            return True
        point = work.contact_point[i, world]
        a = model.shape_body[work.contact_a[i, world]]
        b = model.shape_body[work.contact_b[i, world]]
        approach = velocity_at(model, state, work, a, point, world) - velocity_at(model, state, work, b, point, world)
        return gap < real(2.0) * dt * wp.dot(approach, work.contact_normal[i, world])

    @func
    def move(work, source: int, target: int, world: int):
        """Copy a point of the list to another place in it."""
        work.contact_a[target, world] = work.contact_a[source, world]
        work.contact_b[target, world] = work.contact_b[source, world]
        work.contact_normal[target, world] = work.contact_normal[source, world]
        work.contact_point[target, world] = work.contact_point[source, world]
        work.contact_gap[target, world] = work.contact_gap[source, world]
        work.contact_feature[target, world] = work.contact_feature[source, world]

    @func
    def drop_unreachable(model, state, work, dt: real, world: int):
        """Take the points off the list that cannot close in this step."""
        used = int(0)
        for i in range(work.contact_count[world]):
            if is_reachable(model, state, work, dt, i, world):
                if used < i:
                    move(work, i, used, world)
                used += 1
        work.contact_count[world] = used

    @func
    def link_kept(model, memory, work, settings, world: int):
        """The kept contacts of each shape a as a chain."""
        for i in range(settings.shapes):
            work.kept_first[i, world] = -1
        for i in range(memory.kept_count[world]):
            shape = memory.kept_a[i, world]
            work.kept_next[i, world] = work.kept_first[shape, world]
            work.kept_first[shape, world] = i

    @func
    def nearest_kept(model, memory, work, place: vec3, i: int, world: int) -> int:
        """The contact of the last step that point i continues, or -1."""
        best = int(-1)
        limit = real(SAME) * size_of(model, work, i, world)
        least = limit * limit
        old = work.kept_first[work.contact_a[i, world], world]
        while old >= 0:
            if memory.kept_b[old, world] == work.contact_b[i, world]:
                away = memory.kept_place[old, world] - place
                square = wp.dot(away, away)
                if square < least:
                    least = square
                    best = old
            old = work.kept_next[old, world]
        return best

    @func
    def lead(model, state, memory, work, dt: real, old: int, i: int, world: int):
        """What leads contact i through the drift, from what it has done since it was ``old`` (or -1)."""
        shift = vec3(ENDLESS, ENDLESS, ENDLESS)
        turned = shift
        if old >= 0:
            shift = work.contact_place[i, world] - memory.kept_place[old, world]
            turned = work.contact_normal[i, world] - memory.kept_normal[old, world]
        find_lead(model, state, work, dt, shift, turned, i, world)

    @func
    def keep_contacts(model, state, memory, work, settings, world: int):
        """Give the contacts found now the impulses of the last step, and remember them for the next."""
        drop_unreachable(model, state, work, settings.dt, world)
        link_kept(model, memory, work, settings, world)
        count = work.contact_count[world]
        for i in range(count):
            place = seen_from(model, state, i, work, world)
            work.contact_place[i, world] = place
            work.contact_start[i, world] = vec3()
            if wp.static(features.rolling):
                work.contact_start_roll_impulse[i, world] = vec3()
            if wp.static(features.tyres):
                work.contact_start_deflection[i, world] = vec3()
            old = nearest_kept(model, memory, work, place, i, world)
            if wp.static(features.integrator.leads):
                lead(model, state, memory, work, settings.dt, old, i, world)
            if old >= 0:
                work.contact_start[i, world] = memory.contact_impulse[old, world]
                if wp.static(features.rolling):
                    work.contact_start_roll_impulse[i, world] = memory.contact_roll_impulse[old, world]
                if wp.static(features.tyres):
                    work.contact_start_deflection[i, world] = memory.contact_deflection[old, world]
                memory.kept_b[old, world] = -1  # taken
        for i in range(count):
            memory.kept_a[i, world] = work.contact_a[i, world]
            memory.kept_b[i, world] = work.contact_b[i, world]
            memory.kept_place[i, world] = work.contact_place[i, world]
            memory.kept_normal[i, world] = work.contact_normal[i, world]
            memory.contact_impulse[i, world] = work.contact_start[i, world]
            if wp.static(features.rolling):
                memory.contact_roll_impulse[i, world] = work.contact_start_roll_impulse[i, world]
            if wp.static(features.tyres):
                memory.contact_deflection[i, world] = work.contact_start_deflection[i, world]
        memory.kept_count[world] = count

    return locals()
