"""Looks long for an input that breaks a promise.

    python tests/bench/fuzz.py [--minutes 5] [--only errors]
    python tests/bench/fuzz.py --only packs --atheris [libFuzzer's options]

By turns, for its share of the time each: `errors`: exceptions of any class and text, of chains, raised in any
cell; `templates`: the records' templates against a regular expression that says the same; `packs`: our own
records with pieces exchanged; `edits`: the engine on generated cells; `values`: anything typed into a hole. It
prints how many inputs it looked at and the slowest, and ends with the first input that breaks a promise. With
`--atheris`, where it is installed, one target is driven by the code that its inputs reach.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import TYPE_CHECKING

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "fixes"), str(TESTS.parent)]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import hypothesis
import jax
from hypothesis import strategies as st

ROUND = 200  # inputs between two looks at the clock
hypothesis.settings.register_profile(
    "fuzz",
    max_examples=ROUND,
    deadline=None,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("fuzz")

import test_properties as engine

from jax_nbhelp.catalog.index import from_folder
from jax_nbhelp.catalog.load import RecordError, read_file
from jax_nbhelp.catalog.shelf import read_source
from jax_nbhelp.catalog.template import compile_template, normalise
from jax_nbhelp.cell import Cell, Compiled
from jax_nbhelp.fixes.fix import HoleError
from jax_nbhelp.help import help_for
from jax_nbhelp.hosts.plain import PlainShell
from jax_nbhelp.source import parse
from jax_nbhelp.views.html import render
from jax_nbhelp.views.payload import Cells, payload
from jax_nbhelp.views.text import render as as_text

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDS = TESTS.parent / "records"
CATALOG = from_folder(RECORDS)
TEMPLATES = sorted({one.template for slug in CATALOG.slugs() for one in CATALOG.record(slug).occurrences})
FILES = sorted(RECORDS.rglob("*.toml"))
SLOWEST = 5.0  # seconds for one input; the machine may be busy

any_text = st.one_of(
    st.text(max_size=200),
    st.text("\0\x1b\u202e\u200b\ud800<>&'\"`{}[]()$%\\\n ", max_size=60),
    st.sampled_from(["</script>", "x" * 5_000, "a" * 4_000 + "!", "{" * 500, "(" * 500, "\n" * 2_000]),
)


class OneCell:
    """A notebook of one cell, compiled under the file name `<cell>`."""

    def __init__(self, text: str) -> None:
        self.current = Cell(text, "id", 1)

    def find(self, filename: str) -> Compiled | None:
        return Compiled(self.current, self.current.text) if filename == "<cell>" else None

    def latest(self) -> list[Cell]:
        return [self.current]

    def seconds(self, cell: Cell) -> float:
        return 0.0


class Timed:
    """Counts the inputs of a target and keeps the slowest."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.count, self.slowest = 0, 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        took = time.perf_counter() - self._began
        self.count, self.slowest = self.count + 1, max(self.slowest, took)
        assert took < SLOWEST, f"it took {took:.1f} s"


timed = Timed()


class Reader(HTMLParser):
    """Notes the tags of a page that no help has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.strange: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("script", "img", "iframe", "object", "embed", "form", "input", "link", "meta"):
            self.strange.add(tag)


@st.composite
def messages(draw: st.DrawFn) -> str:
    """A text, or a wording of JAX's with texts in its holes, perhaps cut or with a piece put in."""
    if draw(st.booleans()):
        return draw(any_text)
    template = compile_template(draw(st.sampled_from(TEMPLATES)))
    filled = template.fill({hole: draw(any_text) for hole in template.holes})
    at = draw(st.integers(0, len(filled)))
    return draw(st.sampled_from([filled, filled[:at], filled[:at] + draw(any_text) + filled[at:]]))


CLASSES = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    RuntimeError,
    NotImplementedError,
    OSError,
    SyntaxError,
)
RAISING = (
    "raise error",
    "jax.numpy.dot(1, error)",
    "def f(x):\n    raise error\njax.jit(f)(1.0)",
    "def f(x):\n    raise error\njax.vmap(f)(jnp.ones(3))",
    "jax.vmap(lambda x, y: x)(jnp.ones(3), jnp.ones(4))",
    "try:\n    jnp.ones(3) + jnp.ones(4)\nexcept TypeError as cause:\n    raise error from cause",
    "raise ExceptionGroup('many', [error, ValueError('other')])",
)


@hypothesis.given(st.sampled_from(CLASSES), messages(), st.sampled_from(RAISING), st.booleans(), any_text)
def errors(cls: type[Exception], message: str, cell: str, of_jax: bool, more: str) -> None:
    """Any error is explained or left alone, and what is shown is text."""
    if of_jax:
        cls = type("Error", (cls,), {"__module__": "jax.errors"})
    text = f"# {more!r}\n{cell}"
    namespace = {"jax": jax, "jnp": jax.numpy, "error": cls(message)}
    try:
        exec(compile(text, "<cell>", "exec"), namespace)
    except Exception as raised:  # noqa: BLE001  whatever it is
        with timed:
            found = help_for(raised, OneCell(text), namespace, CATALOG)
            if found is not None:
                assert not Reader(render(found)).strange
                as_text(found).encode("utf-8")
                payload(found, Cells(found))


