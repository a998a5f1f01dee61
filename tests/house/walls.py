"""walls.py - the rooms of the tree, and who may look into which.

A room is a folder with C files (cli/plan, lib/python/arrays; the files directly in cli and in lib/python are the tops). Its files
include one another by plain name, and other rooms' headers as "room/header.h". A header named *_internal.h is for its own
room alone. Between rooms, arrows go one way: no room can be reached from what it includes.
"""

import re
from pathlib import PurePosixPath

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# Where the compiler looks, part by part (the Makefile's -I).
ROOTS = {"cli": ["cli", "lib/include"], "lib": ["lib", "lib/include"], "lib/python": ["lib/python", "lib", "lib/include"]}


def roots_of(path):
    return ROOTS[max((part for part in ROOTS if path.startswith(part + "/")), key=len)]


def room_of(path):
    return str(PurePosixPath(path).parent)


def included(sources):
    """(file, the header as it is written, the header's path or None where no file of the tree is meant), one a line of `sources`:
    a dictionary of paths and texts."""
    for path, text in sources.items():
        for name in INCLUDE.findall(text):
            candidates = [f"{room}/{name}" for room in [room_of(path), *roots_of(path)]]
            yield path, name, next((found for found in candidates if found in sources), None)


def private_headers(sources):
    """Headers of other rooms that are not for this one, and names that hide which room a header is from."""
    complaints = []
    for path, name, header in included(sources):
        if header is None or room_of(header) == room_of(path):
            if header is not None and "/" in name:
                complaints.append(f'{path}: includes "{name}": a header of its own room is included by its plain name')
        elif header.endswith("_internal.h"):
            complaints.append(f'{path}: includes "{name}": that header is private to {room_of(header)}')
    return complaints


def arrows(sources, unit=room_of):
    """What includes what, as {unit: {unit: (file, header)}}; one example an arrow."""
    graph = {}
    for path, name, header in included(sources):
        if header is not None and unit(header) != unit(path):
            graph.setdefault(unit(path), {}).setdefault(unit(header), (path, name))
    return graph


def reached(graph, start):
    seen, todo = set(), [start]
    while todo:
        for unit in graph.get(todo.pop(), {}):
            if unit not in seen:
                seen.add(unit)
                todo.append(unit)
    return seen


def cycles(sources, unit=room_of):
    """Every arrow that leads to where it came from."""
    graph = arrows(sources, unit)
    return [f'{path}: includes "{name}": {there} reaches {here} as well, so the arrows go round'
            for here, targets in sorted(graph.items()) for there, (path, name) in sorted(targets.items())
            if here in reached(graph, there)]


def idea_of(path):
    """session.h, session_internal.h and session_memory.c are one idea: the finer unit that lib/core keeps one-way too."""
    return f"{room_of(path)}/{re.split('[_.]', PurePosixPath(path).name)[0]}"
