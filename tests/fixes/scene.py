"""A failure made by hand, with the failing code between « and »."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp

from jax_nbhelp.catalog.record import EditRule, HoleRule, Occurrence, Record, Rule
from jax_nbhelp.cell import Cell
from jax_nbhelp.failure import Failure, Frame, Link, Live
from jax_nbhelp.fixes.propose import propose
from jax_nbhelp.fixes.spots import Spots
from jax_nbhelp.source import Place


class Book:
    """Cells that ran, made by hand."""

    def __init__(self, cells):
        self.cells = cells
        self.current = cells[-1] if cells else None

    def find(self, filename):
        return None

    def latest(self):
        return self.cells[::-1]

    def seconds(self, cell):
        return 0.0


class Scene:
    """Cells of which one holds the failing expression, marked by « and »; without marks, the last one's whole text.

    Several marked places are frames, the innermost one in the cell that stands last.
    """

    def __init__(self, *texts, exact=True, names=None):
        marked = [text for text in texts if "«" in text]
        cells, places = [], []
        for number, text in enumerate(texts, 1):
            plain = text.replace("«", "").replace("»", "")
            cell = Cell(plain, f"id-{number}", number)
            cells.append(cell)
            if text in marked or (not marked and number == len(texts)):
                start, end = (text.index("«"), text.index("»") - 1) if text in marked else (0, len(plain))
                places.append(Place(cell, start, end, exact))
        frames = tuple(Frame("<cell>", "<module>", "cell", place.line, place) for place in places)
        self.book = Book(cells)
        self.failure = Failure(
            (Link("ValueError", ("ValueError",), "m", frames, (), "jax", False),), cells[-1]
        )
        self.live = Live({"jax": jax, "jnp": jnp} if names is None else names)
        self.spots = Spots(self.failure, self.live, 0, self.book)

    def fixes(self, *rules, facts=None, **fields):
        record = Record(
            "0" * 16, "s", "a", "t", "c", (Occurrence("m"),), **{"reviewed": True, "fixes": rules} | fields
        )
        return propose(record, self.failure, self.spots, self.book, facts or {}, jax.__version__)


_NUMBERS = itertools.count()


def make_rule(match, rewrite, at="failing", *, holes=None, applicability="machine-applicable", **fields):
    """A rule of one edit; fields of an edit and of a rule are told apart by their names."""
    own = {
        key: fields.pop(key) for key in ("why", "needs", "jax", "title", "title_plain", "id") if key in fields
    }
    edit = EditRule(at, match, rewrite, **fields)
    own = {"id": f"r{next(_NUMBERS)}", "title": "Cure it"} | own
    return Rule(applicability=applicability, alternatives=((edit,),), holes=holes or {}, **own)


def make_hole(source, kind="expr", **options):
    return HoleRule(kind, source, "a value", options)
