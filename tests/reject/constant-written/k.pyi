from numpy import float64
from typing import Annotated, Final
from pyccel.decorators import low_level

@low_level('Grid')
class Grid:
    nodes : 'Annotated[float64[:], "alias"]'
    n : 'int'
    @low_level('init')
    def __init__(self : 'Grid', nodes : 'float64[:]', n : 'int') -> None:
        ...

@low_level('axpy')
def axpy(a : 'float', x : 'Final[float64[:]]', y : 'float64[:]', g : 'Grid') -> None:
    ...
