"""Kernels of the tests of modules generated from stubs; compiled by Pyccel in both languages."""

from typing import TypeVar

import numpy as np

T = TypeVar("T", "float[:]", "int[:]")


def axpy(a: float, x: "float[:]", y: "float[:]"):
    """y += a x"""
    for i in range(len(y)):
        y[i] = y[i] + a * x[i]


def mark(b: "float[:,:]"):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] = b[i, j] + 10 * i + j


def mark_f(b: "float[:,:](order=F)"):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] = b[i, j] + 10 * i + j


def mark_cube(b: "float[:,:,:]"):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            for k in range(b.shape[2]):
                b[i, j, k] = 100 * i + 10 * j + k


def even(out: "float[:]"):
    for i in range(0, len(out), 2):
        out[i] = 42.0


def total(x: "float[:]") -> float:
    s = 0.0
    for i in range(len(x)):
        s = s + x[i]
    return s


def add_counts(x: "int32[:]", y: "int32[:]", times: "int32"):
    for i in range(len(y)):
        y[i] = y[i] + times * x[i]


def conjugate(x: "complex[:]", y: "complex[:]"):
    for i in range(len(y)):
        y[i] = np.conj(x[i])


def twice(x: T):
    for i in range(len(x)):
        x[i] = 2 * x[i]


def weighted(x: "float[:]", w: "float[:]" = None, *, shift: float = 0.0) -> float:
    s = shift
    for i in range(len(x)):
        if w is None:
            s = s + x[i]
        else:
            s = s + w[i] * x[i]
    return s


def made(n: int):
    z = np.zeros(n)
    for i in range(n):
        z[i] = i
    return z


def made_pair(x: "float[:]"):
    z = np.zeros((2, 3))
    z[:, :] = x[0]
    return z, x[0]


class Markers:
    def __init__(self, positions: "float[:,:]", weights: "float[:]", n: int):
        self.positions = positions
        self.weights = weights
        self.n = n
        self.work = np.zeros(4)

    def rescale(self, factor: float):
        for i in range(len(self.weights)):
            self.weights[i] = self.weights[i] * factor


def push(markers: Markers, shift: "float[:]"):
    for i in range(markers.positions.shape[0]):
        markers.work[0] = shift[0] * markers.weights[i]
        markers.positions[i, 0] = markers.positions[i, 0] + markers.work[0]


def weight_sum(markers: Markers) -> float:
    s = 0.0
    for i in range(len(markers.weights)):
        s = s + markers.weights[i]
    return s
