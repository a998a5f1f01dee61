"""Containers as arguments, which Pyccel compiles to C only."""


def total_list(values: "list[float]") -> "float":
    s = 0.0
    for v in values:
        s += v
    return s


def total_tuple(values: "tuple[int, ...]") -> "int":
    s = 0
    for v in values:
        s += v
    return s
