"""Random device arrays: numpy.random's functions, with their results on the device."""

import numpy as np

from pkwrap.emulator.arrays import to_device, to_host


class RandomState(np.random.RandomState):
    """numpy.random.RandomState with device arrays as results."""

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        return found if name.startswith("_") or not callable(found) else _forwarded(found)


class Generator:
    """numpy.random.Generator with device arrays as results."""

    def __init__(self, generator):
        self._generator = generator

    def __getattr__(self, name):
        return _forwarded(getattr(self._generator, name))


def default_rng(seed=None):
    return Generator(np.random.default_rng(seed))


def _forwarded(function):
    def call(*args, **keywords):
        return to_device(function(*map(to_host, args), **{name: to_host(value) for name, value in keywords.items()}))

    return call


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(np.random, name)
    return _forwarded(found) if callable(found) and not isinstance(found, type) else found
