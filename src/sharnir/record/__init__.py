"""Recorded runs: trajectories, signals, plots."""
