"""Functions, methods and properties that hand out memory of their arguments; parts without gaps, since Pyccel tells no strides."""

import numpy as np


class Box:
    def __init__(self, p: "float[:]", n: int):
        self.p = p
        self.n = n
        self.own = np.zeros(n)

    def get(self):
        return self.p

    def tail(self):
        return self.p[1:]

    def both(self, q: "float[:]"):
        return self.p[1:], q[1:]

    def mine(self, q: "float[:]"):
        self.own[0] = q[0]
        return self.own

    def total(self) -> float:
        return np.sum(self.p)

    @property
    def end(self):
        return self.p[2:]


class Part:
    def __init__(self, m: "float[:,:]", n: int):
        self.row = m[1]
        self.block = m[1:]
        self.n = n

    def first(self) -> float:
        return self.row[0]

    def corner(self) -> float:
        return self.block[0, 0]


def row(m: "float[:,:]", i: int):
    return m[i]


def column(m: "float[:,:](order=F)", i: int):
    return m[:, i]


def block(m: "float[:,:]"):
    return m[1:]


def plane(m: "float[:,:,:]", i: int):
    return m[i]


def same(x: "float[:]"):
    return x


def ends(x: "float[:]"):
    return x[1:4]


def split(x: "float[:]", n: int):
    return x[:n], x[n:]


def fresh(x: "float[:]"):
    y = x + 1.0
    return y


def inner(b: "Box"):
    return b.p[1:]
