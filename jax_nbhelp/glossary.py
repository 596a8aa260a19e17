"""Terms that a JAX user may look up, and the page of JAX's own documentation that explains each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_DOCS = "https://docs.jax.dev/en/latest/"

_PAGES: Final = {
    "axis types": "jax.sharding.html",
    "batching rule": "notebooks/autodiff_cookbook.html",
    "collective": "notebooks/shard_map.html",
    "BlockSpec": "pallas/grid_blockspec.html",
    "callback": "external-callbacks.html",
    "callbacks": "external-callbacks.html",
    "cotangent": "notebooks/autodiff_cookbook.html",
    "donated": "buffer_donation.html",
    "grid": "pallas/grid_blockspec.html",
    "HBM": "pallas/tpu/pipelining.html",
    "index map": "pallas/grid_blockspec.html",
    "jaxpr": "glossary.html#term-jaxpr",
    "leaf": "pytrees.html",
    "leaves": "pytrees.html",
    "lowering": "aot.html",
    "mesh": "jax.sharding.html",
    "Pallas": "pallas/index.html",
    "PartitionSpec": "jax.sharding.html",
    "primal": "notebooks/autodiff_cookbook.html",
    "primals": "notebooks/autodiff_cookbook.html",
    "primitive": "glossary.html#term-primitive",
    "PRNG key": "random-numbers.html",
    "pytree": "pytrees.html",
    "Ref": "pallas/quickstart.html",
    "Refs": "pallas/quickstart.html",
    "reverse mode": "glossary.html#term-reverse-mode-autodiff",
    "forward mode": "glossary.html#term-forward-mode-autodiff",
    "shard_map": "notebooks/shard_map.html",
    "sharding": "jax.sharding.html",
    "SMEM": "pallas/tpu/details.html",
    "static": "glossary.html#term-static",
    "symbolic": "export/shape_poly.html",
    "tangent": "notebooks/autodiff_cookbook.html",
    "tangents": "notebooks/autodiff_cookbook.html",
    "traced": "glossary.html#term-Tracer",
    "tracer": "glossary.html#term-Tracer",
    "tracers": "glossary.html#term-Tracer",
    "tracing": "key-concepts.html",
    "VMEM": "pallas/tpu/details.html",
    "weak type": "glossary.html#term-weak-type",
    # French; `tracer`, `mesh` and `sharding` are the same there.
    "maillage": "jax.sharding.html",
    "statique": "glossary.html#term-static",
    "traçage": "key-concepts.html",
    "tracé": "glossary.html#term-Tracer",
    "tracée": "glossary.html#term-Tracer",
}
_TERM = re.compile(
    r"(?<![\w.`-])(" + "|".join(sorted(map(re.escape, _PAGES), key=len, reverse=True)) + r")(?![\w`-])"
)


# Words of the trade that are no term with a page of its own: a record that uses one explains it.
JARGON: Final = (
    "abstract value",
    "aval",
    "DMA",
    "effect",
    "holomorphic",
    "manual axis",
    "prefetched",
    "residual",
    "residuals",
    "semaphore",
    "transpose rule",
    "vma",
)


def unexplained(text: str, explanation: str) -> list[str]:
    """Returns the words of the trade in a text that have no page and that an explanation does not mention."""
    plain = re.sub(r"`[^`]*`", "", text)
    words = [word for word in JARGON if re.search(rf"(?<![\w.`-]){word}(?![\w`-])", plain)]
    return [word for word in words if word not in explanation]


def linked(text: str, seen: set[str] | None = None) -> Iterator[tuple[str, str | None]]:
    """Yields a text in pieces, with an address for each term that is explained there, at its first mention.

    Args:
      text: the text, without code.
      seen: pages that were linked before; those linked here are added.

    >>> [piece for piece, page in linked("A tracer is no array; a tracer has no value.") if page]
    ['tracer']
    """
    at, seen = 0, set[str]() if seen is None else seen
    for found in _TERM.finditer(text):
        page = _PAGES[found[1]]
        if page in seen:
            continue
        seen.add(page)
        if found.start() > at:
            yield text[at : found.start()], None
        yield found[1], _DOCS + page
        at = found.end()
    if at < len(text):
        yield text[at:], None
