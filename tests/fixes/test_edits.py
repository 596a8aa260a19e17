"""Edits: only what differs is touched; comments, layout and notebook syntax stay."""

from __future__ import annotations

import pytest

from jax_nbhelp.fixes.edits import Edit, apply, expression_edits, import_edit, indent_unit
from jax_nbhelp.source import parse

ADD = ("f($$$R)", "f($$$R, k=1)")
SWAP = ("f($A, $B)", "f($B, $A)")
WRAP = ("f($A)", "f(g($A))")
GUARD = ("$D.go()", "if $D.ok:\n    $D.go()")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("«f(a)»", "f(a, k=1)"),
        ("«f()»", "f(k=1)"),
        ("«f(a,)»", "f(a, k=1)"),
        ("y = «f(a)»  # why", "y = f(a, k=1)  # why"),
        ("y = «f( a )»", "y = f( a, k=1 )"),
        ("«f(\n    a,  # first\n    b,  # second\n)»", "f(\n    a,  # first\n    b,  # second\n    k=1,\n)"),
        ("«f(\n    a,  # first\n    b  # second\n)»", "f(\n    a,  # first\n    b,  # second\n    k=1\n)"),
        ("«f(\n    a,\n    b\n)»", "f(\n    a,\n    b,\n    k=1\n)"),
        ("«f(a,\n  b)»", "f(a,\n  b, k=1)"),
        ("«f(a,\n  b)» ; g(c)", "f(a,\n  b, k=1) ; g(c)"),
        ("größe = «f('ü', größe)»  # ß", "größe = f('ü', größe, k=1)  # ß"),
        ("s = '🙂'; t = «f('🙂', s)» # 🙂", "s = '🙂'; t = f('🙂', s, k=1) # 🙂"),
        ("%%time\ny = «f(a)»", "%%time\ny = f(a, k=1)"),
        ("%time y = «f(a)»", "%time y = f(a, k=1)"),
        ("%timeit -n 10 -r 3 «f(a)»", "%timeit -n 10 -r 3 f(a, k=1)"),
        ("!ls\nfiles = !ls *.py\ny = «f(a)»\nf?", "!ls\nfiles = !ls *.py\ny = f(a, k=1)\nf?"),
        ("  y = «f(a)»\n  z = 1", "  y = f(a, k=1)\n  z = 1"),
        ("\n\n# head\n\ny = «f(a)»\n\n\n", "\n\n# head\n\ny = f(a, k=1)\n\n\n"),
        ("if x: y = «f(a)»", "if x: y = f(a, k=1)"),
        ("a; y = «f(a)»; b", "a; y = f(a, k=1); b"),
        ("f(b); «f(a)»; f(c)", "f(b); f(a, k=1); f(c)"),
        ("y = f(b) + «f(a)» + f(c)", "y = f(b) + f(a, k=1) + f(c)"),
        ("y = «f(a)»\r\nz = 1\r\n", "y = f(a, k=1)\r\nz = 1\r\n"),
        ("y = \\\n  «f(a)»", "y = \\\n  f(a, k=1)"),
        ("y = «f('''\n# no comment\n''')»", "y = f('''\n# no comment\n''', k=1)"),
        ("y = await «f(a)»", "y = await f(a, k=1)"),
        ("y = «f(f'{a!r:>{w}}')»", "y = f(f'{a!r:>{w}}', k=1)"),
        ("@«f(a)»\ndef g(): pass", "@f(a, k=1)\ndef g(): pass"),
    ],
)
def test_a_keyword_is_added_and_nothing_else_is_touched(cure, old, new):
    assert cure(old, *ADD) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("«f(a, b)»", "f(b, a)"),
        ("«f(a + 1, b * 2)»", "f(b * 2, a + 1)"),
        ("«f(a,  b)»  # c", "f(b, a)  # c"),
    ],
)
def test_arguments_change_places(cure, old, new):
    assert cure(old, *SWAP) == new


