"""Bending and twist between two frames along a rope ([002], equations 12 to 16), partly implicit.

    p = q_a^-1 q_b,  u = (2/l) Im p           curvature and twist of b against a, in a's axes
    E = (l/2) sum_k K_k (u_k - r_k)^2         r the curvature without load
    du/dt = H (w_b - w_a),  H = (1/l)(Re p - [Im p]x) R_a^T
    torque on b  = -H^T l K (u - r + damping du/dt), and the opposite on a

The torque at the end of the step is linearised: over a kick c of a step h it is
c H^T l K (u - r) + c (h + damping) H^T l K H (w_b' - w_a'). A round rope has K_1 = K_2; then, with s = R_a Im p and e
the third row of l H,

    l^2 H^T K H = K_1 (E - s s^T) + (K_3 - K_1) e e^T

The part of h K within the stable range of the explicit rule, a quarter of the element's own inertia, stays explicit, so
that a soft rope is not damped by the method.

The leapfrog step is of second order. There the implicit part of h^2 K acts on (w_b' - w_a') - (w_b - w_a), a third of
it (a quarter is what the trapezoidal rule has, stable but on the verge), and damping on a rate within the kick, half
way or, where that would swing, later. A little of the implicit part acts on w_b' - w_a' as well, in proportion to h and
the rope's lowest frequency: it takes out what is quicker than the step.

Through an eyelet a rope passes on its twist but no bending: the angle between a and b after b has been swung onto a
by the shortest way is psi = 2 atan2(p_z, p_w), its rate e . (w_b - w_a) with e = (d_a + d_b)/(1 + d_a . d_b), and the
torque on b is -(K_3/l) psi e. A rope that is folded back on itself (d_a . d_b = -1) has no such angle.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, wp

FOLDED = 0.01  # 1 + d_a . d_b below which a rope at an eyelet passes on no twist
STABLE = 0.25  # h^2 K/(l I) of a bend that stays explicit; the explicit rule is stable up to 1


@factory
def make_bend(p: Precision, features: Features) -> Made:
    leads = features.integrator.leads
    real, vec3, quat, mat33 = p.real, p.vec3, p.quat, p.mat33
    algebra = make_algebra(p)

    @wp.struct
    class Bend:
        """Angular impulse on b at rest, and the implicit stiffness that acts on w_b - w_a."""

        twirl: vec3
        stiff: mat33

    @wp.struct
    class Law:
        """Of a bend: N m^2 of bending (twice) and twist, 1/m without load, m between the middles of its sides, and by
        how many seconds the rates after and before the kick are to be counted."""

        stiffness: vec3
        rest: vec3
        length: real
        after: vec3
        before: vec3

    @wp.func
    def implicit_share(stiffness: real, inertia: real, length: real, dt: real) -> real:
        """The share of a stiffness that is beyond the stable range of the explicit rule."""
        whole = dt * dt * stiffness
        stable = wp.static(real(STABLE)) * inertia * length
        if whole <= stable:
            return real(0.0)
        return real(1.0) - stable / whole

    @wp.func
    def conductance(side: quat, im: vec3, re: real, stiff: vec3) -> mat33:
        """l^2 H^T K H for K = ``stiff``, with ``side`` the orientation of a."""
        aside = wp.quat_rotate(side, im)
        along = wp.quat_rotate(side, vec3(im[1], -im[0], re))  # the third row of l H
        swing = algebra.diagonal(stiff[0]) - stiff[0] * wp.outer(aside, aside)
        return swing + (stiff[2] - stiff[0]) * wp.outer(along, along)

    @wp.func
    def bend_between(a: quat, b: quat, turning: vec3, law: Law, kick: real) -> Bend:
        """``turning`` is w_b - w_a before the kick."""
        relative = wp.quat_inverse(a) * b
        side = real(1.0)
        if relative[3] < real(0.0):
            side = real(-1.0)
        im = side * vec3(relative[0], relative[1], relative[2])
        re = side * relative[3]
        moment = wp.cw_mul(law.stiffness, real(2.0) / law.length * im - law.rest)
        made = Bend()
        made.twirl = -kick * wp.quat_rotate(a, re * moment + wp.cross(im, moment))  # -kick l H^T K (u - r)
        if wp.max(law.after) > real(0.0):
            made.stiff = conductance(a, im, re, kick / law.length * wp.cw_mul(law.stiffness, law.after))
        if wp.static(leads):
            if wp.max(law.after) > real(0.0):
                before = conductance(a, im, re, kick / law.length * wp.cw_mul(law.stiffness, law.before))
                made.twirl = made.twirl - before * turning
        return made

    @wp.func
    def twist_between(a: quat, b: quat, turning: vec3, law: Law, kick: real) -> Bend:
        """Twist alone, through an eyelet."""
        made = Bend()
        ahead_a = algebra.ahead(a)
        ahead_b = algebra.ahead(b)
        apart = real(1.0) + wp.dot(ahead_a, ahead_b)
        if apart > wp.static(real(FOLDED)):
            relative = wp.quat_inverse(a) * b
            side = real(1.0)
            if relative[3] < real(0.0):
                side = real(-1.0)
            angle = real(2.0) * wp.atan2(side * relative[2], side * relative[3])
            axis = real(1.0) / apart * (ahead_a + ahead_b)
            stiff = kick * law.stiffness[2] / law.length
            moment = angle - law.length * law.rest[2] + law.before[2] * wp.dot(axis, turning)
            made.twirl = -(stiff * moment) * axis
            made.stiff = stiff * law.after[2] * wp.outer(axis, axis)
        return made

    return locals()
