"""`jax-nbhelp check` and `jax-nbhelp fix`: notebook files, without a front end."""

from __future__ import annotations

import difflib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jax_nbhelp.hosts.executor import Options
from jax_nbhelp.hosts.notebook_file import NotebookError, NotebookFile
from jax_nbhelp.hosts.repair import Repair, repair
from jax_nbhelp.versions import installed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

_EXIT = "Exit codes: 0 the notebook is clean, 1 errors remain, 2 the input cannot be used."


def add(commands: Any) -> None:
    """Adds the two commands to a parser."""
    check: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="run notebooks and explain the JAX errors they meet",
        description="Runs each notebook in a kernel of its own and explains the error that ends it. "
        "Nothing is changed. " + _EXIT,
    )
    check.add_argument("notebook", nargs="+", type=Path, help="a notebook file")
    check.set_defaults(run=_check)
    fix: argparse.ArgumentParser = commands.add_parser(
        "fix",
        help="run a notebook and apply the fixes that make it run",
        description="Runs the notebook, applies a fix to the error that ends it, and runs it again until it "
        "is clean; a fix that does not help is taken back. Without --output or --in-place the changes are "
        "printed as a diff and nothing is written. " + _EXIT,
    )
    fix.add_argument("notebook", type=Path, help="a notebook file")
    fix.add_argument(
        "--unsafe", action="store_true", help="also apply fixes that change what the program computes"
    )
    fix.add_argument(
        "--choose",
        action="append",
        default=[],
        metavar="FIX.HOLE=VALUE",
        help="the value of a hole; the likeliest is taken otherwise",
    )
    target = fix.add_mutually_exclusive_group()
    target.add_argument("--output", type=Path, metavar="FILE", help="write the fixed notebook here")
    target.add_argument("--in-place", action="store_true", help="change the file itself, all at once")
    fix.add_argument("--no-backup", action="store_true", help="with --in-place: keep no copy FILE.bak")
    fix.set_defaults(run=_fix)
    for parser in (check, fix):
        parser.add_argument("--kernel", default="", help="the kernel to use (default: the notebook's own)")
        parser.add_argument(
            "--timeout", type=float, default=600, help="seconds a cell may take (default: %(default)s)"
        )
        parser.add_argument("--cwd", type=Path, help="the folder to run in (default: the notebook's)")
        parser.add_argument("--report", type=Path, metavar="FILE", help="write what was found as JSON")
        parser.add_argument(
            "--format",
            choices=("text", "json", "github"),
            default="text",
            help="how the result is printed; github: annotations of a workflow (default: %(default)s)",
        )


def _check(options: argparse.Namespace) -> int:
    worst, reports = 0, list[dict[str, Any]]()
    for path in options.notebook:
        try:
            notebook = NotebookFile(path)
            with _Progress(path) as progress:
                found = repair(notebook, _options(options, path), (), progress)
        except NotebookError as error:
            print(f"jax-nbhelp: {_named(path, error)}", file=sys.stderr)
            worst = 2
            continue
        reports.append(_report(path, found))
        _print(options.format, path, reports[-1], found)
        worst = max(worst, int(found.outcome != "clean"))
    if options.format == "json":
        print(json.dumps(reports, indent=1))
    return _write_report(options.report, reports[0] if len(reports) == 1 else reports, worst)


def _fix(options: argparse.Namespace) -> int:
    path: Path = options.notebook
    try:
        notebook = NotebookFile(path)
        if options.in_place:
            _check_writable(path)
        allowed = ["machine-applicable"]
        if options.unsafe:
            allowed += ["maybe-incorrect", "has-placeholders"]
        settings = replace(_options(options, path), choices=_choices(options.choose))
        with _Progress(path) as progress:
            found = repair(notebook, settings, allowed, progress)
        text = notebook.changed(found.sources, found.outputs)
        report = _report(path, found)
        if options.output:
            notebook.write(text, options.output)
        elif options.in_place and found.sources:
            notebook.write(text, path, backup=not options.no_backup)
    except NotebookError as error:
        print(f"jax-nbhelp: {_named(path, error)}", file=sys.stderr)
        return 2
    if options.format == "json":
        print(json.dumps(report, indent=1))
    else:
        _print(options.format, path, report, found)
        if options.format == "text":
            _print_changes(notebook, found)
    return _write_report(options.report, report, int(found.outcome != "clean"))


