"""Simulations in real time: in a process of their own, paced by the clock, commanded, logged and repeatable."""
