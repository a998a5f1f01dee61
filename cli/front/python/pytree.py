"""Parses Python files with this interpreter's own ast and writes their trees as one flat stream for pytree.c.

Nothing of the files is imported or executed. Run as: python -I -S -c THIS KINDS HELPERS with, on stdin, lines of
"root PATH" (a folder for absolute imports) and "file PATH" (a file that was asked for).

KINDS has a line for each node kind: "number Name fields". It is the table of pytree.h, from which the emitters below
are made. A field is @x (the node's name: the string x.id, x.attr, ...), !x (the same: the names of the operators x), x (a
child), *x (a child that is a list) or +x (the last one: its elements are children themselves).

Modules that a kernel calls into are found through its imports (local ones too) and come into the stream as further files;
for stubs these are the stubs of the classes that their annotations name.
A function counts as a kernel when it has an annotated parameter, or when one that does calls it; so the imports
of a test or a driver in the same file are not followed.

HELPERS is the text of pytree_helpers.py.

The stream: int32 counts (ints, strings, bytes of strings), the ints, the lengths of the strings, the strings.
The ints: the number of files, then each file's nodes in preorder, four ints a node (kind | children << 8, line,
column, string or number), then for each imported module the index of its file, or -1.
"""

import _thread
import ast
import gc
import os
import re
import sys
import types
from array import array

gc.disable()
sys.setrecursionlimit(1000000)  # trees are as deep as an expression is long; see run() for the stack that this needs
helpers = types.ModuleType("helpers")
exec(sys.argv[2], helpers.__dict__)


class Strings(dict):
    """Numbers of strings, given out at their first use."""

    def __missing__(self, text):
        self[text] = number = len(self)
        return number


class File:
    """A parsed file: what it defines and imports at its top level, and what each definition refers to."""

    def __init__(self, path):
        self.path = path
        self.is_stub = path.endswith(".pyi")
        self.folder = os.path.dirname(path)
        self.definitions = {}  # name: Definition
        self.imports = {}  # bound name: (module reference, imported name or None)
        self.stars = []  # module references of "from m import *"


class Definition:
    """A top-level function or class: dotted names it calls or annotates with, and its own imports."""

    def __init__(self, node):
        self.node = node
        self.references = set()
        self.imports = {}
        self.stars = []
        self.reached = False


strings = Strings()
kinds = {}
out = []
add = out.extend
roots = []
files = []
loaded = {}  # real path: File or None
modules = Strings()  # (folder of the importing file or of its package, level, dotted name, is a stub): reference
module_files = {}  # reference: File or None
IDENTIFIER = re.compile(r"[^\W\d][\w.]*")

current = None  # Definition being emitted; names of the top level go to `top`
depth = 0  # of the functions around what is being emitted
file = None
lines = []


def line_bytes():
    """The file's lines as UTF-8, in which ast counts columns."""
    global lines
    if isinstance(lines, str):
        lines = lines.encode("utf-8", "replace").splitlines(True)
    return lines


def source(node):
    """The text of a node, its line breaks and runs of blanks replaced by single blanks."""
    text = line_bytes()
    first, last = node.lineno - 1, node.end_lineno - 1
    if first == last:
        piece = text[first][node.col_offset : node.end_col_offset]
    else:
        piece = b" ".join([text[first][node.col_offset :], *text[first + 1 : last], text[last][: node.end_col_offset]])
    return b" ".join(piece.split()).decode("utf-8", "replace")


def emit(node):
    emitters[type(node)](node)


class Emitters(dict):
    def __missing__(self, kind):
        """What has no row: its children, as children of an "Other"; the names that it may bind as Names."""

        def other(node):
            fields = [value for field in kind._fields for value in helpers.as_list(getattr(node, field, None))]
            names = [value for value in fields if isinstance(value, str)]
            children = [ast.Name(name, lineno=0, col_offset=0) for name in names if name.isidentifier()]
            children += [c for c in ast.iter_child_nodes(node) if not isinstance(c, helpers.OPERATORS)]
            add(
                (
                    kinds["Other"] | len(children) << 8,
                    getattr(node, "lineno", 0),
                    getattr(node, "col_offset", 0),
                    strings[kind.__name__],
                )
            )
            for child in children:
                emitters[type(child)](child)

        self[kind] = other
        return other


