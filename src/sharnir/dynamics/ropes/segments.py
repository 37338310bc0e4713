"""The nearest points of two segments."""

from ..factory import Made, Precision, factory, wp


@factory
def make_segments(p: Precision) -> Made:
    real, vec2, vec3 = p.real, p.vec2, p.vec3

    @wp.func
    def nearest_shares(a: vec3, u: vec3, b: vec3, v: vec3, centred: real) -> vec2:
        """Shares x, y of the nearest points a + x u and b + y v of two segments.

        ``centred`` is how much the middles are preferred: the least |distance|^2 + centred (|u|^2 (x - 1/2)^2 + ...).
        Without it the points of segments side by side jump from one end to the other as these turn a little.
        """
        from_b = a - b
        uu = wp.dot(u, u)
        vv = wp.dot(v, v)
        uv = wp.dot(u, v)
        ua = real(0.5) * centred * uu - wp.dot(u, from_b)
        va = real(0.5) * centred * vv + wp.dot(v, from_b)
        uu = (real(1.0) + centred) * uu
        vv = (real(1.0) + centred) * vv
        x = real(0.0)
        flat = uu * vv - uv * uv
        if flat > real(1e-9) * uu * vv:
            x = wp.clamp((uv * va + ua * vv) / flat, real(0.0), real(1.0))
        y = (uv * x + va) / vv
        if y < real(0.0) or y > real(1.0):
            y = wp.clamp(y, real(0.0), real(1.0))
            x = wp.clamp((uv * y + ua) / uu, real(0.0), real(1.0))
        return vec2(x, y)

    return locals()
