"""What inputs take, as the types of a block's fields: ``input: takes.Real``, ``k: takes.Count``."""

from typing import Annotated

from .block import ANY, ANY_NUMBER, BOOL, COUNT, FREE, NUMBER, PURE, PURE_NUMBER, REAL, SAME, SECONDS, Wire

Bool = Annotated[Wire, BOOL]
Count = Annotated[Wire, COUNT]
Seconds = Annotated[Wire, SECONDS]
Real = Annotated[Wire, REAL]
Number = Annotated[Wire, NUMBER]
Same = Annotated[Wire, SAME]
Free = Annotated[Wire, FREE]
AnyNumber = Annotated[Wire, ANY_NUMBER]
Anything = Annotated[Wire, ANY]
Pure = Annotated[Wire, PURE]
PureNumber = Annotated[Wire, PURE_NUMBER]

# A list of signals, in the field ``inputs``.
Bools = Annotated[tuple[Wire, ...], BOOL]
Numbers = Annotated[tuple[Wire, ...], NUMBER]
Sames = Annotated[tuple[Wire, ...], SAME]
AnyNumbers = Annotated[tuple[Wire, ...], ANY_NUMBER]
Anythings = Annotated[tuple[Wire, ...], ANY]
