"""What comments and tests cite exists; each kind of dead citation is found."""

import citations
import lints
import pytest

CONTRACT, FAILURES = ((lints.ROOT / "man" / name).read_text() for name in ("contract.md", "failures.md"))


def test_what_is_cited_exists():
    paths = [path for path in lints.tracked("cli/*.[ch]", "lib/*.[ch]", "tests/*.[ch]", "*.py")
             if "/expected/" not in path and not path.startswith("tests/house/samples/")]
    sources = {path: (lints.ROOT / path).read_text() for path in paths if path != "tests/house/test_citations.py"}
    complaints = citations.missing(sources, lints.tracked(), CONTRACT, FAILURES)
    assert not complaints, "\n" + "\n".join(complaints)


DEAD = {
    "a document": ("cli/a.c", "/* As semantics.md says. */\n"),
    "a file of a room": ("cli/a.c", "/* See plan/gone.c. */\n"),
    "a line of the contract": ("tests/test_a.py", "# C77: there is none\n"),
    "a failure": ("tests/test_a.py", '"""F3 is not in the table."""\n'),
    "a name": ("lib/a.h", "/* Given back by `gone_release`. */\n"),
}


@pytest.mark.parametrize("what", DEAD)
def test_dead_citations_are_found(what):
    path, text = DEAD[what]
    assert len(citations.missing({path: text}, [path, "cli/plan/plan.c"], CONTRACT, FAILURES)) == 1


def test_live_citations_are_not():
    said = "/* plan.c - see resolve.h, plan/resolve.h (C12, F16, C99). `plan_check` checks. */\nint plan_check(void);\n"
    sources = {"cli/plan/plan.c": said,
               "tests/test_a.py": '"""Not cited: text."""\nname = "gone.c C77"\n'}
    assert not citations.missing(sources, [*sources, "cli/plan/resolve.h"], CONTRACT, FAILURES)


def test_documents_link_to_what_exists():
    complaints = []
    for path in lints.tracked("*.md"):
        complaints += citations.missing_of_document(path, (lints.ROOT / path).read_text(), lints.tracked())
    assert not complaints, "\n" + "\n".join(complaints)


def test_dead_links_of_documents_are_found():
    text = ("[a](plan/plan.c) [b](https://b) [c](#d) [e](gone.md)\n\n    [f](code)\n\n"
            "`plan/gone.c`, `double x[n]`, `NAME.c`, `lost.py`\n")
    assert citations.missing_of_document("cli/README.md", text, ["cli/README.md", "cli/plan/plan.c"]) == [
        "cli/README.md: links to gone.md, which is not there", "cli/README.md: cites plan/gone.c, which is not there",
        "cli/README.md: cites lost.py, which is not there"]
