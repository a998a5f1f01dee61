"""Classes whose attributes are not simply the arrays that their constructors are given."""


class Row:
    """Refers to one row only."""

    def __init__(self, m: "float[:,:]", n: int):
        self.row = m[1]
        self.n = n

    def put(self, x: "float[:]"):
        self.row[:] = x[:]


class Two:
    """Two arrays, which may be one."""

    def __init__(self, a: "float[:]", b: "float[:]"):
        self.a = a
        self.b = b

    def put(self, v: float):
        self.a[0] = v


def fill_row(r: "Row", v: float):
    r.row[:] = v


def put(t: "Two", v: float):
    t.a[0] = v