emitters = Emitters()


def compile_emitter(name, number, fields):
    """The emitter of one row: straight-line code, since it runs for every node."""
    kind = getattr(ast, name, None)
    if kind is None:  # not in this version of Python, or emitted by a function below
        return
    children, label, tail = [], "0", None
    for field in fields:
        if field[0] == "@":
            label = f"strings[x.{field[1:]} or '']"
        elif field[0] == "!":
            label = f"strings[operators(x.{field[1:]})]"
        elif field[0] == "+":
            tail = f"x.{field[1:]}"
        else:
            children.append(field)
    count = f"{number | len(children) << 8}" + (f" + (len({tail}) << 8)" if tail else "")
    place = "x.lineno, x.col_offset" if "lineno" in kind._attributes else "0, 0"
    code = [f"def e(x):\n add(({count}, {place}, {label}))"]
    for field in children:
        if field[0] == "*":
            code.append(f" l = x.{field[1:]}\n add(({kinds['List_']} | len(l) << 8, 0, 0, 0))\n for c in l: emitters[type(c)](c)")
        else:
            code.append(f" c = x.{field}\n emitters[type(c)](c)")
    if tail:
        code.append(f" for c in {tail}: emitters[type(c)](c)")
    space = {"add": add, "strings": strings, "emitters": emitters, "operators": helpers.operators}
    exec("\n".join(code), space)
    emitters[kind] = space["e"]


def emit_none(_):
    add((kinds["None_"], 0, 0, 0))


def emit_text(node):
    """An annotation or a default as text: the string's own content, else the source."""
    if node is None:
        return emit_none(node)
    text = node.value if type(node) is ast.Constant and type(node.value) is str else source(node)
    add((kinds["Text"], node.lineno, node.col_offset, strings[text]))
    return None


def emit_annotation(node):
    emit_text(node)
    if node is not None and current is not None:
        text = node.value if type(node) is ast.Constant and type(node.value) is str else source(node)
        current.references.update(IDENTIFIER.findall(text))


def emit_default(node):
    """A default is always source text, so that a string keeps its quotes."""
    if node is None:
        return emit_none(node)
    add((kinds["Text"], node.lineno, node.col_offset, strings[source(node)]))
    return None


def emit_constant(node):
    value = node.value
    kind = type(value)
    if kind is int:
        name, text = "Integer", str(value) if -1 << 64 < value < 1 << 64 else "big"
    elif kind is str:
        name, text = "String", value
    elif value is None:
        name, text = "NoneValue", ""
    elif kind is bool:
        name, text = "Boolean", str(value)
    elif value is Ellipsis:
        name, text = "EllipsisValue", ""
    elif kind is bytes:
        name, text = "String", ""
    else:
        name, text = "Number", ""
    add((kinds[name], node.lineno, node.col_offset, strings[text]))


def emit_call(node):
    func, args, keywords = node.func, node.args, node.keywords
    if current is not None:
        name = func.id if type(func) is ast.Name else helpers.dotted(func)
        if name:
            current.references.add(name)
    add((kinds["Call"] | 1 + len(args) + len(keywords) << 8, node.lineno, node.col_offset, len(args)))
    emitters[type(func)](func)
    for c in args:
        emitters[type(c)](c)
    for c in keywords:
        emitters[type(c)](c)


def emit_expression(node):
    """An expression statement; a string by itself does nothing."""
    if type(node.value) is ast.Constant:
        add((kinds["Pass"], node.lineno, node.col_offset, 0))
    else:
        add((kinds["Expr"] | 1 << 8, node.lineno, node.col_offset, 0))
        emit(node.value)


def emit_list(nodes):
    add((kinds["List_"] | len(nodes) << 8, 0, 0, 0))
    for c in nodes:
        emitters[type(c)](c)