@pytest.mark.parametrize(
    "old",
    [
        "«f(\n  a,  # one\n  b,  # two\n)»",
        "«f(a,  # one\n  b)»",
        "«f(\n  # above\n  a,\n  b\n)»",
        "«f(a, # x\n # y\n b)»",
    ],
)
def test_comments_survive_when_arguments_change_places(cure, old):
    new = cure(old, *SWAP)
    assert new is not None
    comments = [line[line.index("#") :] for line in old.splitlines() if "#" in line]
    assert all(new.count(comment) == 1 for comment in comments)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("«f(a)»", "f(g(a))"),
        ("«f(\n  a  # why\n)»", "f(\n  g(a)  # why\n)"),
        ("«f((a))»", "f(g(a))"),
        ("«f((a, b))»", "f(g((a, b)))"),
        ("«f([a for a in b])»", "f(g([a for a in b]))"),
    ],
)
def test_an_argument_is_wrapped(cure, old, new):
    assert cure(old, *WRAP) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("«d.go()»", "if d.ok:\n    d.go()"),
        ("«d.go()»  # why", "if d.ok:\n    d.go()  # why"),
        ("for d in ds:\n  «d.go()»\nz = 1", "for d in ds:\n  if d.ok:\n    d.go()\nz = 1"),
        ("for d in ds:\n\t«d.go()»", "for d in ds:\n\tif d.ok:\n\t\td.go()"),
        ("for d in ds: «d.go()»", "for d in ds:\n    if d.ok:\n        d.go()"),
        ("for d in ds: «d.go()»  # why", "for d in ds:\n    if d.ok:\n        d.go()  # why"),
        ("a = 1; «d.go()»", "a = 1\nif d.ok:\n    d.go()"),
        ("«d.go()»; b = 2", "if d.ok:\n    d.go()\nb = 2"),
        ("a = 1; «d.go()»; b = 2  # why", "a = 1\nif d.ok:\n    d.go()\nb = 2  # why"),
        ("  «d.go()»\n  z = 1", "  if d.ok:\n      d.go()\n  z = 1"),
        ("%%time\n«d.go()»", "%%time\nif d.ok:\n    d.go()"),
        ("if x:\n  if y:\n    «d.go()»", "if x:\n  if y:\n    if d.ok:\n      d.go()"),
        (
            "def f(d):\n    '''doc'''\n    «d.go()»\n    return d",
            "def f(d):\n    '''doc'''\n    if d.ok:\n        d.go()\n    return d",
        ),
        ("«d.go()»\n", "if d.ok:\n    d.go()\n"),
        ("«d.go()»;", "if d.ok:\n    d.go();"),
    ],
)
def test_a_statement_is_wrapped_at_the_users_indentation(cure, old, new):
    assert cure(old, *GUARD, as_statement=True) == new


@pytest.mark.parametrize(
    "old", ["%time «d.go()»", "%timeit -n 1 «d.go()»", "for d in ds: a; «d.go()»", "if x: a; «d.go()»; b"]
)
def test_a_statement_that_shares_its_line_is_cured_rightly_or_refused(cure, old):
    new = cure(old, *GUARD, as_statement=True)
    assert new is None or parse(new) is not None


def test_a_statement_on_the_line_of_a_magic_is_refused_with_the_reason(scene, rule):
    (fix,) = scene("%time «d.go()»").fixes(rule(*GUARD, as_statement=True))
    assert fix.applicability == "display-only"
    assert "notebook command" in fix.reason
    assert fix.edits == ()


BLOCK = ("if $C:\n    return $A\nelse:\n    return $B", "return jax.numpy.where($C, $A, $B)")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "def f(x):\n    if «x > 0»:\n        return x\n    else:\n        return -x",
            "def f(x):\n    return jnp.where(x > 0, x, -x)",
        ),
        (
            "def f(x):\n  if «x > 0»: return x\n  else: return -x\n\nf(1)",
            "def f(x):\n  return jnp.where(x > 0, x, -x)\n\nf(1)",
        ),
    ],
)
def test_a_block_becomes_one_statement(cure, old, new):
    import jax.numpy as jnp

    assert cure(old, *BLOCK, names={"jnp": jnp}, as_statement=True) == new


