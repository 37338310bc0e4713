"""``sharnir`` with a server that is patient with its browsers: the tests' machine may stand still for a while.

What is waited for is the same, and in the same order; only the times are longer. The times that ship are in
tests/unit/test_console_times.py, and ``python -m benchmarks.console --browser`` measures what becomes of them.
"""

from __future__ import annotations

import sys

from sharnir.view import link, seat

TIMES = {"SLOW": 2.0, "DEAD_MAN": 5.0, "FROZEN": 9.0, "LOST": 60.0, "OLDEST": 30.0, "RELEASE_WITHIN": 60.0}  # s


def main() -> int:
    """Set the times, then go on as the command does."""
    for name, value in TIMES.items():
        for module in (link, seat):
            if hasattr(module, name):
                setattr(module, name, value)
    from sharnir.cli.command import main as command

    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
