"""The whole help for one error: what is known, why it happened, and how to cure it."""

from __future__ import annotations

import ast
import sys
import types
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from jax_nbhelp.catalog.match import match, recognise
from jax_nbhelp.catalog.shelf import all_records
from jax_nbhelp.catalog.translate import translated
from jax_nbhelp.causes import explain_message, explain_record, explain_unknown
from jax_nbhelp.cell import NoCells
from jax_nbhelp.collector import held_off
from jax_nbhelp.facts import facts
from jax_nbhelp.failure import capture, message_of, qualified_name
from jax_nbhelp.fixes.names import class_name
from jax_nbhelp.fixes.propose import propose
from jax_nbhelp.fixes.spots import Spots, is_function_of_jax
from jax_nbhelp.operands import is_jax_array
from jax_nbhelp.phrases import language, sayer, speaking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.catalog.index import Catalog
    from jax_nbhelp.cell import CellBook
    from jax_nbhelp.explanation import Explanation, Where
    from jax_nbhelp.failure import Failure, Live
    from jax_nbhelp.fixes.fix import Fix

say = sayer("explanation")

Confidence = Literal["exact", "similar", "none"]


@dataclass(frozen=True, slots=True)
class Help:
    """What is said about one error.

    Attributes:
      error_class: the class of the error, qualified where it is not a builtin; empty for a bare record.
      message: its whole message.
      record: the slug of the record that knows it, or None.
      confidence: how sure the match is.
      explanation: cause and context, in plain words.
      fixes: the cures, the best first.
    """

    error_class: str
    message: str
    record: str | None
    confidence: Confidence
    explanation: Explanation
    fixes: tuple[Fix, ...] = ()

    @property
    def where(self) -> Where | None:
        """The place in the user's cell, where it is known."""
        return self.explanation.where

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        from jax_nbhelp.views.static import bundle

        return bundle(self)


def help_for(
    error: BaseException,
    book: CellBook | None = None,
    namespace: Mapping[str, Any] | None = None,
    catalog: Catalog | None = None,
    *,
    values: bool = True,
) -> Help | None:
    """Explains an exception.

    Args:
      error: the exception as it left the user's code.
      book: the cells that ran.
      namespace: the user's globals.
      catalog: the records; those of the package and those from elsewhere by default.
      values: whether types and values of the user's objects may be told; see docs/security.md.

    Returns:
      The help, or None for an error that is not JAX's to explain.
    """
    book, catalog = book or NoCells(), all_records() if catalog is None else catalog
    with held_off():
        failure, live = capture(error, book, namespace)
        live.tells_values = values
        return _help(failure, live, book, catalog)


def _help(failure: Failure, live: Live, book: CellBook, catalog: Catalog) -> Help | None:
    release = jax_release()
    found = match(failure, catalog, release)
    outer = failure.links[0]
    spots = Spots(failure, live, found.link, book) if found is not None else None
    if found is not None and spots is not None and found.occurrence.calls_jax:
        found = found if calls_function_of_jax(spots) else None
    if found is None or spots is None:
        number = next((n for n, link in enumerate(failure.links) if link.owner == "jax"), None)
        if number is None or is_users_callback(failure):
            return None
        spots = Spots(failure, live, number, book)
        explanation = explain_unknown(failure, live, number, spots, release)
        return Help(outer.error_class, outer.message, None, "none", explanation)
    record = translated(catalog.record(found.slug), language())
    if failure.links[found.link].owner == "other" and calls_own_function(spots):
        return None  # `dot() got an unexpected keyword argument`: the user's own `dot`
    with speaking(record.language):
        known = facts(failure, live, found.link, spots, found.captures)
    explanation = explain_record(record, found, failure, spots, known, release)
    fixes: tuple[Fix, ...] = ()
    if found.confidence == "exact":
        fixes = propose(record, failure, spots, book, known, release)
        if not fixes:
            explanation = replace(explanation, no_fix=record.no_fix or say("no_fix"))
    return Help(outer.error_class, outer.message, record.slug, found.confidence, explanation, fixes)


def calls_own_function(spots: Spots) -> bool:
    """Whether the failing expression calls a plain function that is not JAX's."""
    spot = spots.failing
    if spot is None or not isinstance(spot.node, ast.Call):
        return False
    value: object = spot.names.value(spot.node.func)
    if type(value) is not types.FunctionType:
        return class_name(type(value)).startswith("numpy.")  # numpy's own kinds of functions
    return str(value.__module__).split(".")[0] not in ("jax", "jaxlib")


def calls_function_of_jax(spots: Spots) -> bool:
    """Whether the failing expression calls a function of JAX's, or a method of an array."""
    spot = spots.failing
    if spot is None or not isinstance(spot.node, ast.Call):
        return False
    function = spot.node.func
    if isinstance(function, ast.Attribute) and is_jax_array(spot.names.value(function.value)):
        return True
    return is_function_of_jax(spot.names.value(function))


def is_users_callback(failure: Failure) -> bool:
    """Whether a runtime error only carries the traceback of the user's own callback as text."""
    return any("CpuCallback error" in link.message for link in failure.links)


def jax_release() -> str:
    """Returns the version of the imported JAX, or an empty text."""
    return str(getattr(sys.modules.get("jax"), "__version__", ""))


def explain(error: BaseException | str) -> Help:
    """Explains an exception, a message, or a record by its slug; see `jax_nbhelp.explain`."""
    catalog = all_records()
    if isinstance(error, BaseException):
        book, namespace, values = _notebook()
        found = help_for(error, book, namespace, catalog, values=values)
        if found is not None:
            return found
        return _unknown(qualified_name(type(error)), message_of(error))
    if error in catalog:
        record = translated(catalog.record(error), language())
        return Help("", "", record.slug, "exact", explain_message(record, {}))
    for text in (error, error.partition(": ")[2]):  # a pasted message often begins with its class
        found_match = recognise(text, catalog, jax_release()) if text else None
        if found_match is not None:
            record = translated(catalog.record(found_match.slug), language())
            explanation = explain_message(record, found_match.captures)
            return Help(found_match.occurrence.error_class, text, record.slug, "exact", explanation)
    return _unknown("", error)


def _unknown(error_class: str, message: str) -> Help:
    from jax_nbhelp.explanation import Explanation

    explanation = Explanation(title=say("not_known_title"), cause=say("not_known"), language=language())
    return Help(error_class, message, None, "none", explanation)


def _notebook() -> tuple[CellBook | None, Mapping[str, Any] | None, bool]:
    """The cells and the globals of the notebook that the help is loaded in, and whether it tells values."""
    shell = sys.modules.get("jax_nbhelp.shell.session")
    session = getattr(shell, "CURRENT", None)
    if session is None:
        return None, None, True
    return session.book, session.shell.user_ns, session.settings.values
