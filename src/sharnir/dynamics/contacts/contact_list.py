"""The world's list of contacts."""

from ..factory import Made, Precision, factory, large_functions, wp


@factory
def make_contact_list(p: Precision) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)

    @wp.struct
    class Candidates:
        """Two shapes that may touch, and the gap (m) below which their points count."""

        a: int
        b: int
        margin: real

    @wp.struct
    class Point:
        """Where two shapes touch or may: the normal from a to b, the point (m), the gap (m), the part of the shapes."""

        a: int
        b: int
        normal: vec3
        point: vec3
        gap: real
        feature: int

    @func
    def emit(work, report, settings, x: Point, world: int):
        """Put a point into the list; when it is full, count it as lost."""
        i = work.contact_count[world]
        if i < settings.contacts:
            work.contact_a[i, world] = x.a
            work.contact_b[i, world] = x.b
            work.contact_normal[i, world] = x.normal
            work.contact_point[i, world] = x.point
            work.contact_gap[i, world] = x.gap
            work.contact_feature[i, world] = x.feature
            work.contact_count[world] = i + 1
        else:
            report.contacts_lost[world] = report.contacts_lost[world] + 1

    return locals()
