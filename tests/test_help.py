"""`jax_nbhelp.explain`: exceptions, messages, slugs, and what is not known."""

from __future__ import annotations

import functools
import gc
import pkgutil
import re
import weakref
from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jax_nbhelp
from jax_nbhelp import phrases
from jax_nbhelp.catalog.index import from_records, installed
from jax_nbhelp.catalog.record import Occurrence, Record
from jax_nbhelp.cell import Cell, Compiled
from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.help import help_for
from jax_nbhelp.hosts.plain import PlainShell
from jax_nbhelp.phrases.english import PHRASES

SETUP = "import jax, jax.numpy as jnp\n"
MESSAGE = "vmap got inconsistent sizes for array axes to be mapped:\n  * one axis had size 3"


def raised(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001  whatever it is
        return error
    raise AssertionError("nothing was raised")


def bad_vmap():
    jax.vmap(lambda x, y: x)(jnp.ones(3), jnp.ones(4))


def test_an_exception_is_explained_outside_a_notebook():
    found = jax_nbhelp.explain(raised(bad_vmap))
    assert (found.record, found.confidence) == ("vmap-inconsistent-sizes", "exact")
    assert found.error_class == "ValueError"
    assert found.explanation.title
    assert found.where is None
    assert found.fixes == ()
    assert "can change safely" in found.explanation.no_fix


def test_no_module_of_the_package_bears_the_name_of_a_public_function():
    for module in pkgutil.walk_packages(jax_nbhelp.__path__, "jax_nbhelp."):
        assert module.name.removeprefix("jax_nbhelp.") not in jax_nbhelp.__all__


def test_a_record_says_why_it_offers_no_fix():
    branches = raised(lambda: jax.lax.cond(True, lambda: (1, 2), lambda: 1))
    found = jax_nbhelp.explain(branches)
    assert found.record == "branch-structures-differ"
    assert found.explanation.no_fix.startswith("only you know")
    assert "No fix to apply: only you know" in found._repr_mimebundle_()[0]["text/plain"]


@pytest.mark.parametrize("text", [MESSAGE, "ValueError: " + MESSAGE, MESSAGE.replace("\n", "   ")])
def test_a_message_is_recognised_with_or_without_its_class(text):
    found = jax_nbhelp.explain(text)
    assert (found.record, found.confidence) == ("vmap-inconsistent-sizes", "exact")


def test_every_slug_explains_its_record():
    for slug in installed().slugs():
        found = jax_nbhelp.explain(slug)
        assert found.record == slug
        assert found.explanation.title
        assert found.explanation.cause


@pytest.mark.parametrize("text", ["", "no-such-slug", "nothing that JAX says", ": ", "x" * 100_000])
def test_what_is_not_known_is_said_so(text):
    found = jax_nbhelp.explain(text)
    assert (found.record, found.confidence, found.fixes) == (None, "none", ())
    assert found.explanation.cause


@pytest.mark.parametrize(
    "error", [ValueError("mine"), KeyError(), KeyboardInterrupt(), ExceptionGroup("g", [ValueError("x")])]
)
def test_an_exception_that_is_not_jaxs_is_said_so(error):
    found = jax_nbhelp.explain(error)
    assert (found.record, found.confidence) == (None, "none")
    assert found.error_class == type(error).__name__


def test_what_is_not_jaxs_gets_no_help_in_a_notebook():
    assert help_for(ValueError("mine")) is None


@pytest.mark.parametrize(
    ("cells", "recognised"),
    [
        (["import jax.numpy as jnp\njnp.dot(jnp.ones(2), jnp.ones(2), out=3)"], True),
        (["def dot(a, b): return a * b", "dot(1, 2, out=3)"], False),
        (["import jax.numpy as jnp\njnp.moveaxis(jnp.ones(2), 0, dest=0)"], True),
        (["import jax\njax.random.key()"], True),
        (["import jax.numpy as jnp\nx = jnp.ones(2)", "x.reshape(newshape=3)"], True),
        (["import jax\njax.ShapeDtypeStruct((3,))"], True),
        (["import jax\ndef half(x, n): return x", "jax.vmap(lambda x: half(x))(jax.numpy.ones(2))"], False),
        (["import jax, numpy as np\nnp.expand_dims(jax.numpy.ones(2))"], False),
        (["import functools, jax\nhot = functools.partial(jax.nn.one_hot, dtype=int)", "hot(3)"], False),
        (["def grad(f, x): return f", "grad(1, argnum=2)"], False),
        (["import jax, numpy as np\nnp.sum(np.ones(3), dim=0)"], False),
    ],
)
def test_a_function_of_the_users_with_a_name_of_jaxs_is_not_explained(cells, recognised):
    shell = PlainShell()
    error = shell.run(cells)
    assert isinstance(error, TypeError)
    assert bool(help_for(error, shell.book, shell.namespace)) is recognised


def test_the_help_displays_itself():
    data, _ = jax_nbhelp.explain(raised(bad_vmap))._repr_mimebundle_()
    assert {"text/plain", "text/html"} <= set(data)
    assert "vmap" in data["text/plain"]


def test_a_message_that_is_a_draft_is_marked_as_unverified():
    record = Record("0" * 16, "draft", "a", "t", "c", (Occurrence("words of a draft: {x}"),))

    class Error(Exception):
        pass

    Error.__module__ = "jax.errors"
    found = help_for(Error("words of a draft: 3"), catalog=from_records([record]))
    assert found.record == "draft"
    assert found.explanation.unverified
    assert found.fixes == ()


class OneCell:
    """A cell that ran under the file name `<cell>`."""

    def __init__(self, text):
        self.current = Cell(text, "id", 1)

    def find(self, filename):
        return Compiled(self.current, self.current.text) if filename == "<cell>" else None

    def latest(self):
        return [self.current]

    def seconds(self, cell):
        return 0.0


def test_an_explained_error_keeps_no_object_of_the_users_alive():
    class Big:
        pass

    text = SETUP + "def f(x, big):\n    return jax.vmap(lambda a, b: a)(x, jnp.ones(4))\nf(jnp.ones(3), big)"
    namespace = {"big": Big()}
    alive = weakref.ref(namespace["big"])
    error = raised(functools.partial(exec, compile(text, "<cell>", "exec"), namespace))
    found = help_for(error, OneCell(text), namespace)
    assert found.fixes[0].holes
    del error, namespace
    gc.collect()
    assert alive() is None
    assert found.fixes[0].with_values({"axes": "(None, 0)"}).edits


@given(st.text(max_size=200))
def test_any_text_is_explained(text):
    found = jax_nbhelp.explain(text)
    assert found.explanation.title


@given(st.text(max_size=200), st.sampled_from([ValueError, TypeError, KeyError, OSError, UnicodeError]))
def test_any_message_of_an_error_is_explained(text, cls):
    assert jax_nbhelp.explain(cls(text)).explanation.title


def test_an_exception_whose_text_cannot_be_made_is_explained():
    class HostileError(ValueError):
        def __str__(self):
            raise RuntimeError

        __repr__ = __str__

    assert jax_nbhelp.explain(HostileError()).message == ""


@pytest.fixture
def french():
    phrases.choose("fr")
    yield
    phrases.choose(None)


def help_in_cells(*cells, catalog=None):
    shell = PlainShell()
    error = shell.run([SETUP, *cells])
    return help_for(error, shell.book, shell.namespace, catalog)


VMAP = (
    "states, controls = jnp.ones((10, 4)), jnp.ones((10, 2))",
    "jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))(states, controls)",
)


def english_words_in(text):
    """The English phrases that a text holds: of each, the longest piece between its values."""
    found = []
    for group in set(PHRASES) - {"shell"}:
        for name, phrase in PHRASES[group].items():
            piece = max(re.split(r"\{\w+\}", phrase), key=len).strip(" `")
            own = piece not in phrases.phrases(group)[name] and re.search(r"[a-z]{2}", piece)
            if own and re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", text):
                found.append(piece)
    return found


def test_a_translated_help_names_the_users_values_and_keeps_jaxs_message(french):
    found = help_in_cells(*VMAP)
    assert found.explanation.title == "vmap\u00a0: les axes parcourus n'ont pas la même longueur"
    assert found.explanation.cause.endswith(
        "Ici, l'axe 0 de `states` est de longueur 10 et l'axe 1 de `controls` est de longueur 2."
    )
    page = found._repr_mimebundle_()[0]
    assert re.search(r'lang="en">ValueError: vmap got inconsistent sizes', page["text/html"])
    assert "Dans la cellule [" in page["text/plain"]


def test_a_translated_help_says_nothing_of_ours_in_english(french):
    found = help_in_cells(*VMAP)
    reasons = [one.reason for fix in found.fixes for hole in fix.holes for one in hole.candidates]
    assert "`states` est partagé" in reasons
    text = "\n".join([found._repr_mimebundle_()[0]["text/plain"], *reasons])
    assert english_words_in(text) == []
    phrases.choose("en")
    shown = help_in_cells(*VMAP)._repr_mimebundle_()[0]["text/plain"]
    phrases.choose("fr")
    assert {"has length", "Fix"} <= set(english_words_in(shown))


def test_a_record_that_is_not_translated_speaks_one_language(french):
    record = replace(installed().record("cannot-reshape"), translations={})
    fix = help_in_cells("jnp.ones(6).reshape(4, 2)", catalog=from_records([record])).fixes[0]
    assert fix.title == "Reshape to (-1, 2): axis 0 gets length 3"
    assert fix.holes[0].candidates[-1].reason == "one axis with all elements"
    with pytest.raises(HoleError, match="il faut une valeur ici"):
        fix.with_values({fix.holes[0].name: ""})
