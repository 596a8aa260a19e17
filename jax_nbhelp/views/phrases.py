"""The words that the views put around an explanation, in one place, so that they can be translated."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = {
    "place": "{cell}, line {line}",
    "fix": "Fix",
    "other_fix": "1 more fix",
    "other_fixes": "{count} more fixes",
    "check_failed": "JAX's check that failed",
    "way_on": "What to do",
    "avoid": "Not a cure",
    "no_fix": "No fix to apply",
    "why": "Why",
    "example": "An example",
    "broken": "Fails",
    "fixed": "Works",
    "raised_in": "Raised in",
    "unverified": "This text comes from a draft that nobody has checked yet.",
    "not_applied": "Cannot be applied here: {reason}.",
    "fallback": "The buttons need a running kernel; `%jaxhelp fix` applies the first fix without them.",
    "fallback_report": "With a running kernel there are buttons here to report or mute this help.",
    # How sure a fix is, and what an edit alone cannot do.
    "machine-applicable": "keeps what the program means",
    "maybe-incorrect": "check that it is what you mean",
    "has-placeholders": "needs a value from you",
    "display-only": "to read, not to apply",
    "none": "",
    "rerun-cells": "Cells that used the old code must run again.",
    "restart-kernel": "It takes effect after a restart of the kernel.",
}

CONTROLS: Final = {
    "region": "Fixes for this error",
    "choose_fix": "Fixes",
    "diff": "the change of {cell}",
    "apply_run": "Apply and run",
    "run": "Run",
    "apply": "Apply",
    "copy": "Copy",
    "undo": "Undo",
    "close": "Close",
    "cell": "cell [{count}]",
    "and": " and ",
    "will_run": "changes {edited}, runs {run}",
    "will_run_same": "changes and runs {edited}",
    "will_rerun": "runs {run}",
    "will_change": "changes {edited}",
    "other": "Other…",
    "choose": "Choose…",
    "value_of": "Python for: {label}",
    "use": "Use",
    "fill": "Choose a value first: {label}.",
    "checking": "Checking the value…",
    "not_checked": "The kernel has not answered, so the value is not checked yet.",
    "gone": "The kernel that made this help is gone. Run the cell again for fresh help.",
    "applied": "{edited} changed, not run yet.",
    "waiting": "Waiting for the kernel…",
    "running": "{run} running…",
    "ran": "{edited} changed and run.",
    "run_failed": "{run} ended with an error.",
    "undone": "{edited} as before.",
    "undone_ran": "{edited} as before. What ran stays in the kernel.",
    "deleted": "{cell} is gone from the notebook, so nothing was changed.",
    "edited": "{cell} was edited after this error, so nothing was changed. Run it again for fresh help.",
    "undo_edited": "{cell} was edited since, so nothing was undone. Ctrl+Z in it goes back step by step.",
    "locked": "{cell} is locked against edits, so nothing was changed.",
    "still_running": "It is running already; one click is enough.",
    "busy": "The kernel is busy with something else, so nothing was changed. Click again when it is idle.",
    "restarting": "The kernel is starting, so nothing was changed. Click again when it is idle.",
    "restarted": "The kernel was restarted after this error, so the cells above must run first. Nothing was "
    "changed; Apply changes the cell without running it.",
    "no_kernel": "No kernel is running, so nothing was changed. Apply changes the cell without running it.",
    "unknown_host": "This front end does not let the help change cells. Copy the code, or run %jaxhelp fix: "
    "it puts the fixed cell below.",
    "copied": "The fixed code is on the clipboard.",
    "not_copied": "The browser did not allow copying.",
    "more": "Not helpful?",
    "report": "Copy a report",
    "report_note": "versions, the message and the record's name; no values of yours",
    "reported": "The report is on the clipboard.",
    "mute": "Mute this help",
    "muted": "Errors of this kind stay without help until %jaxhelp unmute {record}.",
    "fault": "This did not work: {reason}",
}
"""The widget's words; its script fills in what stands in braces and begins each with a capital."""


def say(phrase: str, **values: object) -> str:
    """Returns a phrase by its name, with values in its braces."""
    return _ENGLISH[phrase].format(**values)


def count_of_others(number: int) -> str:
    """Returns how many more fixes there are."""
    return say("other_fix") if number == 1 else say("other_fixes", count=number)
