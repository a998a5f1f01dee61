from numpy import complex128, float64, int32
from typing import Annotated, Final, overload
from pyccel.decorators import low_level, pure, inline

nmax : 'int'

@low_level('Grid')
class Grid:
    nodes : 'Annotated[float64[:,:](order=C), "alias"]'
    work : 'float64[:]'
    n : 'int'
    is_freed : 'bool'
    @low_level('kernels__Grid____init__')
    def __init__(self : 'Grid', nodes : 'float64[:,:](order=C)', n : 'int') -> None:
        ...
    @low_level('kernels__Grid____del__')
    def __del__(self : 'Grid') -> None:
        ...
    @low_level('kernels__Grid__count')
    @property
    def count(self : 'Grid') -> 'int': ...

@pure
@low_level('kernels__blend')
def blend(src : 'Final[float64[:,:](order=C)]', wgt : 'Final[float64[:]]', dst : 'float64[:,:](order=C)', n : 'int' = 2) -> None:
    ...

@low_level('kernels__solve')
def solve(a : 'float64[:,:](order=F)', piv : 'int32[:]', k : 'int', /, rhs : 'float64[:]') -> 'tuple[int, float]':
    ...

@low_level('kernels__move')
def move(g : 'Grid', shift : 'Final[float64[:]]') -> None:
    ...

@low_level('kernels__norm_0000')
@overload
def norm(x : 'Final[float64[:]]') -> 'float':
    ...
@low_level('kernels__norm_0001')
@overload
def norm(x : 'Final[complex128[:]]') -> 'float':
    ...

@inline
def half(x: float):
    return 0.5 * x

@low_level('kernels__lookup')
def lookup(name : 'str', shape : 'tuple[int, ...]', keys : 'Final[list[int]]', mask : 'bool[:]' = None, *, strict : 'bool' = True) -> 'float64[:]':
    ...
