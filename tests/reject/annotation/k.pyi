from pyccel.decorators import low_level

@low_level('axpy')
def axpy(a : 'float', x : 'float64[:,') -> None:
    ...
