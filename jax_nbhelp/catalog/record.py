"""Records: what is known about one kind of error. The format is described in CONTRIBUTING.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jax_nbhelp.fixes.fix import Applicability, Needs

Proof = Literal["run", "lower", "source"]
At = Literal["failing", "any-frame", "decorator", "definition", "within", "notebook"]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place, wording or class in which JAX says it.

    Attributes:
      template: the whole message, holes as `{name}`.
      error_class: qualified where it is not a builtin; a bonus in ranking, never a filter.
      file: the raising file from the package on, e.g. `jax/_src/api.py`; empty for C++.
      qualname: the raising function's last name.
      jax: a version specifier: the releases where this wording is known.
      needs_frame: the words alone are not JAX's own, so `file` must be in the traceback.
      innermost: nor is a frame of JAX's enough: it must be the one that raised. `file` may be a folder here.
      raised_there: the message says too little, or nothing: `qualname` of `file` must be what raised.
      calls_jax: the words are Python's own, about a function: the failing call must be of one of JAX's.
    """

    template: str
    error_class: str = ""
    file: str = ""
    qualname: str = ""
    jax: str = ""
    needs_frame: bool = False
    innermost: bool = False
    calls_jax: bool = False
    raised_there: bool = False


@dataclass(frozen=True, slots=True)
class EditRule:
    """One edit of a cure: where to look, what to find, what to put there.

    Attributes:
      at: which code is looked at, one of `At`.
      match: a code pattern; `$X` is one expression or statement, `$$$X` any number of them. Several
        statements match as many that follow each other.
      rewrite: what stands there afterwards; `${hole}` is a hole. Empty: the code must only be there, e.g. the
        failing `if` that makes a static argument the likelier cure.
      as_statement: the pattern is a whole statement, not a part of one.
      where: conditions by pattern variable.
      unless: a pattern that must not match the same node.
      unless_inside: a pattern that must not match anything around the node.
      unless_kwarg: keywords that the matched call must not have.
      of: the pattern variable whose definition is meant, for `definition`; the called name otherwise.
      everywhere: every further match in the same cell is rewritten too, e.g. each use of a name that is gone.
    """

    at: At
    match: str
    rewrite: str = ""
    as_statement: bool = False
    where: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, "Mapping[str, Any]"])
    unless: str = ""
    unless_inside: str = ""
    unless_kwarg: tuple[str, ...] = ()
    of: str = ""
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class HoleRule:
    """Where a hole's values come from.

    Attributes:
      type: what may stand there: `str`, `name`, `expr` or `int`.
      source: the finder, one of the engine's fixed list (`from` in a record).
      label: what the value is, for the user.
      options: the finder's further keys.
    """

    type: Literal["str", "name", "expr", "int"]
    source: str
    label: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Rule:
    """A cure as data.

    Attributes:
      id: its name in the record.
      title: what it does; may use what the message or the explanation knows, in braces.
      applicability: how sure it is.
      why: what it changes in what the program computes; empty where nothing.
      needs: what an edit alone cannot do.
      jax: a version specifier.
      alternatives: tried in order; the first whose every edit matches is the fix.
      holes: the holes by name.
    """

    id: str
    title: str
    applicability: Applicability
    why: str = ""
    title_plain: str = ""
    needs: Needs = "none"
    jax: str = ""
    alternatives: tuple[tuple[EditRule, ...], ...] = ()
    holes: Mapping[str, HoleRule] = field(default_factory=dict[str, HoleRule])


@dataclass(frozen=True, slots=True)
class ExampleFix:
    """Which fix an example exercises, and the values it puts into the holes."""

    id: str
    holes: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class RecordExample:
    """A proof: cells that fail, the cure, and what must hold afterwards.

    Attributes:
      broken: the cells; the last one raises.
      fix: the rule that cures them.
      fixed: the cured cells, where no rule can make them.
      expect: a last cell that asserts a value only a right cure gives.
      needs: what the machine must offer: `devices:8`, `x64`, `lowers:tpu`, `package:optax`.
      env: environment variables.
      jax: a version specifier.
    """

    broken: tuple[str, ...]
    fix: ExampleFix | None = None
    fixed: tuple[str, ...] = ()
    expect: str = ""
    needs: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    jax: str = ""


@dataclass(frozen=True, slots=True)
class FixWords:
    """A rule's words in another language.

    Attributes:
      labels: the labels of its holes by name.
      reasons: the reasons of the values that the record itself lists for a hole, by hole and value.
    """

    title: str
    title_plain: str = ""
    why: str = ""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    reasons: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, "Mapping[str, str]"])


@dataclass(frozen=True, slots=True)
class Translation:
    """A record's words in another language; `fixes` are those of its rules by id."""

    title: str
    cause: str
    title_plain: str = ""
    cause_plain: str = ""
    documentation: str = ""
    solutions: tuple[str, ...] = ()
    avoid: str = ""
    no_fix: str = ""
    fixes: Mapping[str, FixWords] = field(default_factory=dict[str, FixWords])


@dataclass(frozen=True, slots=True)
class Record:
    """What is known about one kind of error; `record-format` in CONTRIBUTING.md explains each field.

    `language` is the language that its words are in, English in every file; `translate` makes the others.
    """

    id: str
    slug: str
    area: str
    title: str
    cause: str
    occurrences: tuple[Occurrence, ...]
    repo: str = "jax-ml/jax"
    reviewed: bool = False
    retired: bool = False
    proof: Proof = "source"
    reason: str = ""
    title_plain: str = ""
    cause_plain: str = ""
    documentation: str = ""
    triggers: tuple[str, ...] = ()
    solutions: tuple[str, ...] = ()
    avoid: str = ""
    no_fix: str = ""
    references: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    fixes: tuple[Rule, ...] = ()
    examples: tuple[RecordExample, ...] = ()
    translations: Mapping[str, Translation] = field(default_factory=dict[str, Translation])
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    language: str = "en"