@hypothesis.given(
    st.sampled_from(TEMPLATES), st.text("ab <'.:,", max_size=12), st.integers(0, 300), st.booleans()
)
def templates(text: str, piece: str, at: int, cut: bool) -> None:
    """A template of a record matches what a regular expression of the same meaning matches."""
    template = compile_template(text)
    if len(set(template.holes)) < len(template.holes):
        return  # a name that stands twice: the template takes the first way only, by design
    message = template.fill(dict.fromkeys(template.holes, piece))
    message = normalise(message[:at] + ("" if cut else piece + message[at:]))
    parts = [re.escape(template.literals[0])]
    for literal in template.literals[1:]:
        parts += [".*?", re.escape(literal)]
    wanted = re.fullmatch("".join(parts), message, re.DOTALL) is not None
    with timed:
        assert (template.match(message) is not None) == wanted


@st.composite
def packs(draw: st.DrawFn) -> str:
    """One of our records with a piece cut, doubled, or exchanged for any text."""
    text = draw(st.sampled_from(FILES)).read_text(encoding="utf-8")
    first = draw(st.integers(0, len(text)))
    last = min(len(text), first + draw(st.integers(0, 80)))
    new = draw(st.one_of(any_text, st.just(text[first:last] * 2), st.just("")))
    return text[:first] + new + text[last:]


FOLDER = TemporaryDirectory()


@hypothesis.given(packs(), st.sampled_from([".toml", ".json", ".jsonl"]))
def broken_packs(text: str, suffix: str) -> None:
    """A pack is read, or complained of by its file's name; its rules are admitted or left out."""
    path = Path(FOLDER.name) / f"pack{suffix}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with timed:
        try:
            read_file(path)
        except RecordError as error:
            told = str(error)
        else:
            told = str(path)
        assert told.startswith(str(path)), told
        source = read_source("session", "pack", path)
        assert all(isinstance(one, str) for one in source.complaints)
        assert not [r for one in source.records for r in one.fixes if r.applicability == "machine-applicable"]


def _fixes() -> list[object]:
    shell = PlainShell()
    cells = [
        "import jax, jax.numpy as jnp",
        "c = jnp.concatenate([jnp.ones((2, 3)), jnp.ones((2, 4))])",
        "jax.vmap(lambda x, y: x)(jnp.ones((3, 4)), jnp.ones(4))",
        "jnp.ones(6).reshape(4, 5)",
    ]
    found = []
    for cell in cells[1:]:
        error = shell.run([cells[0], cell])
        help_ = help_for(error, shell.book, shell.namespace, CATALOG)
        found += [fix for fix in help_.fixes if fix.holes]
    return found


FIXES = _fixes()


@hypothesis.given(st.sampled_from(FIXES), st.one_of(any_text, engine.text_of_a_cell))
def values(fix: object, text: str) -> None:
    """What is typed into a hole is refused, or stands in code that is Python."""
    with timed:
        try:
            filled = fix.with_values({fix.holes[0].name: text})
        except HoleError:
            return
        assert all(parse(edit.new) is not None for edit in filled.edits)


TARGETS: dict[str, tuple[Callable[[], None], ...]] = {
    "errors": (errors,),
    "templates": (templates,),
    "packs": (broken_packs,),
    "edits": (
        engine.test_no_text_makes_the_engine_raise,
        engine.test_no_truncated_cell_makes_the_engine_raise,
        engine.test_every_node_of_a_cell_that_parses_is_a_range_of_its_text,
    ),
    "values": (values,),
}


def look(name: str, seconds: float) -> None:
    """Runs a target in rounds for a time."""
    timed.begin()
    until, rounds = time.monotonic() + seconds, 0
    while rounds == 0 or time.monotonic() < until:
        for target in TARGETS[name]:
            hypothesis.seed(rounds)(target)()
            rounds += 1
    slowest = f", slowest {timed.slowest * 1e3:.0f} ms" if timed.count else ""
    print(f"{name:<10} {timed.count or rounds * ROUND:8} inputs{slowest}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--only", choices=TARGETS)
    parser.add_argument("--atheris", action="store_true")
    options, rest = parser.parse_known_args()
    names = [options.only] if options.only else list(TARGETS)
    if options.atheris:
        import atheris

        for module in [one for name, one in sys.modules.items() if name.startswith("jax_nbhelp.")]:
            for name, held in list(vars(module).items()):
                if type(held) is FunctionType and held.__module__ == module.__name__:
                    setattr(module, name, atheris.instrument_func(held))
        atheris.Setup([sys.argv[0], *rest], TARGETS[names[0]][0].hypothesis.fuzz_one_input)
        atheris.Fuzz()
    for name in names:
        look(name, options.minutes * 60 / len(names))


if __name__ == "__main__":
    main()
