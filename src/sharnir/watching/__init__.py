"""What looks wrong although it runs: every check behind a ``SimulationWarning``, and the list they are kept in."""
