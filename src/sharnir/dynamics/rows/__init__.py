"""The rows a solver works on: locks, limits, friction. Each file opens with its equation and symbols."""