def _options(options: argparse.Namespace, path: Path) -> Options:
    folder = options.cwd or path.parent
    if not folder.is_dir():
        raise NotebookError(f"{folder}: is not a folder; name one with --cwd")
    return Options(options.kernel, options.timeout, str(folder.resolve()))


def _choices(texts: list[str]) -> dict[str, str]:
    out: dict[str, str] = {}
    for text in texts:
        name, equal, value = text.partition("=")
        if not equal or "." not in name:
            raise NotebookError(f"--choose {text}: write FIX.HOLE=VALUE, e.g. map-the-same-axis.axes=(0, 1)")
        out[name.strip()] = value.strip()
    return out


def _check_writable(path: Path) -> None:
    import os

    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise NotebookError(f"{path}: is read-only; write elsewhere with --output FILE")


def _named(path: Path, error: NotebookError) -> str:
    """The complaint, with the file's name where it has none."""
    text = " ".join(str(error).split())
    return text if str(path) in text or text.startswith("--") else f"{path}: {text}"


def _report(path: Path, found: Repair) -> dict[str, Any]:
    """The report of one notebook, as `--report` writes it."""
    errors = [_error(met.cell, met.report, met.applied) for met in found.errors]
    release = next((met.report.get("jax") for met in found.errors if met.report.get("jax")), None)
    return {
        "notebook": str(path),
        "jax": release or installed("jax"),
        "outcome": found.outcome,
        "errors": errors,
        "reason": found.reason,
        "runs": found.runs,
    }


def _error(cell: int, report: Mapping[str, Any], applied: str | None) -> dict[str, Any]:
    return {
        "cell": cell,
        "class": report["class"],
        "message": report["message"],
        "record": report.get("record"),
        "confidence": report.get("confidence", "none"),
        "explanation": report.get("explanation"),
        "where": report.get("where"),
        "fixes": [
            {
                "id": fix["id"],
                "title": fix["title"],
                "applicability": fix["applicability"],
                "cells": sorted({edit["cell"] for edit in fix["edits"]}),
                "diff": "".join(_diff(edit["old"], edit["new"], edit["cell"]) for edit in fix["edits"]),
            }
            for fix in report["fixes"]
        ],
        "applied": applied,
    }


def _diff(old: str, new: str, cell: int) -> str:
    name = f"cell {cell}"
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, name, lineterm="", n=1)
    return "".join(f"{line}\n" for line in lines)


def _print(form: str, path: Path, report: Mapping[str, Any], found: Repair) -> None:
    if form == "github":
        for error in report["errors"]:
            level = "notice" if error["applied"] else "error"
            title = f"{path} cell {error['cell']}: {error['record'] or error['class']}"
            text = str(error["explanation"] or error["message"])
            text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            print(f"::{level} file={path},title={title.replace(',', ' ').replace(':', ' ')}::{text}")
    elif form == "text":
        for error in report["errors"]:
            print(f"{path}, cell {error['cell']}: {error['class']}\n")
            print((error["explanation"] or error["message"]) + "\n")
            if error["applied"]:
                title = next(fix["title"] for fix in error["fixes"] if fix["id"] == error["applied"])
                print(f"Applied: {title}\n")
        reason = f" ({found.reason})" if found.reason else ""
        print(f"{path}: {_OUTCOMES[found.outcome]}{reason}")


_OUTCOMES = {
    "clean": "clean",
    "failed": "a JAX error remains",
    "not-jax": "ends with an error that is not JAX's",
}


def _print_changes(notebook: NotebookFile, found: Repair) -> None:
    for cell in notebook.code_cells():
        if cell.index in found.sources:
            print(_diff(cell.source, found.sources[cell.index], cell.index), end="")


def _write_report(target: Path | None, report: object, code: int) -> int:
    if target is not None and code != 2:
        try:
            target.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            print(f"jax-nbhelp: {target}: cannot be written: {error}", file=sys.stderr)
            return 2
    return code


class _Progress:
    """A progress bar on standard error, where somebody is looking."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._bar: Any = None

    def __enter__(self) -> Callable[[str, int, int], None]:
        from tqdm import tqdm

        self._bar = tqdm(disable=None, leave=False, unit="cell", file=sys.stderr)
        return self._show

    def _show(self, doing: str, done: int, of: int) -> None:
        self._bar.total = of
        self._bar.n = done
        self._bar.set_description(f"{self._name}: {doing}")

    def __exit__(self, *_: object) -> None:
        self._bar.close()
