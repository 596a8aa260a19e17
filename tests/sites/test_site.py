"""Raise sites read from source: each way of JAX's to word an error, and JAX itself against errors that it raises."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jax_nbhelp.catalog.template import compile_template, normalise
from jax_nbhelp.cell import NoCells
from jax_nbhelp.failure import capture, qualified_name
from jax_nbhelp.sites.site import read_sites
from jax_nbhelp.sites.source import SourceError


def function(*lines, parameters="x, name"):
    return f"def f({parameters}):\n" + "\n".join(f"  {line}" for line in lines)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["raise ValueError('plain')"], ["plain"]),
        (["raise ValueError('one ' 'text')"], ["one text"]),
        (["raise ValueError(f'{name} has {x.ndim} axes')"], ["{name} has {ndim} axes"]),
        (["raise ValueError(f'{x}{name} side by side')"], ["{x} side by side"]),
        (["raise ValueError(f'{x!r} and {x}')"], ["{x} and {x2}"]),
        (["raise ValueError(f'{x} and {x}')"], ["{x} and {x}"]),
        (["raise ValueError(f'{len(x)} of {type(name)}')"], ["{x_length} of {name_type}"]),
        (["raise ValueError(f'{name:>10} wide')"], ["{name} wide"]),
        (["raise ValueError('braces {}, ' + f'{{}}')"], ["braces {{}}, {{}}"]),
        (["raise ValueError('of {} and {n}'.format(x, n=name))"], ["of {x} and {name}"]),
        (["raise ValueError('of {1} and {0!r:>3}'.format(x, name))"], ["of {name} and {x}"]),
        (["raise ValueError('of %s, %d%%' % (x, name))"], ["of {x}, {name}%"]),
        (["raise ValueError('of %(what)s' % x)"], ["of {what}"]),
        (["raise ValueError('a ' + str(x) + ' b')"], ["a {x} b"]),
        (["raise ValueError('yes' if x else f'no {name}')"], ["yes", "no {name}"]),
        (["m = f'said {x}'", "raise ValueError(m)"], ["said {x}"]),
        (["m = f'said {x}'", "m += ', then'", "raise ValueError(m)"], ["said {x}, then"]),
        (
            ["m = 'first'", "if x:", "  m += ' more'", "raise ValueError(m)"],
            ["first more", "first"],
        ),
        (["if x:", "  m = 'one'", "else:", "  m = 'two'", "raise ValueError(m)"], ["one", "two"]),
        (["m = 'old'", "if x:", "  m = 'new'", "  raise ValueError(m)"], ["new"]),
        (["m = 'old'", "if x:", "  m = 'new'", "  return m", "raise ValueError(m)"], ["old"]),
        (["m = [f'first {x}']", "m.append('last')", "raise ValueError('; '.join(m))"], ["first {x}; last"]),
        (
            ["m = ['first ']", "for y in x:", "  m.append(y)", "raise ValueError(''.join(m)[:-2])"],
            ["first {m}"],
        ),
        (["n = 3", "n += 1", "raise ValueError(f'takes {n} of {n - 1}')"], ["takes {n} of {n2}"]),
        (["m = 'Got {}.'.format", "raise ValueError(m(f'shape {x}'))"], ["Got shape {x}."]),
        (["m = lambda y: f'Got {y}.'", "raise ValueError(m('nothing'))"], ["Got nothing."]),
        (
            ["try:", "  g()", "except KeyError:", "  m = 'in the handler'", "  raise ValueError(m)"],
            ["in the handler"],
        ),
        (["raise KeyError(f'no {x}')"], ["'no {x}'"]),
        (["raise ValueError('of %s', x)"], ["('of %s', {rest})"]),
        (["raise ValueError"], []),
        (["raise ValueError()"], []),
        (["raise ValueError(x)"], []),
        (["raise ValueError('too short').with_traceback(None)"], ["too short"]),
        (["e = ValueError('made before')", "raise e from None"], ["made before"]),
    ],
)
def test_a_text_becomes_a_template(raised, lines, wanted):
    ((_, templates),) = raised(function(*lines))
    assert list(templates) == wanted
    for template in templates:
        assert compile_template(template)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def check(ok, m):\n  if not ok: raise TypeError(m)\ndef f(x): check(x, f'a rule broken by {x}')", "a rule broken by {x}"),
        ("def check(ok, m, e=TypeError):\n  if not ok: raise e(m)\ndef f(x): check(x, 'a rule is broken')", "a rule is broken"),
        ("class E(TypeError):\n  def __init__(self, n): super().__init__(f'made of {n} in init')\ndef f(x): raise E(x)", "made of {x} in init"),
        ("class D(TypeError):\n  def __init__(self, n): TypeError.__init__(self, 'as ' + n)\nclass E(D): pass\ndef f(x): raise E('text')", "as text"),
        ("class E(TypeError):\n  text = 'a constant of the class'\n  def __init__(self): super().__init__(self.text)\ndef f(x): raise E()", "a constant of the class"),
        ("def unimplemented(n): return TypeError(f'not there yet: {n}')\ndef f(x): raise unimplemented('sort')", "not there yet: sort"),
        ("WORDS = 'a constant of the module'\ndef f(x): raise TypeError(WORDS)", "a constant of the module"),
        ("READY = TypeError('made with the module')\ndef f(x): raise READY", "made with the module"),
        ("def words(x): return f'words about {x}'\ndef f(y): raise TypeError(words(y))", "words about {y}"),
        ("def f(x):\n  yield lambda name: TypeError(f'raised elsewhere: {name}')", "raised elsewhere: {name}"),
        ("class C:\n  def _no(self, m): raise TypeError(m)\n  def f(self): self._no('told to a method')", "told to a method"),
    ],
)  # fmt: skip
def test_a_text_that_is_made_elsewhere_is_found(raised, text, wanted):
    found = raised(text)
    assert [templates for cls, templates in found if cls in ("TypeError", "E")][-1] == (wanted,)


def test_what_is_imported_is_followed(raised):
    files = {"_src__in_errors": "class E(ValueError):\n  def __init__(self): super().__init__('far away')"}
    text = "from jax._src import errors\nfrom jax._src.errors import E as Other\ndef f(): raise errors.E()\ndef g(): raise Other()"
    assert raised(text, **files) == [("E", ("far away",))] * 2


def test_an_exception_that_is_only_raised_again_is_no_site(raised):
    assert (
        raised("def f():\n  try: g()\n  except ValueError as e:\n    raise e\n  except KeyError:\n    raise")
        == []
    )


def test_a_site_knows_its_place_and_its_check(make_source):
    source = make_source(
        m="class C:\n  def f(self, x):\n    def g():\n      if x.ndim != 2:\n        pass\n      else:\n        raise ValueError('not two axes')\n    return g"
    )
    (site,) = read_sites(source)
    assert (site.file, site.qualname, site.function) == ("jax/m.py", "C.f.<locals>.g", "g")
    assert site.check == "if not (x.ndim != 2)"
    assert source.release == "9.1.2"


def test_a_helper_site_names_who_raises_and_who_gives_the_words(make_source):
    files = {
        "_src__in_util": "def check(ok, m):\n  if not ok:\n    raise ValueError(m)",
        "_src__in_api": "from jax._src.util import check\ndef jit(f): check(f, 'jit needs a function')",
    }
    (site,) = read_sites(make_source(**files))
    assert (site.file, site.function) == ("jax/_src/util.py", "check")
    assert (site.caller_file, site.caller) == ("jax/_src/api.py", "jit")


def test_a_file_of_a_newer_python_is_named(make_source):
    source = make_source(m="def f(:", n="def f(): raise ValueError('read all the same')")
    assert list(source.unread) == ["jax/m.py"]
    assert len(read_sites(source)) == 1


def test_a_folder_without_jax_is_named(tmp_path):
    from jax_nbhelp.sites.source import Source

    with pytest.raises(SourceError, match="holds no JAX"):
        Source(tmp_path)


# ---------------------------------------------------------------- against JAX itself

LIVE = {
    "check_arraylike": "jnp.sum([1])",
    "_check_scalar": "jax.grad(lambda x: x)(jnp.ones(2))",
    "_mapped_axis_size": "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))",
    "_get_axis_size": "jax.vmap(jnp.sin)(1.0)",
    "_try_broadcast_shapes": "jax.lax.add(jnp.ones(2), jnp.ones(3))",
    "_broadcast_shapes_uncached": "jnp.ones((2, 2)) + jnp.ones(3)",
    "error": "jax.jit(lambda x: 1 if x else 2)(1.0)",
    "__array__": "jax.jit(lambda x: np.sin(x))(1.0)",
    "tolist": "jax.jit(lambda x: x.tolist())(1.0)",
    "_dot_general_shape_rule": "jnp.dot(jnp.ones(2), jnp.ones(3))",
    "_check_input_dtype_revderiv": "jax.grad(lambda x: x)(1)",
    "_infer_scan_length": "jax.lax.scan(lambda c, x: (c, x), 0, None)",
    "_check_carry_type": "jax.lax.while_loop(lambda c: True, lambda c: (c, c), 1)",
    "check_bool_conversion": "bool(jnp.ones(2))",
    "_while_transpose_error": "jax.grad(lambda x: jax.lax.while_loop(lambda c: c < 9, lambda c: c * x, x))(2.0)",
    "canonicalize_axis": "jnp.sum(jnp.ones(2), axis=3)",
    "_concatenate_shape_rule": "jax.lax.concatenate([jnp.ones(2), jnp.ones((2, 2))], 0)",
    "check_same_dtypes": "jax.lax.add(1.0, 1)",
    "_unimplemented_setitem": "jnp.ones(2).__setitem__(0, 1)",
}  # fmt: skip


@pytest.fixture
def whole_tracebacks():
    """As in IPython: JAX's own frames stay."""
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "off")
    yield
    jax.config.update("jax_traceback_filtering", before)


