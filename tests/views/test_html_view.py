from __future__ import annotations

from dataclasses import fields, replace
from html.parser import HTMLParser

from helps import CELL, HELP, SAID

from jax_nbhelp.cell import Cell
from jax_nbhelp.explanation import Example, Explanation, Link, Operand, Where
from jax_nbhelp.fixes.fix import CellEdit, Fix
from jax_nbhelp.help import Help
from jax_nbhelp.views.html import render
from jax_nbhelp.views.static import bundle

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`<b>code</b>`&"
VOID = {"br", "hr", "img"}
TAGS = {
    *("div", "style", "p", "b", "code", "pre", "span", "mark", "del", "ins"),
    *("ul", "ol", "li", "details", "summary", "a"),
}
ATTRIBUTES = {"class", "href", "target", "rel", "start", "tabindex", "aria-hidden", "lang"}


class Reader(HTMLParser):
    """Reads a page as a site does that takes styles away; notes every tag, and tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def test_it_reads_well_without_styles():
    text = Reader(render(HELP)).text
    assert "5 │ costs = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  # <per state>\n" in text
    assert "\n  │         ^^^^^^^^" in text
    assert "5 - costs = jax.vmap(step_cost, in_axes=(0, 1))(states, controls)  # <per state>\n" in text
    assert "5 + costs = jax.vmap(step_cost, in_axes=(0, 0))(states, controls)  # <per state>\n" in text
    order = [
        "vmap: the mapped axes differ in length ValueError",
        "vmap walks over",
        "cell [4], line 5",
        "states float32[10, 4]",
        "Fix: Map axis 0 of controls",
        "check that it is the one you mean",
        "1 more fix",
        "Why",
        "Not a cure: Transposing",
        "An example",
        "JAX docs",
        "Raised in jax/_src/api.py _mapped_axis_size",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_it_needs_no_script_and_lists_nothing_in_a_table_of_contents():
    reader = Reader(render(HELP))
    assert reader.tags <= TAGS
    assert reader.attributes <= ATTRIBUTES


def test_changed_words_are_marked_up():
    page = render(HELP)
    assert "in_axes=(0, <del>1</del>))" in page
    assert "in_axes=(0, <ins>0</ins>))" in page


def test_code_in_backticks_is_code():
    assert "axis 1 of <code>controls</code> has length 2." in render(HELP)


def test_why_there_is_no_fix_is_said():
    said = replace(HELP.explanation, no_fix="only you know the `axes`.")
    shown = render(replace(HELP, fixes=(), explanation=said))
    assert "<b>No fix to apply:</b> only you know the <code>axes</code>." in shown


def hostile() -> Help:
    """A help whose every text is an attack."""
    cell = Cell(f"{ATTACK}\nx = 1", ATTACK, 4)
    said = Explanation(
        **{
            one.name: ATTACK
            for one in fields(Explanation)
            if one.name in {"title", "cause", "guard", "avoid", "no_fix", "details", "raised_in"}
        },
        where=Where(cell, 1, ATTACK, 3, 9),
        operands=(Operand(ATTACK, ATTACK),),
        way_on=(ATTACK,),
        example=Example((ATTACK,), (ATTACK,)),
        links=(Link(ATTACK, f"https://x/{ATTACK}"), Link("bad", "javascript:alert(1)")),
    )
    fix = Fix(ATTACK, ATTACK, "maybe-incorrect", ATTACK, reason=ATTACK, edits=(CellEdit(cell, ATTACK),))
    return Help(ATTACK, ATTACK, ATTACK, "exact", said, (fix, fix))


def test_nothing_is_interpolated_unescaped():
    page = render(hostile())
    reader = Reader(page)
    assert reader.tags <= TAGS
    assert reader.attributes <= ATTRIBUTES
    assert "javascript:" not in page
    assert reader.text.count("<script>alert(1)</script>") > 10


def test_nothing_makes_code_look_like_other_code():
    cell = Cell("x = 1  # \u202eevil\u2066\x1b[31m\ud800\r", "c", 1)
    fix = Fix("f", "F \u202e", "maybe-incorrect", edits=(CellEdit(cell, f"{cell.text}!"),))
    said = replace(SAID, title="t\u202e", where=Where(cell, 1, cell.text))
    page = render(replace(HELP, explanation=said, fixes=(fix,)))
    assert not {"\u202e", "\u2066", "\x1b", "\ud800", "\r"} & set(page)
    assert page.count("x = 1  # �evil�␛[31m�␍") == 3


def test_characters_that_take_no_room_are_seen():
    cell = Cell("x\u200b = 1  # \u200e\u200f\u061c\u2060\ufeff", "c", 1)
    page = render(replace(HELP, explanation=replace(SAID, where=Where(cell, 1, cell.text)), fixes=()))
    assert "x� = 1  # �����" in page


def test_a_fix_in_another_cell_names_the_cell():
    other = Cell("def f(x): return x / 0", "c2", 2)
    fix = Fix("f", "Change f", "maybe-incorrect", edits=(CellEdit(other, "def f(x): return x"),))
    assert '<p class="nbh-label">cell [2]</p>' in render(replace(HELP, fixes=(fix,)))


def test_without_a_fix_to_apply_the_way_on_stands_open():
    page = render(replace(HELP, fixes=()))
    assert page.index("What to do") < page.index("<details>")


def test_a_line_that_is_not_marked_has_no_carets():
    page = render(replace(HELP, explanation=replace(SAID, where=Where(CELL, 6, "costs"))))
    assert "^" not in Reader(page).text


def test_the_bundle_names_record_confidence_and_fixes():
    data, metadata = bundle(HELP)
    assert set(data) == {"text/html", "text/plain"}
    assert metadata == {
        "jax_nbhelp": {
            "record": "vmap-inconsistent-sizes",
            "confidence": "exact",
            "fixes": ["map-the-same-axis", "read"],
        }
    }
    assert HELP._repr_mimebundle_() == (data, metadata)
