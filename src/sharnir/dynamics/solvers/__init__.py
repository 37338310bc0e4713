"""The solvers over the rows."""
