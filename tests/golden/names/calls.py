"""Names of the header that mean something else in generated C or in Python."""
import inspect

import names
import numpy as np

assert names.clash(1, 1, 1, 1, 1, 1) == 63.0
assert names.clash(1, 1, 1, kwnames=1, pkwrap=1, result=1) == 63.0
assert names.capitals(1.0, 1.0, 1.0, np.array([0.5])) == 1 + 2 + 4 + 8 + 0.5
assert names.capitals(big=1.0, n=1.0, I=1.0, a=np.array([0.5])) == 15.5
assert names.lambda_(2.0) == -2.0
assert names.unnamed(2.0, 3) == 6.0
assert names.unnamed(arg0=2.0, arg1=3) == 6.0
assert names.capitals_run(1.0) == 2.0
assert names.while_(3.0) == (3.0, 6.0)
for word in ('back\\slash', '"quote"', "??/", "é"):
    assert word in names.clash.__doc__
assert str(inspect.signature(names.clash)) == "(args, nargs, module, result, kwnames, pkwrap)"