@pytest.mark.parametrize("code", LIVE.values(), ids=LIVE)
def test_the_words_of_a_live_error_are_those_read_at_its_place(jax_sites, whole_tracebacks, code):
    with pytest.raises(Exception) as caught:
        exec(code, {"jax": jax, "jnp": jnp, "np": np})
    failure, _ = capture(caught.value, NoCells())
    frame = next(frame for frame in reversed(failure.links[0].frames) if frame.kind == "jax")
    there = [site for site in jax_sites if (site.file, site.qualname) == (frame.file, frame.function)]
    text = normalise(str(caught.value))
    found = [
        site for site in there for one in site.templates if compile_template(one).match(text) is not None
    ]
    assert found, (frame, text, there)
    assert qualified_name(type(caught.value)).endswith(found[0].error_class)


def test_nearly_every_site_of_jax_has_a_class_and_words(jax_sites):
    assert len(jax_sites) > 4000
    assert sum(site.error_class == "?" for site in jax_sites) < 0.005 * len(jax_sites)
    assert sum(not site.templates for site in jax_sites) < 0.08 * len(jax_sites)


def test_reading_jax_imports_nothing_of_it():
    import subprocess
    import sys

    code = (
        "import sys\nfrom jax_nbhelp.sites.source import Source, installed_root\n"
        "Source(installed_root(), ('jax/_src/api.py',))\n"
        "assert not any(name.split('.')[0] in ('jax', 'jaxlib', 'numpy') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
