"""Simulation: a scene, stepped, with its settings, its inputs and what reads it while it runs."""
