"""Terms of JAX's are linked to its documentation, once, and never inside code."""

from __future__ import annotations

from jax_nbhelp.glossary import linked
from jax_nbhelp.views.html import explained


def test_a_term_is_linked_at_its_first_mention_only():
    pages = [page for _, page in linked("A tracer is no array, and a tracer has no value.") if page]
    assert pages == ["https://docs.jax.dev/en/latest/glossary.html#term-Tracer"]


def test_the_text_is_kept_whole():
    text = "vmap over a mesh, a pytree and a sharding: `mesh` is traced."
    assert "".join(piece for piece, _ in linked(text)) == text


def test_a_term_inside_code_or_a_longer_word_is_left_alone():
    assert "<a " not in explained("`mesh.shape` and unmeshed and static_argnums")


def test_markup_in_the_text_stays_text():
    assert explained("<b>tracer</b>").startswith("&lt;b&gt;<a href=")
