"""Robots of public wheels, imported: how many load and run, and how well they agree with the engines they are made for.

``python -m benchmarks.importing`` tries every URDF and SDF of pybullet's and example-robot-data's wheels, and every
MJCF of dm-control's, gymnasium-robotics' and mujoco-warp's, and every USD of newton's, as far as they are installed.
For each it does five things, or those that are asked for:

- ``load``: here, and in the engine that the wheel belongs to
- ``compare``: poses, mass matrix, gravity, bias and forward dynamics at random states, with Pinocchio or MuJoCo
- ``run``: 2 s at 2 ms, standing or falling
- ``trips``: written as YAML and read again, to the bit; a URDF as URDF, the same robot
- ``rivals``: whether Pinocchio, MuJoCo and Bullet load it

Each robot has a process of its own, with a bound on its processor time. What is done is kept in ``--out`` at once; the
next call goes on from there.
"""
