"""How much of a robot is read."""

MOST_LINKS = 4000
