"""The words that `%jaxhelp` and the hook print, in one place, so that they can be translated."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = {
    "fault": "jax_nbhelp: the help itself failed ({kind}); %jaxhelp doctor shows how.",
    "usage": (
        "%jaxhelp                   the last help again\n"
        "%jaxhelp fix [N]           the corrected cell below (N: which fix; the first by default)\n"
        "%jaxhelp explain WHAT      an error message, or the name of a record\n"
        "%jaxhelp on | off          switches the help on, muted records too, or off\n"
        "%jaxhelp mute RECORD       no more help for a record; unmute RECORD brings it back\n"
        "%jaxhelp records [FOLDER]  the records; with a folder, its records from now on too\n"
        "%jaxhelp new AREA/SLUG [FOLDER]  begins a record from the last error\n"
        "%jaxhelp doctor            versions, the state of the hook, and what went wrong"
    ),
    "unknown_command": "%jaxhelp has no `{command}`. It knows:\n{usage}",
    "needs_argument": "%jaxhelp {command} needs {what}. It knows:\n{usage}",
    "a_message": "an error message or the name of a record",
    "a_record": "the name of a record",
    "a_new_record": "an area and a name, such as vmap/inconsistent-sizes",
    "no_error": "There was no error yet.",
    "not_begun": "No record was begun: {reason}",
    "begun": "{path}\nNow write what is marked TODO there.",
    "no_help": "There was no JAX error with help yet.",
    "no_fix": "The last help has no fix that can be put into a cell.",
    "no_such_fix": "The last help has no fix `{number}`. It has:\n{fixes}",
    "fix_line": "  {number}. {title}",
    "not_applied": "Fix {number} is to read, not to apply: {reason}",
    "inserted": "{title}\nThe corrected {cell} follows.",
    "inserted_many": "{title}\nIt changes {cells}; their corrected texts follow as one cell.",
    "inserted_first": "{title}\nIt changes {cells}. The corrected {cell} follows; change the rest by hand:",
    "heading": "# {cell}, corrected",
    "needs_value": "Check the value in it: {label}.",
    "then_run": "Then run {cells} again.",
    "restart": "It takes effect after a restart of the kernel.",
    "and": " and ",
    "on": "The help is on.",
    "off": "The help is off until %jaxhelp on.",
    "muted": "Errors of the record `{record}` stay without help until %jaxhelp unmute {record}.",
    "not_muted": "The record `{record}` is not muted.",
    "unmuted": "Errors of the record `{record}` get their help again.",
    "unknown_record": "There is no record `{record}`.",
    "versions": "versions: {versions}",
    "hook_on": "hook: on",
    "hook_off": "hook: off",
    "hook_covered": "hook: another handler was installed later; errors are looked at when their cell ends",
    "switched_off": "help: switched off by %jaxhelp off",
    "muted_list": "muted: {records}",
    "front_end": "front end: {name}",
    "records": "records: {count}",
    "records_environment": "records of {name} (JAX_NBHELP_RECORDS): {count}",
    "records_library": "records that {name} brings: {count}",
    "records_session": "records of {name} (added here): {count}",
    "records_failed": "records: they cannot be read: {reason}",
    "complaint": "  {complaint}",
    "no_faults": "faults: none",
    "faults": "faults: {count}, the last one last",
}


def say(phrase: str, **values: object) -> str:
    """Returns a phrase by its name, with values in its braces."""
    return _ENGLISH[phrase].format(**values)
