from __future__ import annotations

from dataclasses import replace

from helps import HELP, SAID

from jax_nbhelp.explanation import Explanation, Link
from jax_nbhelp.help import Help
from jax_nbhelp.views.lines import plain
from jax_nbhelp.views.text import compose, render

SHORT = """\
vmap: the mapped axes differ in length                                ValueError
vmap walks over one axis of every argument in step, so those axes must have one
length. Here axis 0 of `states` has length 10 and axis 1 of `controls` has
length 2.

  cell [4], line 5
  5 | costs = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  # <per state>
    |         ^^^^^^^^

  states    float32[10, 4]
  controls  float32[10, 2]

Fix: Map axis 0 of `controls`
  It changes which axis is the batch: check that it is the one you mean.
  4   states, controls = make()
  5 - costs = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  # <per state>
  5 + costs = jax.vmap(step_cost, in_axes=(0, 0))(states, controls)  # <per state>
  6   costs

1 more fix:
  2. Rebuild <the> data

JAX docs: https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html
Raised in: jax/_src/api.py _mapped_axis_size"""

LONGER = """\
What to do:
  - Map the axis that all arguments share.

Not a cure: Transposing the array only moves the mistake.

Why:
vmap adds one axis. It does so for `each` argument.

A second paragraph.

An example (fails):
  x = 1

  y = x / 0

An example (works):
  y = x / 1
"""


def test_a_help_reads_well_in_a_terminal():
    assert render(HELP) == SHORT


def test_the_full_text_has_the_why_and_the_example():
    assert LONGER in plain(compose(HELP, full=True))


def test_without_a_fix_to_apply_the_way_on_is_shown():
    text = render(replace(HELP, fixes=HELP.fixes[1:]))
    assert "What to do:\n  - Map the axis" in text
    assert "Cannot be applied here: it comes from a file." in text


def test_why_there_is_no_fix_is_said():
    said = replace(SAID, no_fix="only you know the `axes`.")
    assert "No fix to apply: only you know the `axes`." in render(replace(HELP, fixes=(), explanation=said))


def test_where_jax_raises_is_said_once():
    link = Link("Where JAX raises", "https://github.com/jax-ml/jax/blob/jax-v1/jax/_src/api.py#L7")
    text = render(replace(HELP, explanation=replace(SAID, links=(link,))))
    assert text.endswith("Where JAX raises: https://github.com/jax-ml/jax/blob/jax-v1/jax/_src/api.py#L7")


def test_the_check_of_an_unknown_error_is_shown():
    said = Explanation("jax.vmap stopped here", "It refused this.", guard="if sizes > 1:\n  sizes = 2")
    help_ = Help("ValueError", "…", None, "none", said)
    assert "JAX's check that failed:\n  if sizes > 1:\n    sizes = 2" in render(help_)


def test_a_draft_says_that_it_is_one():
    assert "draft that nobody has checked" in render(
        replace(HELP, explanation=replace(SAID, unverified=True))
    )


def test_a_bare_record_has_no_class_and_a_long_title_gets_its_own_line():
    assert render(replace(HELP, error_class="")).split("\n")[0] == SAID.title
    long = replace(HELP, explanation=replace(SAID, title="x" * 75))
    assert render(long).split("\n")[:2] == ["x" * 75, "ValueError"]


def test_no_line_but_code_and_links_is_wider_than_80():
    lines = plain(compose(HELP, full=True)).split("\n")
    assert [line for line in lines if len(line) > 80 and "costs" not in line and "https" not in line] == []