def emit_arguments(rows, nested, signature):
    """Of a function inside a function a default is there as an expression, too: it is evaluated there."""
    add((kinds["List_"] | len(rows) << 8, 0, 0, 0))
    for i, (kind, argument, default) in enumerate(rows):
        add((kinds[kind] | 2 + nested << 8, argument.lineno, argument.col_offset, strings[argument.arg]))
        if argument.annotation is None and i < len(signature) and signature[i]:
            add((kinds["Text"], argument.lineno, argument.col_offset, strings[signature[i]]))
        else:
            emit_annotation(argument.annotation)
        emit_default(default)
        if nested:
            emit(default)


def docstring(node):
    first = node.body[0] if node.body else None
    if type(first) is ast.Expr and type(first.value) is ast.Constant and type(first.value.value) is str:
        add((kinds["Text"], first.lineno, first.col_offset, strings[first.value.value]))
    else:
        emit_none(None)


def emit_function(node):
    global current, depth
    outer, current = current, current or file.definitions.get(node.name)
    add((kinds["FunctionDef"] | 6 << 8, node.lineno, node.col_offset, strings[node.name]))
    # "async" can be no decorator's name in Python, so it stands for what comes before the def.
    before = [ast.Name("async", lineno=node.lineno, col_offset=node.col_offset)] if isinstance(node, ast.AsyncFunctionDef) else []
    emit_list(before + node.decorator_list)
    rows, nested = helpers.all_arguments(node.args), depth > 0
    emit_arguments(rows, nested, helpers.numba_signature(node.decorator_list))
    emit_annotation(node.returns)
    docstring(node)
    depth += 1
    emit_list(node.body)
    depth -= 1
    annotations = [argument.annotation for _, argument, _ in rows] + [node.returns]
    emit_list([x for x in annotations if nested and helpers.is_evaluated(x)])
    current = outer


def emit_lambda(node):
    """A function without a name, whose body is a return."""
    global depth
    add((kinds["FunctionDef"] | 6 << 8, node.lineno, node.col_offset, strings[""]))
    emit_list([])
    emit_arguments(helpers.all_arguments(node.args), True, [])
    emit_none(None)
    emit_none(None)
    depth += 1
    emit_list([ast.Return(node.body, lineno=node.lineno, col_offset=node.col_offset)])
    depth -= 1
    emit_list([])


def emit_class(node):
    global current
    outer, current = current, current or file.definitions.get(node.name)
    if current is not None:
        current.references.update(filter(None, map(helpers.dotted, node.bases)))
    add((kinds["ClassDef"] | 4 << 8, node.lineno, node.col_offset, strings[node.name]))
    emit_list(node.decorator_list)
    emit_list(node.bases + node.keywords)
    docstring(node)
    emit_list(node.body)
    current = outer


def emit_annotated_assignment(node):
    add((kinds["AnnAssign"] | 3 << 8, node.lineno, node.col_offset, 0))
    emit(node.target)
    emit_annotation(node.annotation)
    emit(node.value)


def reference(level, name):
    """The number of a module as this file names it; what it is, is found out only when a kernel needs it."""
    folder = file.folder
    for _ in range(level - 1):
        folder = os.path.dirname(folder)
    return modules[folder, level, name, file.is_stub]


def emit_import(node):
    """Children: a Binding (the bound name) for each alias, with the module's full name and reference."""
    scope = current or file
    add((kinds["Import"] | len(node.names) << 8, node.lineno, node.col_offset, 0))
    for alias in node.names:
        module = reference(0, alias.name)
        add((kinds["Binding"] | 2 << 8, node.lineno, node.col_offset, strings[alias.asname or alias.name]))
        add((kinds["Text"], node.lineno, node.col_offset, strings[alias.name]))
        add((kinds["Module"], 0, 0, module))
        scope.imports[alias.asname or alias.name] = module, None


