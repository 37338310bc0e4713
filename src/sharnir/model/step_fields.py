"""The arrays of the integrators, of what a step reports, and of what is read while it runs."""

from __future__ import annotations

from .field import Field, Fields, shared

FIELDS: Fields = {
    "memory": (
        # reactions of the joints and, of the leapfrog step, what it carries on, see dynamics/integrators/
        Field("reaction", "joint", "vec3", "N on b at its anchor when the last step began, world axes"),
        Field("reaction_torque", "angular", "vec3", "N m on b, likewise"),
        Field("reaction_now", "joint", "vec3", "N, the reaction brought to the end of the step"),
        Field("reaction_torque_now", "angular", "vec3", "N m, likewise"),
        Field("kick", None, "real", "s, the interval of the last kick; 0 before the first"),
        Field("was_smooth", None, "int", "1: the last step was of fourth order, and nothing was set since"),
        Field("mid_velocity", "leap_body", "vec3", "m/s in the middle of the last step"),
        Field("mid_spin", "leap_body", "vec3", "rad/s, of the momentum in the middle of the last step"),
        Field("start_velocity", "leap_body", "vec3", "m/s when the last step began, its kick known"),
        Field("start_spin", "leap_body", "vec3", "rad/s, likewise"),
        Field("kick_velocity", "leap_body", "vec3", "m/s by which the last whole kick changed the velocity"),
        Field("kick_spin", "leap_body", "vec3", "rad/s, likewise"),
        Field("kick_change", "leap_body", "vec3", "m/s by which that kick differed from the one before"),
        Field("kick_spin_change", "leap_body", "vec3", "rad/s, likewise"),
        Field("led_spin", "led_body", "vec3", "rad/s that leading onto the joints added in the last step"),
        Field("stiffened", "led_body", "sym33", "kg m^2 that geometric stiffness added last; stiffen"),
        Field("stiffness_mark", "led_body", "int", "whether that counts in the next step; stiffen"),
        Field("last_force", "leap_body", "vec3", "N, input of the last step"),
        Field("last_torque", "leap_body", "vec3", "N m, input of the last step"),
        Field("last_effort", "leap_coordinate", "real", "N or N m, input of the last step"),
        Field("last_gravity", None, "vec3", "m/s^2 in the last step"),
    ),
    "work": (
        # rows that lead onto the joints to second order, see dynamics/bias.py
        Field("kick", None, "real", "s, the interval over which forces act in this step; begin"),
        Field("gravity", None, "vec3", "m/s^2 over that interval; begin"),
        Field("is_led", None, "int", "1 once the bias is found; solver"),
        Field("spin_ahead", "led_body", "vec3", "rad/s, mean spin in the drift as far as it is known; solver"),
        Field("spin_gain", "led_body", "vec3", "rad/s, of which the momentum is constant in the drift; solver"),
        Field(
            "jolted", "leap_body", "int", "1: friction began or ceased to hold it, 2: began, to what is fixed; finish"
        ),
        Field("turning", "led_body", "vec2", "how it turns in the drift, see bias.py; solver"),
        Field("bias", "led_joint", "vec3", "m/s, half a step of J' V of the translations, world axes; solver"),
        Field("bow", "led_joint", "vec3", "m/s, the bias without the part that closes a gap; solver"),
        Field("bow_spin", "led_angular", "vec3", "rad/s, likewise; solver"),
        Field("bias_spin", "led_angular", "vec3", "rad/s, of the rotations; solver"),
        Field("bias_impulse", "led_joint", "vec3", "N s of the bias, apart from the warm start; solver"),
        Field("bias_angular", "led_angular", "vec3", "N m s, likewise; solver"),
        # the fourth-order step: how fast it started, and its accelerations
        Field("smooth", None, "int", "1 if this step was of fourth order; begin, with a budget"),
        Field("start_position", "rk4_body", "vec3", "m; begin"),
        Field("start_rotation", "rk4_body", "quat", "begin"),
        Field("start_velocity", "rk4_body", "vec3", "m/s; begin"),
        Field("start_spin", "rk4_body", "vec3", "rad/s; begin"),
        Field("size", "rk4_body", "real", "length of the rotation in the middle before it is made a unit; stages"),
        Field("start_acceleration", "rk4_body", "vec3", "m/s^2, acceleration at the start; stages"),
        Field("start_rotation_acceleration", "rk4_body", "quat", "1/s^2, second derivative of the rotation; stages"),
        Field("middle_acceleration", "rk4_body", "vec3", "m/s^2, the sum of the two in the middle; stages"),
        Field("middle_rotation_acceleration", "rk4_body", "quat", "1/s^2, likewise; stages"),
        Field("jump", "rk4_body", "real", "J, kinetic energy of the change of its acceleration times dt; stages"),
        Field("start_reaction", "rk4_joint", "vec3", "N, reaction at the start; stages"),
        Field("start_reaction_torque", "rk4_angular", "vec3", "N m, likewise; stages"),
        shared("recorded", "recorded_chunk", "chunk", "what is recorded, the worlds in turn, see recorded_block.py"),
        shared("tape", "tape_chunk", "chunk", "rows of what was recorded; record"),
        Field("tape_row", None, "int", "1 + the row of the tape that the next step takes; 0: it is not recorded"),
    ),
    # what every step reports, one value per world
    "report": (
        Field("step", None, "int", "steps done"),
        Field("iterations", None, "int", "of the last step"),
        Field("residual", None, "real", "largest change of an impulse in the last iteration, N s or N m s"),
        Field("joint_error", None, "real", "worst error of a locked axis when the step began, m or rad"),
        Field("done", None, "int", "1 once the iterations of this step have converged"),
        Field("fault", None, "int", "0, or why the world stopped: 1 not finite, 2 runaway"),
        Field("fault_body", None, "int", "the body it was seen on"),
        Field("contacts_lost", None, "int", "points that found no room in the list, in the last step"),
        Field("noticed", None, "int", "bits of what the host should warn of, see dynamics/watch.py"),
        Field("largest_turn", None, "real", "rad, of a body in one step since the start"),
        Field("turned_body", None, "int", "the body it was"),
        Field("opening", None, "real", "m or rad, of the joint that was open furthest beyond what a step should leave"),
        Field("opening_allowed", None, "real", "m or rad, what it should have left"),
        Field("opened_joint", None, "int", "the joint it was, if by its gap; -1 - joint, if by its tilt"),
        Field("fall_backs", None, "int", "steps since the start that another integrator had to make"),
    ),
    # what controllers and displays read while a simulation runs, see dynamics/measure.py
    "reading": (
        shared("center", "body", "vec3", "m, the centre of mass in the body's frame; constant"),
        shared("turns", "coordinate", "int", "its place among the twists, or -1; constant"),
        Field("coordinate", "coordinate", "real", "rad or m"),
        Field("rate", "coordinate", "real", "rad/s or m/s"),
        Field("origin", "body", "vec3", "m, the origin of the body's frame"),
        Field("origin_velocity", "body", "vec3", "m/s, of that origin"),
    ),
}
