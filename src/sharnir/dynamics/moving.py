"""Which bodies a step moves: stages that go through all bodies leave out the others, of which a scene may have many."""

from .factory import Features, Made, Precision, factory, functions, wp


@factory
def make_moving(p: Precision, features: Features) -> Made:
    real, func = p.real, functions(p)

    @func
    def moves(model, b: int, world: int) -> bool:
        """Whether body b has a mass, or may be led (``movers.py``)."""
        if wp.static(features.movers):
            return True
        return model.inv_mass[b, world] > real(0.0)

    return locals()