def emit_import_from(node):
    """Children: a Binding for each alias, with the name in the module, the module, and the submodule of that name."""
    scope = current or file
    add((kinds["ImportFrom"] | len(node.names) << 8, node.lineno, node.col_offset, strings["." * node.level + (node.module or "")]))
    base = node.module or ""
    module = reference(node.level, base)
    for alias in node.names:
        submodule = reference(node.level, f"{base}.{alias.name}" if base else alias.name)
        add((kinds["Binding"] | 3 << 8, node.lineno, node.col_offset, strings[alias.asname or alias.name]))
        add((kinds["Text"], node.lineno, node.col_offset, strings[alias.name]))
        add((kinds["Module"], 0, 0, module))
        add((kinds["Module"], 0, 0, submodule))
        if alias.name == "*":
            scope.stars.append(module)
        else:
            scope.imports[alias.asname or alias.name] = module, (alias.name, submodule)


def emit_names(node):
    """global and nonlocal: a Name for each."""
    add((kinds[type(node).__name__] | len(node.names) << 8, node.lineno, node.col_offset, 0))
    for name in node.names:
        add((kinds["Name"], node.lineno, node.col_offset, strings[name]))


def search_folders(folder):
    """Where absolute imports of a file in `folder` are looked up: its package's root, its own folder (a script), the
    folders above (packages without __init__.py), the given roots."""
    root = folder
    while os.path.isfile(os.path.join(root, "__init__.py")):
        root = os.path.dirname(root)
    yield root
    yield folder
    while True:
        above = os.path.dirname(root)
        if above == root:
            break
        yield above
        root = above
    yield from roots


def find_module(key):
    """The file of a module; for a stub the other module's stub, as `pyccel` or `pyccel make` places it."""
    folder, level, name, stub = key
    path = name.replace(".", "/")
    if stub:
        candidates = [f"{path}.pyi", os.path.join(os.path.dirname(path), "__pyccel__", os.path.basename(path) + ".pyi")]
    else:
        candidates = [f"{path}/__init__.py" if path else "__init__.py", f"{path}.py"]
    for root in [folder] if level else search_folders(folder):
        for candidate in candidates:
            full = os.path.join(root, candidate)
            if path + candidate != ".py" and os.path.isfile(full):
                return full
    return None


# Modules that are known by their names and never looked for.
KNOWN = {"numpy", "math", "cmath", "typing", "pyccel", "scipy", "sys", "os", "time", "itertools", "functools"}


def module_file(number):
    """The File of a reference, loaded now if it was not, or None."""
    if number not in module_files:
        key = module_keys()[number]
        known = key[1] == 0 and key[2].partition(".")[0] in KNOWN
        path = None if known else find_module(key)
        module_files[number] = load(path) if path else None
    return module_files[number]


_keys = []


def module_keys():
    if len(_keys) != len(modules):
        _keys[:] = modules
    return _keys


def resolve(scopes, name, depth=0):
    """Reaches the definition that the dotted name means in these scopes (Definition, File)."""
    head, _, rest = name.partition(".")
    if depth > 20:
        return
    for scope in scopes:
        found = scope.imports.get(head)
        if found:
            module, imported = found
            if imported is None:
                target = module_file(module)
            else:
                original, submodule = imported
                base = module_file(module)
                if base is not None and resolve_in(base, f"{original}.{rest}" if rest else original, depth + 1):
                    return
                target = module_file(submodule) if rest else None
            if target is not None and rest:
                resolve_in(target, rest, depth + 1)
            return
        for key, (module, imported) in scope.imports.items():  # import a.b.c; a.b.c.f()
            if imported is None and "." in key and name.startswith(key + "."):
                target = module_file(module)
                if target is not None:
                    resolve_in(target, name[len(key) + 1 :], depth + 1)
                return
        if isinstance(scope, File) and head in scope.definitions:
            reach(scope, scope.definitions[head])
            return
        for star in scope.stars:
            target = module_file(star)
            if target is not None and resolve_in(target, name, depth + 1):
                return


def resolve_in(target, name, depth):
    """The same inside a module; true if the module knows the name's head."""
    head = name.partition(".")[0]
    known = head in target.definitions or head in target.imports
    if known or target.stars:
        resolve([target], name, depth)
    return known


work = []


def reach(owner, definition):
    if not definition.reached:
        definition.reached = True
        work.append((owner, definition))