def test_comments_inside_a_block_that_becomes_one_statement_are_kept(cure):
    old = "def f(x):\n    # choose\n    if «x > 0»:  # positive\n        return x  # as it is\n    else:\n        # mirrored\n        return -x"
    new = cure(old, *BLOCK, as_statement=True)
    for comment in ("# choose", "# positive", "# as it is", "# mirrored"):
        assert comment in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y = «f(a)»", "import jax.numpy as jnp\ny = jnp.abs(a)"),
        (
            "import os\nimport sys\n\ny = «f(a)»",
            "import os\nimport sys\nimport jax.numpy as jnp\n\ny = jnp.abs(a)",
        ),
        ("%%time\ny = «f(a)»", "%%time\nimport jax.numpy as jnp\ny = jnp.abs(a)"),
        ("# head\ny = «f(a)»", "# head\nimport jax.numpy as jnp\ny = jnp.abs(a)"),
        ("'''doc'''\ny = «f(a)»", "'''doc'''\nimport jax.numpy as jnp\ny = jnp.abs(a)"),
        (
            "%matplotlib inline\n!pip list\nimport os\ny = «f(a)»",
            "%matplotlib inline\n!pip list\nimport os\nimport jax.numpy as jnp\ny = jnp.abs(a)",
        ),
        ("  y = «f(a)»", "  import jax.numpy as jnp\n  y = jnp.abs(a)"),
        ("import os; y = «f(a)»", "import jax.numpy as jnp\nimport os; y = jnp.abs(a)"),
        (
            "import os; import sys\ny = «f(a)»",
            "import os; import sys\nimport jax.numpy as jnp\ny = jnp.abs(a)",
        ),
        (
            "from os import (\n  path,\n)\ny = «f(a)»",
            "from os import (\n  path,\n)\nimport jax.numpy as jnp\ny = jnp.abs(a)",
        ),
        ("y = (\n  «f(a)»)", "import jax.numpy as jnp\ny = (\n  jnp.abs(a))"),
        (
            "from __future__ import annotations\ny = «f(a)»",
            "from __future__ import annotations\nimport jax.numpy as jnp\ny = jnp.abs(a)",
        ),
        ("%time y = «f(a)»", "import jax.numpy as jnp\n%time y = jnp.abs(a)"),
    ],
)
def test_a_missing_import_is_added_where_imports_stand(cure, old, new):
    assert cure(old, "f($A)", "jax.numpy.abs($A)", names={}) == new


def test_an_import_that_the_cell_has_already_is_not_added_again(cure):
    old = "import jax.numpy as jnp\ny = «f(a)»"
    assert cure(old, "f($A)", "jax.numpy.abs($A)", names={}) == "import jax.numpy as jnp\ny = jnp.abs(a)"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("a", "    "),
        ("if a:\n  b", "  "),
        ("if a:\n\tb", "\t"),
        ("def f():  # c\n   x", "   "),
        ("x = {\n  1: 2}", "    "),
    ],
)
def test_the_users_step_of_indentation(text, unit):
    assert indent_unit(text) == unit


def test_edits_are_applied_from_the_end():
    assert apply("abcd", [Edit(0, 1, "X"), Edit(3, 4, "Y"), Edit(2, 2, "+")]) == "Xb+cY"


@pytest.mark.parametrize("text", ["x = 1", "import os\n", "", "\n\n# c", "%%time\n", "'''doc'''"])
def test_an_import_goes_on_a_line_of_its_own(text):
    source = parse(text)
    new = apply(text, [import_edit(source, "import jax")])
    assert "import jax" in new.split("\n")
    assert parse(new) is not None


def test_code_that_is_wrapped_leaves_no_blank_behind():
    old, new = "return (w - a) ** 2", "return jnp.sum((w - a) ** 2)"
    assert apply(old, expression_edits(old, new, 0)) == new
