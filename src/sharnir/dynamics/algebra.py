"""Small linear algebra that Warp does not have: masked inverses and frames."""

from .factory import Made, Precision, factory, wp


@factory
def make_algebra(p: Precision) -> Made:
    real, vec3, quat, mat33 = p.real, p.vec3, p.quat, p.mat33

    @wp.func
    def packed(m: mat33) -> p.sym33:
        """A symmetric matrix as six numbers: a third less to read, which is what a GPU waits for."""
        return p.sym33(m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])

    @wp.func
    def full(v: p.sym33) -> mat33:
        """A symmetric matrix from its six numbers: xx, yy, zz, xy, xz, yz."""
        return mat33(v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2])

    @wp.func
    def diagonal(x: real) -> mat33:
        """x E."""
        return wp.diag(vec3(x, x, x))

    @wp.func
    def ahead(q: quat) -> vec3:
        """The third axis of the orientation q."""
        return real(2.0) * vec3(
            q[0] * q[2] + q[3] * q[1], q[1] * q[2] - q[3] * q[0], real(0.5) - q[0] * q[0] - q[1] * q[1]
        )

    @wp.func
    def largest_of(m: mat33) -> real:
        """The larger eigenvalue of the first two rows and columns of a symmetric matrix."""
        half = real(0.5) * (m[0, 0] - m[1, 1])
        return real(0.5) * (m[0, 0] + m[1, 1]) + wp.sqrt(half * half + m[0, 1] * m[0, 1])

    @wp.func
    def within(v: p.vec2, size: real, bound: real) -> p.vec2:
        """A vector of this size shortened to a bound."""
        if size > bound:
            return v * bound / size
        return v

    @wp.func
    def column(m: mat33, i: int) -> vec3:
        """Column i of a matrix."""
        return vec3(m[0, i], m[1, i], m[2, i])

    @wp.func
    def perpendicular(z: vec3) -> vec3:
        """A unit vector square to the unit vector z."""
        if wp.abs(z[0]) < real(0.6):
            return wp.normalize(wp.cross(z, vec3(real(1.0), real(0.0), real(0.0))))
        return wp.normalize(wp.cross(z, vec3(real(0.0), real(1.0), real(0.0))))

    @wp.func
    def frame_of(z: vec3) -> mat33:
        """A rotation matrix whose third column is the unit vector z."""
        x = perpendicular(z)
        return wp.matrix_from_cols(x, wp.cross(z, x), z)

    @wp.func
    def inverse_on(w: mat33, basis: mat33, axes: int) -> mat33:
        """P^T (P W P^T)^-1 P with P the chosen columns of the basis: the inverse of W on the space they span."""
        if axes == 7:
            return wp.inverse(w)
        x = wp.transpose(basis) * w * basis
        for i in range(3):
            if axes & (1 << i) == 0:
                for j in range(3):
                    x[i, j] = real(0.0)
                    x[j, i] = real(0.0)
                x[i, i] = real(1.0)
        x = wp.inverse(x)
        for i in range(3):
            if axes & (1 << i) == 0:
                x[i, i] = real(0.0)
        return basis * x * wp.transpose(basis)

    @wp.func
    def solved_to_scale(a: mat33, b: vec3) -> vec3:
        """det(a) x with a x = b, by Cramer's rule on the columns; saves a division where only the direction counts."""
        c0 = vec3(a[0, 0], a[1, 0], a[2, 0])
        c1 = vec3(a[0, 1], a[1, 1], a[2, 1])
        c2 = vec3(a[0, 2], a[1, 2], a[2, 2])
        return vec3(wp.dot(b, wp.cross(c1, c2)), wp.dot(b, wp.cross(c2, c0)), wp.dot(b, wp.cross(c0, c1)))

    @wp.func
    def solved(a: mat33, b: vec3) -> vec3:
        """The x with a x = b."""
        return (real(1.0) / wp.determinant(a)) * solved_to_scale(a, b)

    @wp.func
    def onto(v: vec3, basis: mat33, axes: int) -> vec3:
        """The part of v along the chosen columns of the basis."""
        x = wp.transpose(basis) * v
        for i in range(3):
            if axes & (1 << i) == 0:
                x[i] = real(0.0)
        return basis * x

    @wp.func
    def cosine(square: real) -> real:
        """cos x in x^2, to 1e-16 for x < 0.1; divisions would cost more than all the rest."""
        a, b, c, d = wp.static(real(1 / 2)), wp.static(real(1 / 12)), wp.static(real(1 / 30)), wp.static(real(1 / 56))
        return real(1.0) - a * square * (real(1.0) - b * square * (real(1.0) - c * square * (real(1.0) - d * square)))

    @wp.func
    def sine(square: real) -> real:
        """sin x / x in x^2, likewise."""
        a, b, c, d = wp.static(real(1 / 6)), wp.static(real(1 / 20)), wp.static(real(1 / 42)), wp.static(real(1 / 72))
        return real(1.0) - a * square * (real(1.0) - b * square * (real(1.0) - c * square * (real(1.0) - d * square)))

    @wp.func
    def rotation_by(v: vec3) -> quat:
        """The rotation vector v as a quaternion, exp(v/2), with a series for small |v|."""
        square = wp.dot(v, v) * real(0.25)
        c = real(1.0)
        s = real(0.5)
        if square < real(0.01):
            s = real(0.5) * sine(square)
            c = cosine(square)
        else:
            x = wp.sqrt(square)
            s = real(0.5) * wp.sin(x) / x
            c = wp.cos(x)
        return quat(s * v[0], s * v[1], s * v[2], c)

    @wp.func
    def near_unit(q: quat) -> quat:
        """One Newton step to unit length."""
        return (real(1.5) - real(0.5) * wp.dot(q, q)) * q

    @wp.func
    def rotated(q: quat, v: vec3) -> quat:
        """The orientation q turned by the rotation vector v (world axes)."""
        return near_unit(rotation_by(v) * q)

    @wp.func
    def rotated_in(q: quat, v: vec3) -> quat:
        """The orientation q turned by the rotation vector v (its own axes)."""
        return near_unit(q * rotation_by(v))

    @wp.func
    def rotated_vector(x: vec3, v: vec3) -> vec3:
        """The vector x turned by the rotation vector v."""
        square = wp.dot(v, v)
        side = wp.cross(v, x)
        if square < real(0.01):
            half = sine(real(0.25) * square)
            return x + sine(square) * side + real(0.5) * half * half * wp.cross(v, side)
        angle = wp.sqrt(square)
        return x + wp.sin(angle) / angle * side + (real(1.0) - wp.cos(angle)) / square * wp.cross(v, side)

    return locals()