def is_kernel(node):
    """True if a parameter is annotated, or Numba compiles it; of a class, a method's."""
    if isinstance(node, ast.ClassDef):
        return any(isinstance(x, ast.FunctionDef) and is_kernel(x) for x in node.body)
    annotated = any(argument.annotation for _, argument, _ in helpers.all_arguments(node.args))
    return annotated or any(helpers.numba_decorators(node.decorator_list))


def load(path):
    """Parses a file and appends its nodes to the stream. Returns its File."""
    global file, lines, current
    real = os.path.realpath(path)
    if real in loaded:
        return loaded[real]
    saved = file, lines, current
    loaded[real] = file = File(os.path.relpath(path) if os.path.isabs(path) else path)
    file.folder = os.path.dirname(real)
    file.number = len(files)
    files.append(file)
    current = None
    errors, body, notes = [], [], []
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        if data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        lines = data.decode("utf-8").replace("\r\n", "\n")
        body, errors = helpers.parse(lines)
        if "#$" in lines:
            notes = [(n, x) for n, x in enumerate(lines.split("\n"), 1) if x.startswith("#$")]
    except OSError as error:
        errors = [(0, 0, error.strerror)]
    except UnicodeDecodeError as error:
        errors = [(data.count(b"\n", 0, error.start) + 1, 0, "not UTF-8")]
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            file.definitions[node.name] = Definition(node)
    add((kinds["File"] | 2 << 8, 0, 0, strings[file.path]))
    add((kinds["List_"] | len(errors) + len(notes) << 8, 0, 0, 0))
    for line, column, text in errors:
        add((kinds["Error"], line, column, strings[text]))
    for line, text in notes:
        add((kinds["Header"], line, 0, strings[text]))
    emit_list(body)
    result = file
    file, lines, current = saved
    return result


def main():
    for row in sys.argv[1].splitlines():
        number, name, *fields = row.split()
        kinds[name] = int(number)
    for row in sys.argv[1].splitlines():
        number, name, *fields = row.split()
        compile_emitter(name, int(number), fields)
    emitters.update(
        {
            type(None): emit_none,
            ast.Constant: emit_constant,
            ast.Call: emit_call,
            ast.Expr: emit_expression,
            ast.FunctionDef: emit_function,
            ast.AsyncFunctionDef: emit_function,
            ast.ClassDef: emit_class,
            ast.AnnAssign: emit_annotated_assignment,
            ast.Import: emit_import,
            ast.ImportFrom: emit_import_from,
            ast.Global: emit_names,
            ast.Nonlocal: emit_names,
            ast.Lambda: emit_lambda,
        }
    )
    out.append(0)
    asked = []
    for row in os.fsdecode(sys.stdin.buffer.read()).splitlines():
        word, _, path = row.partition(" ")
        (roots if word == "root" else asked).append(path)
    for path in asked:
        load(path)
    for owner in files[:]:
        for definition in owner.definitions.values():
            if is_kernel(definition.node):
                reach(owner, definition)
    while work:
        owner, definition = work.pop()
        for name in sorted(definition.references):
            resolve((definition, owner), name)
    out[0] = len(files)
    for number in range(len(modules)):
        target = module_files.get(number)
        out.append(-1 if target is None else target.number)
    blobs = [text.encode("utf-8", "replace") for text in strings]
    data = b"".join(blobs)
    write = sys.stdout.buffer.write
    write(array("i", (len(out), len(blobs), len(data))).tobytes())
    write(array("i", out).tobytes())
    write(array("i", map(len, blobs)).tobytes())
    write(data)


def run():
    """main() on a stack that holds the deepest tree."""
    outcome = []
    done = _thread.allocate_lock()

    def body():
        try:
            main()
        except BaseException as error:  # noqa: BLE001 - reported by the main thread
            outcome.append(error)
        done.release()

    done.acquire()
    for megabytes in (512, 64):
        try:
            _thread.stack_size(megabytes << 20)
            _thread.start_new_thread(body, ())
            break
        except (RuntimeError, MemoryError):
            if megabytes == 64:
                raise
    done.acquire()
    if outcome:
        raise outcome[0]
    sys.stdout.flush()


run()
