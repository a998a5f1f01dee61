"""Random device arrays: numpy.random's functions by the names of `cupy.random`, with their results on the device.

As CuPy's they take a `dtype`; seeds that are arrays are hashed to one number there, and taken as they are here.
"""

import numpy as np

from pkwrap.emulator.cupy._call import call, refuse_host_arrays

_REAL = """
beta chisquare dirichlet exponential f gamma gumbel laplace logistic lognormal multivariate_normal noncentral_chisquare
noncentral_f normal pareto power rand randn random_sample rayleigh standard_cauchy standard_exponential standard_gamma
standard_normal standard_t triangular uniform vonmises wald weibull
""".split()
_INTEGERS = "binomial geometric hypergeometric logseries negative_binomial poisson zipf".split()
_OTHER = "choice permutation randint shuffle tomaxint".split()
_STATE = _REAL + _INTEGERS + _OTHER
_OF_MODULE = [name for name in _STATE if name != "tomaxint"] + ["multinomial", "random", "random_integers", "ranf", "sample"]
_OF_GENERATOR = """
beta binomial chisquare dirichlet exponential f gamma geometric hypergeometric integers logseries poisson power random
standard_exponential standard_gamma standard_normal uniform
""".split()
_TAKE_HOST_ARRAYS = ("choice", "permutation")
_WITH_DTYPE = {*_REAL, *_INTEGERS, "random", "ranf", "sample"}


def _forwarded(function, name, *, own_dtype=False):
    def draw(*args, **keywords):
        dtype = None if own_dtype or name not in _WITH_DTYPE else keywords.pop("dtype", None)
        if name not in _TAKE_HOST_ARRAYS:
            refuse_host_arrays((args, keywords))
        result = call(function, args, keywords)
        return result if dtype is None else result.astype(dtype, copy=False)

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = f"numpy.random's {name}, with device arrays."
    return draw


class RandomState:
    """numpy.random.RandomState with device arrays."""

    def __init__(self, seed=None):
        self._state = np.random.RandomState(seed)

    def seed(self, seed=None):
        self._state.seed(seed)

    def __getattr__(self, name):
        if name not in _STATE:
            raise AttributeError(f"'RandomState' object has no attribute {name!r}")
        return _forwarded(getattr(self._state, name), name)


class Generator:
    """numpy.random.Generator with device arrays."""

    def __init__(self, bit_generator):
        self._generator = np.random.Generator(bit_generator)

    def __getattr__(self, name):
        if name not in _OF_GENERATOR:
            raise AttributeError(f"'Generator' object has no attribute {name!r}")
        return _forwarded(getattr(self._generator, name), name, own_dtype=name in ("integers", "random", *_STANDARD))


_STANDARD = ("standard_exponential", "standard_gamma", "standard_normal")


def default_rng(seed=None):
    return Generator(np.random.default_rng(seed).bit_generator)


_state = RandomState()


def seed(seed=None):
    """Starts the module's own state anew."""
    _state.seed(seed)


def get_random_state():
    return _state


def set_random_state(rs):
    global _state
    if not isinstance(rs, RandomState):
        raise TypeError(f"a RandomState is needed, not {type(rs)}")
    _state = rs


def bytes(length):  # noqa: A001 - CuPy's name
    return _state._state.bytes(length)


def _of_state(name):
    def draw(*args, **keywords):
        return _forwarded(getattr(_state._state, _SYNONYMS.get(name, name)), name)(*args, **keywords)

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = f"numpy.random's {name}, with device arrays."
    return draw


_SYNONYMS = {"random": "random_sample", "ranf": "random_sample", "sample": "random_sample"}

globals().update({name: _of_state(name) for name in _OF_MODULE})

__all__ = sorted([*_OF_MODULE, "Generator", "RandomState", "bytes", "default_rng", "get_random_state", "seed", "set_random_state"])
