"""The point of a simplex nearest to the origin, as shares of its corners (all above zero for those that matter)."""

from ..factory import Made, Precision, factory, wp


@factory
def make_simplex(p: Precision) -> Made:
    real, vec3 = p.real, p.vec3
    mat43, vec4 = wp.types.matrix((4, 3), real), wp.types.vector(4, real)

    NO_VOLUME = wp.constant(real(1e-16 if p.name == "float64" else 1e-8))  # square of height over length

    @wp.func
    def on_segment(a: vec3, b: vec3) -> vec3:
        """Shares of a and b; the third is unused."""
        d = b - a
        square = wp.dot(d, d)
        s = real(0.0)
        if square > real(0.0):
            s = wp.clamp(-wp.dot(a, d) / square, real(0.0), real(1.0))
        return vec3(real(1.0) - s, s, real(0.0))

    @wp.func
    def on_edges(a: vec3, b: vec3, c: vec3) -> vec3:
        """Shares of the nearest point on the three edges."""
        s = on_segment(a, b)
        best = s
        x = s[0] * a + s[1] * b
        least = wp.dot(x, x)
        s = on_segment(b, c)
        x = s[0] * b + s[1] * c
        if wp.dot(x, x) < least:
            least = wp.dot(x, x)
            best = vec3(real(0.0), s[0], s[1])
        s = on_segment(c, a)
        x = s[0] * c + s[1] * a
        if wp.dot(x, x) < least:
            best = vec3(s[1], real(0.0), s[0])
        return best

    @wp.func
    def on_triangle(a: vec3, b: vec3, c: vec3) -> vec3:
        """Shares of a, b, c: inside by areas, else on an edge."""
        n = wp.cross(b - a, c - a)
        u = wp.dot(n, wp.cross(b, c))
        v = wp.dot(n, wp.cross(c, a))
        world = wp.dot(n, wp.cross(a, b))
        if u > real(0.0) and v > real(0.0) and world > real(0.0):
            return vec3(u, v, world) * (real(1.0) / (u + v + world))
        return on_edges(a, b, c)

    @wp.func
    def is_beyond(a: vec3, b: vec3, c: vec3, d: vec3) -> bool:
        """Whether the origin lies beyond the face a, b, c, seen from d; always when the four are flat."""
        n = wp.cross(b - a, c - a)
        height = wp.dot(n, d - a)
        if height * height <= NO_VOLUME * wp.dot(n, n) * wp.dot(d - a, d - a):
            return True
        return -wp.dot(n, a) * height < real(0.0)

    @wp.func
    def on_tetrahedron(w: mat43) -> vec4:
        """Shares of the nearest point on a face that the origin is beyond; all above zero when it is inside."""
        best = vec4(real(0.25), real(0.25), real(0.25), real(0.25))
        least = real(1.0e30)
        for i in range(4):
            j = (i + 1) % 4
            k = (i + 2) % 4
            if is_beyond(w[i], w[j], w[k], w[(i + 3) % 4]):
                s = on_triangle(w[i], w[j], w[k])
                x = s[0] * w[i] + s[1] * w[j] + s[2] * w[k]
                square = wp.dot(x, x)
                if square < least:
                    least = square
                    best = vec4()
                    best[i] = s[0]
                    best[j] = s[1]
                    best[k] = s[2]
        return best

    @wp.func
    def nearest(w: mat43, count: int) -> vec4:
        """Shares of the first ``count`` corners in the point nearest to the origin."""
        if count == 4:
            return on_tetrahedron(w)
        s = vec3(real(1.0), real(0.0), real(0.0))
        if count == 2:
            s = on_segment(w[0], w[1])
        elif count == 3:
            s = on_triangle(w[0], w[1], w[2])
        return vec4(s[0], s[1], s[2], real(0.0))

    @wp.func
    def weighted(points: mat43, share: vec4, count: int) -> vec3:
        """The sum of points times shares."""
        x = vec3()
        for i in range(count):
            x += share[i] * points[i]
        return x

    return locals()
