"""The call graph by name: what leads from a public function to a raise site."""

from __future__ import annotations

import pytest

from jax_nbhelp.sites.reach import Reach, ranked
from jax_nbhelp.sites.site import read_sites

RAISES = "def deep(): raise ValueError('deep down here')\n"


def steps(source):
    reach = Reach(source)
    found = [reach.of(site) for site in read_sites(source)]
    return [near[0] if near else None for near in found]


@pytest.mark.parametrize(
    ("public", "private", "wanted"),
    [
        ("def f(): raise ValueError('in the open')", "", [0]),
        ("from jax._src.m import deep", RAISES, [0]),
        ("from jax._src.m import deep as deep\ndef f(): deep()", RAISES, [0]),
        ("from jax._src import m\ndef f(): m.deep()", RAISES, [1]),
        ("from jax._src.m import deep as _deep\ndef f(): _deep()", RAISES, [1]),
        ("from jax._src.m import f", RAISES + "def f(): g()\ndef g(): deep()", [2]),
        ("from jax._src.m import f", RAISES + "def f(g=deep): g()", [1]),
        ("from jax._src.m import f", "def f():\n  def g(): raise ValueError('made inside')\n  return g", [0]),
        ("from jax._src.m import C", "class C:\n  def f(self): raise ValueError('of a method')", [0]),
        ("from jax._src.m import C", "class C:\n  def _f(self): raise ValueError('of a method')", [None]),
        ("from jax._src.m import C", "class C:\n  def f(self): self._f()\n  def _f(self): raise ValueError('of a method')", [1]),
        ("from jax._src.m import f", RAISES + "p = make()\np.def_impl(deep)\ndef f(): p.bind()", [2]),
        ("from jax._src.m import f", RAISES + "p = standard(deep)\ndef f(): p.bind()", [2]),
        ("from jax._src.m import f", "p = make()\n@p.def_abstract\ndef rule(): raise ValueError('of the rule')\ndef f(): p.bind()", [2]),
        ("", RAISES, [None]),
    ],
)  # fmt: skip
def test_the_calls_in_between_are_counted(make_source, public, private, wanted):
    assert steps(make_source(open=public, _src__in_m=private, _src__in___init__="")) == wanted


def test_what_compiler_authors_import_is_not_public(make_source):
    assert steps(make_source(interpreters__in_m="def f(): raise ValueError('for authors')")) == [None]


def test_a_site_that_more_public_functions_lead_to_stands_first(make_source):
    source = make_source(
        open="from jax._src.m import f, g, h",
        _src__in_m=RAISES
        + "def rare(): raise ValueError('rarely met')\ndef f(): deep()\ndef g(): deep()\ndef h(): rare()",
    )
    assert [site.function for site, *_ in ranked(read_sites(source), Reach(source))] == ["deep", "rare"]


def test_what_users_call_leads_to_what_they_meet(jax_source, jax_sites):
    reach = Reach(jax_source)
    near = {site.function: reach.of(site) for site in jax_sites if site.templates}
    for function in ("check_arraylike", "_try_broadcast_shapes", "_mapped_axis_size", "_check_carry_type"):
        assert near[function] is not None, function
    assert near["check_arraylike"][1] > near["_mapped_axis_size"][1]
