"""Objects that refer to objects, return them, and share arrays with each other and with arguments."""


class Vec:
    def __init__(self, x: "float[:]", tag: int):
        self.x = x
        self.tag = tag

    def fill(self, v: float):
        self.x[:] = v

    def __iadd__(self, v: float):
        self.x[:] += v

    def __eq__(self, other: int) -> bool:
        return self.tag == other


class Opt:
    def __init__(self, n: int):
        self.n = n


class Pair:
    def __init__(self, a: "Vec", y: "float[:]"):
        self.a = a
        self.y = y

    def go(self, v: float):
        self.a.fill(v)
        self.y[:] = v

    def fresh(self) -> "Vec":
        made = Vec(self.y, 9)
        return made

    def dot(self, z: "float[:]") -> float:
        return self.y[0] * z[0] + self.a.x[0]


class Four:
    def __init__(self, a: "Opt", b: "Opt", u: "Vec", v: "Vec"):
        self.a = a
        self.b = b
        self.u = u
        self.v = v


class Multi:
    def __init__(self, a: "float[:]", b: "float[:,:]"):
        self.a = a
        self.b = b

    def fill(self, v: float):
        self.a[:] = v
        self.b[:] = v + 1

    def swap(self, a: "float[:]"):
        self.a = a


def make2(a: "Vec") -> "Vec":
    made = Vec(a.x, a.tag + 1)
    return made


def read(a: "Vec") -> float:
    return a.x[0]


def write(a: "Vec", v: float):
    a.x[:] = v


def write2(p: "Pair", v: float):
    p.go(v)


def tags(f: "Four") -> int:
    return f.a.n + 10 * f.b.n + 100 * f.u.tag + 1000 * f.v.tag


def clash(out: "float[:]", a: "Vec"):
    out[:] = a.x
    a.x[0] = 5.0


def both(y: "float[:]", a: "Vec"):
    a.x[0] = 1.0
    y[1] = 2.0 * a.x[0]


class Outer:
    def __init__(self, inner: "Pair", w: "float[:]"):
        self.inner = inner
        self.w = w


def deep(o: "Outer", v: float):
    o.inner.a.x[:] = v + o.w[0]


def deeper(o: "Outer", v: float):
    write2(o.inner, v)


def look(o: "Outer") -> float:
    return o.inner.a.x[0] + o.inner.y[0]


class Node:
    def __init__(self, x: "float[:]", f: float):
        self.x = x
        self.f = f
        self.n = self

    def link(self, n: "Node"):
        self.n = n

    def put(self, v: float):
        self.n.x[0] = v


class Setter:
    """Its methods change what other objects refer to."""

    def __init__(self, a: "Vec", p: "Pair"):
        self.a = a
        self.p = p

    def setx(self, x: "float[:]"):
        self.a.x = x

    def seta(self, a: "Vec"):
        self.p.a = a


def alias(p: "Vec", q: "Vec"):
    p.x = q.x


def swap(p: "Vec", q: "Vec"):
    p.x = q.x
    q.tag = p.tag


def setnx(p: "Pair", x: "float[:]"):
    p.a.x = x


def setna(o: "Outer", a: "Vec"):
    o.inner.a = a


def step(a: "Vec", y: "float[:]") -> "Vec":
    made = Vec(y, a.tag + 1)
    return made


class Late:
    """Some attributes are set by a method only."""

    def __init__(self, x: "float[:]"):
        self.x = x

    def prepare(self, b: "float[:]"):
        self.b = b

    def scale(self, v: float):
        self.x[:] = v

    def run(self, v: float):
        self.b[:] = v


def mix(a: "Vec", y: "float[:]", z: "float[:]"):
    a.x[0] = y[0] + z[0]
