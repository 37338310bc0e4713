"""The mechanics of a scene as matrices: freedoms, mass matrix, Jacobians, inverse dynamics, linearisation."""
