"""Records and messages made up for the benchmarks: thousands, worded as JAX's are, and messages against them."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from jax_nbhelp.catalog.record import Occurrence, Record
from jax_nbhelp.catalog.template import compile_template
from jax_nbhelp.failure import Failure, Frame, Link

if TYPE_CHECKING:
    from collections.abc import Sequence

RARE = [f"{a}{b}{c}" for a in "abcdefgh" for b in ("lue", "tor", "ape", "mesh", "dot") for c in "stuvwxyz"]
COMMON = "the of got must be shape dtype axis for expected array and".split()
LONG = 4096


def records(count: int) -> list[Record]:
    """Returns records of one template each: common words and rare ones, holes, commas."""
    chance = random.Random(0)
    found: list[Record] = []
    for number in range(count):
        words: list[str] = []
        for _ in range(chance.randint(6, 14)):
            words.append(chance.choice(RARE if chance.random() < 0.4 else COMMON))
            if chance.random() < 0.25:
                words[-1] += f" {{h{len(words)}}},"
        words.append(f"word{number}" if chance.random() < 0.5 else chance.choice(RARE))
        one = Occurrence(" ".join(words), "ValueError", f"jax/_src/m{number % 97}.py", f"f{number % 999}")
        found.append(Record("0" * 16, f"s-{number}", "a", "t", "c", (one,), reviewed=True))
    return found


def messages(records: Sequence[Record]) -> dict[str, list[str]]:
    """Returns messages that records know, and 4 kB of what is laborious to tell from what they know."""
    templates = [compile_template(one.occurrences[0].template) for one in records]
    typical = random.Random(1).sample(templates, 40)
    ends = Counter((one.literals[0], one.literals[-1]) for one in templates)
    (begin, end), _ = ends.most_common(1)[0]
    middle = " ".join([*RARE, *COMMON] * 2)[:LONG]
    return {
        "typical": [one.fill(dict.fromkeys(one.holes, "f32[3, 4] of x")) for one in typical],
        "4 kB of `, `": [", " * (LONG // 2)],
        "4 kB of common words": ["the shape of the array must be got for axis " * (LONG // 44)],
        "4 kB of rare words": [" ".join(RARE)[:LONG]],
        "4 kB of all words, begun and ended as many records": [f"{begin}{middle}{end}"],
    }


def failure(message: str, file: str = "jax/_src/m3.py", function: str = "f3") -> Failure:
    """Returns an error that a function of JAX's raised."""
    frame = Frame(file, function, "jax", 1)
    return Failure((Link("ValueError", ("ValueError",), message, (frame,), (), "jax", frames_removed=False),))
