"""The walls between rooms hold, and each kind of hole in them is found."""

import lints
import pytest
import walls


@pytest.fixture(scope="module")
def tree():
    return {path: (lints.ROOT / path).read_text() for path in lints.tracked("cli/*.[ch]", "lib/*.[ch]")}


def test_private_headers_stay_private(tree):
    assert not walls.private_headers(tree)


def test_arrows_between_rooms_go_one_way(tree):
    assert not walls.cycles(tree)


def test_arrows_within_the_engine_go_one_way(tree):
    core = {path: text for path, text in tree.items() if path.startswith("lib/core/")}
    assert not walls.cycles(core, walls.idea_of)


def test_every_include_is_found(tree):
    """Else an arrow would go unseen. What is generated is no file of the tree."""
    assert [(path, name) for path, name, header in walls.included(tree) if header is None and not name.endswith(".inc")] == []


HOLES = {
    "private header": (walls.private_headers, {
        "cli/plan/plan.c": '#include "emit/emit_internal.h"\n', "cli/emit/emit_internal.h": ""}),
    "own header by a path": (walls.private_headers, {
        "cli/plan/plan.c": '#include "plan/plan.h"\n', "cli/plan/plan.h": ""}),
    "two rooms": (walls.cycles, {
        "cli/plan/plan.c": '#include "emit/emit.h"\n', "cli/plan/plan.h": "",
        "cli/emit/emit.c": '#include "plan/plan.h"\n', "cli/emit/emit.h": ""}),
    "three rooms": (walls.cycles, {
        "lib/python/a/a.h": '#include "b/b.h"\n', "lib/python/b/b.h": '# include "c/c.h"\n', "lib/python/c/c.h": "",
        "lib/python/c/c.c": '#include "a/a.h"\n'}),
    "two ideas of one room": (lambda sources: walls.cycles(sources, walls.idea_of), {
        "lib/core/a.h": '#include "b_internal.h"\n', "lib/core/b_internal.h": "", "lib/core/b.c": '#include "a.h"\n'}),
}


@pytest.mark.parametrize("name", HOLES)
def test_holes_are_found(name):
    lint, sources = HOLES[name]
    assert lint(sources)


def test_one_way_is_no_hole():
    sources = {"cli/emit/emit.c": '#include "plan/plan.h"\n#include "emit.h"\n', "cli/emit/emit.h": "", "cli/plan/plan.h": ""}
    assert not walls.cycles(sources) and not walls.private_headers(sources)
