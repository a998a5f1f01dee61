"""What pytree.py asks of syntax trees and texts, without state of its own. It gets this file's text as an argument."""

import ast
import re

OPERATORS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


def as_list(value):
    return value if isinstance(value, list) else [value]


def operators(nodes):
    """The names of operators, "Lt Lt" for those of a comparison."""
    return " ".join([type(node).__name__ for node in as_list(nodes)])


def dotted(node):
    """a.b.c as text, or None."""
    parts = []
    while type(node) is ast.Attribute:
        parts.append(node.attr)
        node = node.value
    if type(node) is not ast.Name:
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def all_arguments(a):
    """(kind, ast.arg, default) of every parameter, in the order of the signature."""
    positional = [("ArgumentPositional", x) for x in a.posonlyargs] + [("Argument", x) for x in a.args]
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    rows = [(kind, x, default) for (kind, x), default in zip(positional, defaults)]
    if a.vararg:
        rows.append(("ArgumentStar", a.vararg, None))
    rows += [("ArgumentKeyword", x, default) for x, default in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        rows.append(("ArgumentStars", a.kwarg, None))
    return rows


def is_evaluated(annotation):
    """True if evaluating an annotation may do something: it is more than names, attributes, constants and subscripts."""
    harmless = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Tuple, ast.Slice, ast.BinOp, ast.List, *OPERATORS)
    return annotation is not None and any(not isinstance(node, harmless) for node in ast.walk(annotation))


def parse(text):
    """The statements of a file and (line, column, message) of what is no Python: a definition that cannot be parsed
    is left out, so that the others still work."""
    errors = []
    while True:
        try:
            return ast.parse(text).body, errors
        except SyntaxError as error:
            line = error.lineno or 1
            errors.append((line, error.offset or 0, error.msg))
        except (ValueError, RecursionError, MemoryError) as error:
            return [], [*errors, (1, 0, str(error) or "too deeply nested")]
        parts = text.split("\n")
        first = min(line, len(parts)) - 1
        while first > 0 and (not parts[first] or parts[first][0] in " \t)]}#"):
            first -= 1
        while first > 0 and parts[first - 1].startswith("@"):
            first -= 1
        last = first + 1
        while last < len(parts) and (
            last < line or not re.match(r"@|def |class |async |[A-Za-z_]\w*\s*[:=]", parts[last]) or parts[last - 1].startswith("@")
        ):
            last += 1
        if not any(parts[first:last]) or len(errors) > 100:
            return [], errors
        parts[first:last] = [""] * (last - first)
        text = "\n".join(parts)


# --- Numba: @njit("void(float64[:], f8[:,::1])") says the types of the parameters ---

NUMBA = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil"}
NUMBA_TYPES = {
    **{f"{letter}{size}": f"{name}{8 * size}" for letter, name in (("i", "int"), ("u", "uint"), ("f", "float"), ("c", "complex"))
       for size in (1, 2, 4, 8, 16)},
    **{name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
                               "complex64", "complex128")},
    "b1": "bool", "boolean": "bool", "bool_": "bool", "intp": "int64", "uintp": "uint64", "int_": "int64", "double": "float64",
    "float_": "float32", "intc": "int32", "long_": "int64", "longlong": "int64", "size_t": "uint64",
}  # fmt: skip


def numba_decorators(decorators):
    for decorator in decorators:
        name = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")) in NUMBA:
            yield decorator


def numba_type(text):
    """The annotation that one type of a signature is; None: it has none."""
    match = re.fullmatch(r"(?:\w+\.)*(\w+)(?:\[([:1, ]*)\])?", text.strip())
    name = match and NUMBA_TYPES.get(match[1])
    if not name or match[2] is None:
        return name or None
    extents = match[2].replace(" ", "").split(",")
    order = "C" if extents[-1] == "::1" else "F" if extents[0] == "::1" else None
    colons = ",".join([":"] * len(extents))
    return f"{name}[{colons}]" + (f"(order={order})" if order and len(extents) > 1 else "")


def numba_signature(decorators):
    """Annotations of the parameters, as far as a decorator of Numba says them."""
    for decorator in numba_decorators(decorators):
        first = decorator.args[0] if isinstance(decorator, ast.Call) and decorator.args else None
        if isinstance(first, (ast.List, ast.Tuple)):
            first = first.elts[0] if len(first.elts) == 1 else None
        if first is None:
            continue
        text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ast.unparse(first)
        match = re.fullmatch(r"[^()]*\((.*)\)", text.strip(), re.DOTALL)
        if match:
            return [numba_type(part) for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", match[1])]
    return []
