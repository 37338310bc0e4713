"""Steps on the tape: inputs come from it, what is recorded goes there, see ``model/recorded_block.py``."""

from .factory import Made, Precision, factory, functions


@factory
def make_tape(p: Precision) -> Made:
    func = functions(p)

    @func
    def first_chunk(work, settings, world: int) -> int:
        """Where the row of the tape that is the world's turn begins."""
        worlds = work.tape_row.shape[0]
        return ((work.tape_row[world] - 1) * worlds + world) * settings.block_chunks

    @func
    def play(work, settings, left: int, world: int) -> int:
        """Set the inputs of the next step, if it is recorded; returns how many of those left may be made at once."""
        if work.tape_row[world] == 0:
            return left
        first = first_chunk(work, settings, world)
        for i in range(settings.input_chunks):
            work.recorded[world * settings.block_chunks + i] = work.tape[first + i]
        return 1

    @func
    def record(work, settings, rows: int, world: int):
        """Write so many rows of the tape, if steps are recorded."""
        if work.tape_row[world] > 0:
            for _ in range(rows):
                first = first_chunk(work, settings, world)
                for i in range(settings.block_chunks):
                    work.tape[first + i] = work.recorded[world * settings.block_chunks + i]
                work.tape_row[world] = work.tape_row[world] + 1

    return locals()
