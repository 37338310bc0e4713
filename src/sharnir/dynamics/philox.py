"""Random numbers that follow from where they are used: Philox 4x32-10 (Salmon and others, 2011).

A counter-based generator has no state: four words of a counter and two of a key give four random words. What is drawn
for a sample of a sensor in a world is the same again after a reset, in a replay, and alone or in a batch.
"""

from .factory import Made, Precision, factory, wp

ROUNDS = 10
WORD = 2.0**-32


@factory
def make_philox(p: Precision) -> Made:
    real, vec3 = p.real, p.vec3
    Words = wp.types.vector(length=4, dtype=wp.uint32)
    M0, M1 = wp.constant(wp.uint64(0xD2511F53)), wp.constant(wp.uint64(0xCD9E8D57))
    W0, W1 = wp.constant(wp.uint32(0x9E3779B9)), wp.constant(wp.uint32(0xBB67AE85))
    HALF = wp.constant(wp.uint64(32))

    @wp.func
    def philox(counter: Words, key0: wp.uint32, key1: wp.uint32) -> Words:
        """Four random words of a counter and a key."""
        c = counter
        k0 = key0
        k1 = key1
        for _ in range(ROUNDS):
            a = M0 * wp.uint64(c[0])
            b = M1 * wp.uint64(c[2])
            c = Words(
                wp.uint32(b >> HALF) ^ c[1] ^ k0,
                wp.uint32(b),
                wp.uint32(a >> HALF) ^ c[3] ^ k1,
                wp.uint32(a),
            )
            k0 = k0 + W0
            k1 = k1 + W1
        return c

    @wp.func
    def uniform(word: wp.uint32) -> real:
        """Between 0 and 1, never 0."""
        return (real(word) + real(0.5)) * real(WORD)

    @wp.func
    def normals(counter: Words, key0: wp.uint32, key1: wp.uint32) -> vec3:
        """Three normal numbers (Box and Muller)."""
        x = philox(counter, key0, key1)
        r = wp.sqrt(real(-2.0) * wp.log(uniform(x[0])))
        turn = real(2.0 * wp.pi) * uniform(x[1])
        other = wp.sqrt(real(-2.0) * wp.log(uniform(x[2])))
        return vec3(r * wp.cos(turn), r * wp.sin(turn), other * wp.cos(real(2.0 * wp.pi) * uniform(x[3])))

    return locals()
