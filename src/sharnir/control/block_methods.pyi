"""The methods of a diagram that make blocks, as editors and type checkers see them. Written by ``make blocks``."""

from typing import Literal

from .pin import Pin, Source

BY_HAND: tuple[str, ...]

class BlockMethods:
    def add(self, *inputs: Source, name: str = "") -> Pin:
        """The sum of two or more signals of one unit.

        Takes:
            inputs: number, u
        Gives:
            out: number, u

        u is one unit, on which all ports marked so agree.
        """

    def sub(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 - in2.

        Takes:
            in1: number, u
            in2: number, u
        Gives:
            out: number, u

        u is one unit, on which all ports marked so agree.
        """

    def mul(self, *inputs: Source, name: str = "") -> Pin:
        """The product of two or more signals; their units are multiplied.

        Takes:
            inputs: number
        Gives:
            out: number
        """

    def div(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1/in2; of two whole numbers the quotient towards zero. Dividing by zero stops the run, naming the block.

        Takes:
            in1: number
            in2: number
        Gives:
            out: number
        """

    def mod(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """What in1/in2 leaves: in1 - in2 trunc(in1/in2), with the sign of in1; 0 when in2 is 0.

        Takes:
            in1: number, u
            in2: number, u
        Gives:
            out: number, u

        u is one unit, on which all ports marked so agree.
        """

    def expt(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 to the power of in2. A signal with a unit takes a plain number as its power.

        Takes:
            in1: number
            in2: number, 1
        Gives:
            out: number
        """

    def gain(self, input: Source, k: Source, unit: str | None = None, *, name: str = "") -> Pin:
        """k times a signal. With ``unit`` the result is in that unit: a gain is how units change.

        Takes:
            input: number
            k: number
        Gives:
            out: number
        """

    def abs(self, input: Source, *, name: str = "") -> Pin:
        """The value without its sign.

        Takes:
            input: number, u
        Gives:
            out: number, u

        u is one unit, on which all ports marked so agree.
        """

    def sqrt(self, input: Source, *, name: str = "") -> Pin:
        """The square root. A negative input stops the run, naming the block.

        Takes:
            input: number
        Gives:
            out: number
        """

    def exp(self, input: Source, *, name: str = "") -> Pin:
        """e to the power of the input.

        Takes:
            input: number, 1
        Gives:
            out: real, 1
        """

    def ln(self, input: Source, *, name: str = "") -> Pin:
        """The natural logarithm.

        Takes:
            input: number, 1
        Gives:
            out: real, 1
        """

    def log(self, input: Source, *, name: str = "") -> Pin:
        """The logarithm to base 10.

        Takes:
            input: number, 1
        Gives:
            out: real, 1
        """

    def sin(self, input: Source, *, name: str = "") -> Pin:
        """The sine of an angle in rad.

        Takes:
            input: number, 1
        Gives:
            out: real, 1
        """

    def cos(self, input: Source, *, name: str = "") -> Pin:
        """The cosine of an angle in rad.

        Takes:
            input: number, 1
        Gives:
            out: real, 1
        """

    def tan(self, input: Source, *, name: str = "") -> Pin:
        """The tangent of an angle in rad.

        Takes:
            input: number, 1
        Gives:
            out: real, 1
        """

    def asin(self, input: Source, *, name: str = "") -> Pin:
        """The angle whose sine is the input, rad.

        Takes:
            input: number, 1
        Gives:
            out: real, rad
        """

    def acos(self, input: Source, *, name: str = "") -> Pin:
        """The angle whose cosine is the input, rad.

        Takes:
            input: number, 1
        Gives:
            out: real, rad
        """

    def atan(self, input: Source, *, name: str = "") -> Pin:
        """The angle whose tangent is the input, rad.

        Takes:
            input: number, 1
        Gives:
            out: real, rad
        """

    def atan2(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """The angle of the point (in2, in1), rad: of y/x in all four quadrants.

        Takes:
            in1: number, u
            in2: number, u
        Gives:
            out: real, rad

        u is one unit, on which all ports marked so agree.
        """

    def sign(self, input: Source, *, name: str = "") -> Pin:
        """-1, 0 or 1.

        Takes:
            input: number, u
        Gives:
            out: int, 1

        u is one unit, on which all ports marked so agree.
        """

    def gt(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 > in2.

        Takes:
            in1: number, u
            in2: number, u
        Gives:
            out: bool

        u is one unit, on which all ports marked so agree.
        """

    def ge(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 >= in2.

        Takes:
            in1: number, u
            in2: number, u
        Gives:
            out: bool

        u is one unit, on which all ports marked so agree.
        """

    def le(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 <= in2.

        Takes:
            in1: number, u
            in2: number, u
        Gives:
            out: bool

        u is one unit, on which all ports marked so agree.
        """

    def lt(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 < in2.

        Takes:
            in1: number, u
            in2: number, u
        Gives:
            out: bool

        u is one unit, on which all ports marked so agree.
        """

    def eq(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 = in2, of numbers or truth values; real numbers are equal to the last bit or not at all.

        Takes:
            in1: any, u
            in2: any, u
        Gives:
            out: bool

        u is one unit, on which all ports marked so agree.
        """

    def ne(self, in1: Source, in2: Source, *, name: str = "") -> Pin:
        """in1 differs from in2.

        Takes:
            in1: any, u
            in2: any, u
        Gives:
            out: bool

        u is one unit, on which all ports marked so agree.
        """

    def and_(self, *inputs: Source, name: str = "") -> Pin:
        """All inputs are true.

        Takes:
            inputs: bool
        Gives:
            out: bool
        """

    def or_(self, *inputs: Source, name: str = "") -> Pin:
        """One input or more is true.

        Takes:
            inputs: bool
        Gives:
            out: bool
        """

    def xor(self, *inputs: Source, name: str = "") -> Pin:
        """An odd number of inputs is true.

        Takes:
            inputs: bool
        Gives:
            out: bool
        """

    def not_(self, input: Source, *, name: str = "") -> Pin:
        """True when the input is false.

        Takes:
            input: bool
        Gives:
            out: bool
        """

    def sel(self, g: Source, in0: Source, in1: Source, *, name: str = "") -> Pin:
        """in0 while g is false, in1 while it is true.

        Takes:
            g: bool
            in0: any, u
            in1: any, u
        Gives:
            out: any, u

        u is one unit, on which all ports marked so agree.
        """

    def mux(self, k: Source, *inputs: Source, name: str = "") -> Pin:
        """The input number k, counted from 0. A k without an input stops the run, naming the block.

        Takes:
            k: int, 1
            inputs: any, u
        Gives:
            out: any, u

        u is one unit, on which all ports marked so agree.
        """

    def min(self, *inputs: Source, name: str = "") -> Pin:
        """The smallest of two or more signals.

        Takes:
            inputs: number, u
        Gives:
            out: number, u

        u is one unit, on which all ports marked so agree.
        """

    def max(self, *inputs: Source, name: str = "") -> Pin:
        """The largest of two or more signals.

        Takes:
            inputs: number, u
        Gives:
            out: number, u

        u is one unit, on which all ports marked so agree.
        """

    def limit(self, mn: Source, input: Source, mx: Source, *, name: str = "") -> Pin:
        """The input, at least mn and at most mx: MIN(MAX(IN, MN), MX).

        Takes:
            mn: number, u
            input: number, u
            mx: number, u
        Gives:
            out: number, u

        u is one unit, on which all ports marked so agree.
        """

    def move(self, input: Source, *, name: str = "") -> Pin:
        """The input itself, under another name.

        Takes:
            input: any, u
        Gives:
            out: any, u

        u is one unit, on which all ports marked so agree.
        """

    def to_real(self, input: Source, *, name: str = "") -> Pin:
        """As a real number: false is 0, true is 1.

        Takes:
            input: any, u
        Gives:
            out: real, u

        u is one unit, on which all ports marked so agree.
        """

    def to_int(self, input: Source, *, name: str = "") -> Pin:
        """As a whole number, halves to the even one: 0.5 gives 0, 1.5 gives 2.

        Takes:
            input: any, u
        Gives:
            out: int, u

        u is one unit, on which all ports marked so agree.
        """

    def to_bool(self, input: Source, *, name: str = "") -> Pin:
        """True when it differs from zero.

        Takes:
            input: any, u
        Gives:
            out: bool

        u is one unit, on which all ports marked so agree.
        """

    def trunc(self, input: Source, *, name: str = "") -> Pin:
        """As a whole number, cut towards zero.

        Takes:
            input: number, u
        Gives:
            out: int, u

        u is one unit, on which all ports marked so agree.
        """

    def constant(self, value: float | bool, unit: str | None = None, *, name: str = "") -> Pin:
        """A number with a unit, or a truth value.

        Gives:
            out: any
        """

    def sr(self, s1: Source, r: Source, *, name: str = "") -> Pin:
        """A latch where setting wins: q1 = s1 or (q1 and not r).

        Takes:
            s1: bool
            r: bool
        Gives:
            q1: bool
        """

    def rs(self, s: Source, r1: Source, *, name: str = "") -> Pin:
        """A latch where resetting wins: q1 = not r1 and (s or q1).

        Takes:
            s: bool
            r1: bool
        Gives:
            q1: bool
        """

    def r_trig(self, clk: Source, *, name: str = "") -> Pin:
        """True for one tick when clk rises; as in the standard, also in the first tick if clk is true there.

        Takes:
            clk: bool
        Gives:
            q: bool
        """

    def f_trig(self, clk: Source, *, name: str = "") -> Pin:
        """True for one tick when clk falls; as in the standard, also in the first tick if clk is false there.

        Takes:
            clk: bool
        Gives:
            q: bool
        """

    def tp(self, input: Source, pt: Source, *, name: str = "") -> Pin:
        """Pulse: when the input rises q is true for pt, whatever the input does meanwhile. et stays at pt until the input
        is false again.

        Takes:
            input: bool
            pt: real, s
        Gives:
            q: bool
            et: real, s
        """

    def ton(self, input: Source, pt: Source, *, name: str = "") -> Pin:
        """On-delay: q is true once the input has been true for pt. et runs up to pt and is 0 while the input is false.

        Takes:
            input: bool
            pt: real, s
        Gives:
            q: bool
            et: real, s
        """

    def tof(self, input: Source, pt: Source, *, name: str = "") -> Pin:
        """Off-delay: q is true with the input, and for pt after it fell. et runs while the input is false, up to pt.

        Takes:
            input: bool
            pt: real, s
        Gives:
            q: bool
            et: real, s
        """

    def ctu(self, cu: Source, r: Source, pv: Source, *, name: str = "") -> Pin:
        """Counts rising edges of cu up to and beyond pv, where q becomes true; r sets the count cv to 0.

        Takes:
            cu: bool
            r: bool
            pv: int, 1
        Gives:
            q: bool
            cv: int, 1
        """

    def ctd(self, cd: Source, ld: Source, pv: Source, *, name: str = "") -> Pin:
        """Counts rising edges of cd down; ld sets the count cv to pv; q is true at 0 and below.

        Takes:
            cd: bool
            ld: bool
            pv: int, 1
        Gives:
            q: bool
            cv: int, 1
        """

    def ctud(self, cu: Source, cd: Source, r: Source, ld: Source, pv: Source, *, name: str = "") -> Pin:
        """Counts up with cu and down with cd, neither when both rise at once; r sets cv to 0 and wins over ld, which sets
        it to pv. qu: cv >= pv; qd: cv <= 0.

        Takes:
            cu: bool
            cd: bool
            r: bool
            ld: bool
            pv: int, 1
        Gives:
            qu: bool
            qd: bool
            cv: int, 1
        """

    def low_pass(self, input: Source, t: Source, *, name: str = "") -> Pin:
        """First order, time constant t (s): y(k) = y(k-1) + (1 - exp(-h/t)) (u(k) - y(k-1)); starts at the input.

        Takes:
            input: real, u
            t: real, s
        Gives:
            out: real, u

        u is one unit, on which all ports marked so agree.
        """

    def high_pass(self, input: Source, t: Source, *, name: str = "") -> Pin:
        """The input less its low pass with the time constant t (s).

        Takes:
            input: real, u
            t: real, s
        Gives:
            out: real, u

        u is one unit, on which all ports marked so agree.
        """

    def average(self, input: Source, count: int, *, name: str = "") -> Pin:
        """The mean of the last ``count`` inputs; of as many as there were at the beginning.

        Takes:
            input: real, u
        Gives:
            out: real, u

        u is one unit, on which all ports marked so agree.
        """

    def rate_limit(
        self, input: Source, rise: Source, fall: Source = -1.0, initial: float = 0.0, *, name: str = ""
    ) -> Pin:
        """Follows the input, rising by ``rise`` and falling by ``fall`` a second at most; starts from ``initial``.

        Without ``fall`` it falls as fast as it rises.

        Takes:
            input: real, u
            rise: real
            fall: real
        Gives:
            out: real, u

        u is one unit, on which all ports marked so agree.
        """

    def dead_zone(self, input: Source, width: Source, *, name: str = "") -> Pin:
        """0 while the input is within +-width, beyond that the input less the width, so that there is no jump.

        Takes:
            input: real, u
            width: real, u
        Gives:
            out: real, u

        u is one unit, on which all ports marked so agree.
        """

    def hysteresis(self, in1: Source, in2: Source, eps: Source, *, name: str = "") -> Pin:
        """True once in1 > in2 + eps, false once in1 < in2 - eps, unchanged between.

        Takes:
            in1: number, u
            in2: number, u
            eps: number, u
        Gives:
            q: bool

        u is one unit, on which all ports marked so agree.
        """

    def delay(self, input: Source, initial: float | bool = 0.0, *, name: str = "") -> Pin:
        """The input of the tick before; ``initial`` in the first. Its input may depend on its output: it breaks loops.

        Takes:
            input: any, u
        Gives:
            out: any, u

        u is one unit, on which all ports marked so agree.
        """

    def integral(
        self,
        input: Source,
        r1: Source = False,
        x0: Source = 0.0,
        mn: Source = -1e300,
        mx: Source = 1e300,
        *,
        name: str = "",
    ) -> Pin:
        """The integral of a signal that is held between ticks: y(k+1) = y(k) + h u(k), kept within mn and mx.

        While r1 is true the output is x0. Its input may depend on its output.

        Takes:
            input: real, u
            r1: bool
            x0: real
            mn: real
            mx: real
        Gives:
            out: real, u s

        u is one unit, on which all ports marked so agree.
        """

    def derivative(self, input: Source, tf: Source = 0.0, *, name: str = "") -> Pin:
        """(u(k) - u(k-1))/h through a low pass with the time constant tf (s); 0 in the first tick.

        Takes:
            input: real, u
            tf: real, s
        Gives:
            out: real, u/s

        u is one unit, on which all ports marked so agree.
        """

    def pid(
        self,
        sp: Source,
        pv: Source,
        kp: Source,
        ki: Source = 0.0,
        kd: Source = 0.0,
        tf: Source = 0.0,
        mn: Source = -1.0,
        mx: Source = 1.0,
        auto: Source = True,
        x0: Source = 0.0,
        unit: str = "1",
        *,
        name: str = "",
    ) -> Pin:
        """out = kp e + ki (integral of e) - kd (rate of pv), within mn and mx, with e = sp - pv.

        The rate of pv goes through a low pass with the time constant tf (s); the set point does not kick it. The integral
        stands still while the output is at a bound and e drives it further out (no windup). While ``auto`` is false the
        output is x0, and the integral follows it, so that the change back is without a bump. ``unit`` is that of the
        output, of mn, mx and x0; kp is in that unit per unit of pv, ki and kd likewise with 1/s and s.

        Takes:
            sp: real, u
            pv: real, u
            kp: real
            ki: real
            kd: real
            tf: real, s
            mn: real
            mx: real
            auto: bool
            x0: real
        Gives:
            out: real

        u is one unit, on which all ports marked so agree.
        """

    def table(
        self,
        input: Source,
        points: tuple[tuple[float, float], ...],
        between: Literal["linear", "step"] = "linear",
        unit: str = "1",
        *,
        name: str = "",
    ) -> Pin:
        """A curve through ``points`` (x, y), x rising: straight between them, or a step at each x (``between: step``).

        Beyond its ends the curve stays at the last value. ``unit`` is that of y.

        Takes:
            input: real
        Gives:
            out: number
        """

    def machine(
        self, states: tuple[str, ...], transitions: tuple[tuple[str, Source, str], ...], *, name: str = ""
    ) -> Pin:
        """A state machine. Its outputs: ``state``, the number of the present state; one truth value per state, by the
        state's name; and ``time``, how long it has been there (s).

        A transition is (state, condition, next state), the condition being a truth signal. Of the transitions that leave
        the present state the first whose condition is true is taken, one in a tick. It starts in the first state.
        """

    def time(self, *, name: str = "") -> Pin:
        """Simulated time, s.

        Gives:
            out: real, s
        """
