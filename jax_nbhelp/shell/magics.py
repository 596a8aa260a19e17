"""`%jaxhelp`: the help by command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jax_nbhelp import phrases
from jax_nbhelp.shell.settings import MODES, SWITCH

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax_nbhelp.cell import Cell
    from jax_nbhelp.fixes.fix import Fix
    from jax_nbhelp.shell.session import Session
    from jax_nbhelp.shell.settings import Mode

say = phrases.sayer("shell")

NAME = "jaxhelp"


class JaxHelp:
    """The magic of one session; `add` and `remove` put it into the session's shell and take it away."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._covered: Callable[..., object] | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "": self._again,
            "fix": self._fix,
            "next": self._next,
            "explain": self._explain,
            "on": self._on,
            "off": self._off,
            "mute": self._mute,
            "unmute": self._unmute,
            "mode": self._mode,
            "values": self._values,
            "language": self._language,
            "export": self._export,
            "new": self._new,
            "records": self._records,
            "doctor": self._doctor,
        }

    def add(self) -> None:
        """Adds the magic to the shell."""

        def jaxhelp(line: str) -> None:
            self(line)

        jaxhelp.__doc__ = say("usage")
        shell = self._session.shell
        self._covered = shell.magics_manager.magics["line"].get(NAME)
        shell.register_magic_function(jaxhelp, "line", NAME)

    def remove(self) -> None:
        """Takes the magic away, and brings back one of the same name that it covered."""
        magics = self._session.shell.magics_manager.magics["line"]
        magics.pop(NAME, None)
        if self._covered is not None:
            magics[NAME] = self._covered

    def __call__(self, line: str) -> None:
        """Does what a line asks for; one that is not understood is answered with what is."""
        command, _, rest = line.strip().partition(" ")
        handler = self._commands.get(command)
        if handler is None:
            _print(say("unknown_command", command=command, usage=say("usage")))
        else:
            handler(rest.strip())

    def _again(self, _rest: str) -> None:
        if self._session.last is None:
            _print(say("no_help"))
        else:
            self._session.show(self._session.last)

    def _next(self, _rest: str) -> None:
        entry = self._session.entry
        if entry is None:
            _print(say("no_help"))
        elif not self._session.fix_is_locked:
            _print(say("last_step"))
        else:
            self._session.show_step(entry.help, entry.opened)
            entry.opened += 1

    def _explain(self, what: str) -> None:
        if not what:
            self._missing("explain", "a_message")
            return
        from jax_nbhelp.help import explain

        self._session.show(explain(what))

    def _on(self, _rest: str) -> None:
        self._session.settings.on = True
        self._session.settings.muted.clear()
        _print(say("on"))

    def _off(self, _rest: str) -> None:
        self._session.settings.on = False
        _print(say("off"))

    def _mute(self, record: str) -> None:
        if not record:
            self._missing("mute", "a_record")
            return
        from jax_nbhelp.catalog.shelf import all_records

        if record in all_records():
            self._session.mute(record)
            _print(say("muted", record=record))
        else:
            _print(say("unknown_record", record=record))

    def _unmute(self, record: str) -> None:
        if not record:
            self._missing("unmute", "a_record")
        elif record in self._session.settings.muted:
            self._session.settings.muted.discard(record)
            _print(say("unmuted", record=record))
        else:
            _print(say("not_muted", record=record))

    def _mode(self, mode: str) -> None:
        settings = self._session.settings
        chosen: Mode | None = next((one for one in MODES if one == mode), None)
        if mode and chosen is None:
            _print(say("no_mode", mode=mode, allowed=say("or").join(MODES)))
            return
        settings.mode = chosen or settings.mode
        _print(say("mode" if settings.mode == "normal" else "mode_class"))
        if chosen is not None:
            _print(say("mode_set"))

    def _values(self, switch: str) -> None:
        settings = self._session.settings
        if switch and switch not in SWITCH:
            _print(say("no_switch", command="values", switch=switch, allowed=say("or").join(SWITCH)))
            return
        if switch:
            settings.values = switch == "on"
        _print(say("values" if settings.values else "values_off"))

    def _language(self, code: str) -> None:
        allowed = ", ".join(phrases.LANGUAGES)
        if code and code not in phrases.LANGUAGES:
            _print(say("no_language", language=code, allowed=allowed))
            return
        if code:
            phrases.choose(code)
        _print(say("language", language=phrases.language(), allowed=allowed))

    def _export(self, file: str) -> None:
        from jax_nbhelp.shell.export import export

        _print(export(self._session, file.strip("\"'") or say("export_file")))

    def _new(self, rest: str) -> None:
        from jax_nbhelp.shell.begin import begin

        name, _, folder = rest.partition(" ")
        if not name:
            self._missing("new", "a_new_record")
        else:
            _print(begin(self._session, name, folder.strip() or "records"))

    def _records(self, folder: str) -> None:
        from pathlib import Path

        from jax_nbhelp.catalog import index, shelf
        from jax_nbhelp.shell.doctor import lines_of

        if folder:
            try:
                place = Path(folder.strip("\"'")).expanduser()
            except RuntimeError as error:  # there is no such user
                _print(say("complaint", complaint=error))
                return
            found = [shelf.add(place)]
        else:
            _print(say("records", count=len(index.installed())))
            found = shelf.sources()
        for source in found:
            _print("\n".join(lines_of(source)))

    def _doctor(self, _rest: str) -> None:
        from jax_nbhelp.shell.doctor import report

        _print(report(self._session))

    def _fix(self, number: str) -> None:
        if self._session.last is None:
            _print(say("no_help"))
            return
        fixes = self._session.last.fixes
        if not fixes:
            _print(say("no_fix"))
            return
        if self._session.fix_is_locked:
            _print(say("not_yet"))
            return
        index = int(number) - 1 if number.isdecimal() else 0 if not number else -1
        if not 0 <= index < len(fixes):
            lines = (say("fix_line", number=n, title=fix.title) for n, fix in enumerate(fixes, 1))
            _print(say("no_such_fix", number=number, fixes="\n".join(lines)))
        elif fixes[index].can_apply:
            self._insert(fixes[index])
        else:
            _print(say("not_applied", number=index + 1, reason=fixes[index].reason))

    def _insert(self, fix: Fix) -> None:
        """Puts a fix's cells below, or into the next prompt: one cell, since front ends take no more."""
        edits = fix.edits
        cells = _labels([edit.cell for edit in edits])
        text, rest = edits[0].new, edits[1:]
        if not rest:
            said = say("inserted", title=fix.title, cell=cells)
        elif not any(edit.new.lstrip().startswith("%%") for edit in edits):
            said = say("inserted_many", title=fix.title, cells=cells)
            text, rest = "\n\n".join(f"{_heading(e.cell)}\n{e.new.rstrip()}" for e in edits), ()
        else:  # a cell magic takes the whole cell
            said = say("inserted_first", title=fix.title, cells=cells, cell=edits[0].cell.label)
        _print("\n\n".join([said, *(f"{_heading(edit.cell)}\n{edit.new.rstrip()}" for edit in rest)]))
        for hole in fix.holes:
            _print(say("needs_value", label=hole.label))
        changed = [edit.cell for edit in edits]
        if again := [cell for cell in fix.run if cell not in changed]:
            _print(say("then_run", cells=_labels(again)))
        if fix.needs == "restart-kernel":
            _print(say("restart"))
        self._session.shell.set_next_input(text.rstrip("\n"), replace=False)

    def _missing(self, command: str, what: str) -> None:
        _print(say("needs_argument", command=command, what=say(what), usage=say("usage")))


def _print(text: str) -> None:
    """Prints a text in which names, messages and code of others may stand."""
    from jax_nbhelp.views.lines import printable_lines

    print(printable_lines(text))


def _heading(cell: Cell) -> str:
    return say("heading", cell=cell.label)


def _labels(cells: list[Cell]) -> str:
    return say("and").join(cell.label for cell in cells)
