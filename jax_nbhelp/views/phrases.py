"""The words on screen that belong to no record, in one place, so that they can be translated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from jax_nbhelp.fixes.fix import Applicability, Needs


@dataclass(frozen=True, slots=True)
class Controls:
    """The words of the widget; names in braces are filled in by its script."""

    region: str = "Fixes for this error"
    choose_fix: str = "Fixes"
    apply_run: str = "Apply and run"
    apply: str = "Apply"
    run: str = "Run"
    copy: str = "Copy"
    undo: str = "Undo"
    close: str = "Close"
    will_run: str = "Changes {edited}, then runs {run}."
    will_rerun: str = "Runs {run}."
    will_change: str = "Changes {edited}."
    and_: str = " and "
    nothing: str = ""
    other: str = "other…"
    choose: str = "choose…"
    value_of: str = "Python for {label}"
    use: str = "Use"
    checking: str = "Checking the value…"
    not_checked: str = "The kernel did not answer, so the value could not be checked."
    fill: str = "Choose {label} first."
    line: str = "line {line}"
    more: str = "Not helpful?"
    report: str = "Copy a report"
    report_note: str = "The report holds versions, the message and the record's name, no values of yours."
    reported: str = "The report is on the clipboard."
    mute: str = "Mute this help"
    muted: str = "Errors of this kind stay without help from now on. %jaxhelp on brings it back."
    copied: str = "The fixed code is on the clipboard."
    not_copied: str = "The browser did not allow copying."
    applied: str = "{edited} changed."
    applied_note: str = "Not run yet."
    running: str = "{run} running…"
    waiting: str = "Waiting for the kernel…"
    ran: str = "{edited} changed and run."
    run_failed: str = "{edited} changed, but {run} ended with an error."
    undone: str = "{edited} as before."
    undone_ran: str = "{edited} as before. What ran stays in the kernel."
    deleted: str = "{cell} is gone from the notebook, so nothing was changed."
    edited: str = "{cell} was edited after this error, so nothing was changed. Run it again for fresh help."
    undo_edited: str = "{cell} was edited since, so nothing was undone. Ctrl+Z in it goes back step by step."
    locked: str = "{cell} is locked against edits, so nothing was changed."
    already: str = "This fix is in the cell already."
    still_running: str = "The fix is being run; one click is enough."
    busy: str = "The kernel is busy with something else, so nothing was changed. Click again when it is idle."
    restarting: str = "The kernel is restarting, so nothing was changed."
    restarted: str = (
        "The kernel was restarted after this error, so the cells before this one must run first. "
        "Nothing was changed; Apply changes the cell without running it."
    )
    no_kernel: str = (
        "No kernel is running, so nothing was changed. Apply changes the cell without running it."
    )
    unknown_host: str = (
        "This front end does not let a help panel change cells. "
        "Copy the code, or run %jaxhelp fix: it puts the fixed cell below."
    )
    fault: str = "This did not work: {reason}"


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words of the static views, and the widget's in `controls`."""

    place: str = "{cell}, line {line}"
    fix: str = "Fix"
    other_fixes: str = "{count} more fixes"
    other_fix: str = "1 more fix"
    check_failed: str = "JAX's check that failed"
    way_on: str = "What to do"
    avoid: str = "Not a cure"
    why: str = "Why"
    example: str = "An example"
    broken: str = "Fails"
    fixed: str = "Works"
    links: str = "Read on"
    raised_in: str = "Where JAX raises"
    unverified: str = "This text comes from a draft that nobody has checked yet."
    similar: str = (
        "This error is not known. The nearest known one is `{record}`; what is said of it may not hold here."
    )
    not_applied: str = "Cannot be applied here"
    fallback: str = "The buttons need a running kernel. `%jaxhelp fix` applies the first fix without them."
    applicability: dict[Applicability, str] = field(
        default_factory=lambda: {
            "machine-applicable": "safe: the program means the same",
            "maybe-incorrect": "check that this is what you mean",
            "has-placeholders": "needs a value from you",
            "display-only": "to read, not to apply",
        }
    )
    needs: dict[Needs, str] = field(
        default_factory=lambda: {
            "none": "",
            "rerun-cells": "Cells that used the old code must run again.",
            "restart-kernel": "It takes effect after a restart of the kernel.",
        }
    )
    controls: Controls = field(default_factory=Controls)


ENGLISH: Final = Phrases()
