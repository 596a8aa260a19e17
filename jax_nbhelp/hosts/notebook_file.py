"""A notebook file: its cells can be changed, and everything else survives byte for byte where JSON allows.

nbformat says whether the file is a notebook, before and after; the edit itself is made in the file's own
JSON, so that its key order, its indentation, its ids, metadata, attachments and other cells' outputs stay.
"""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class NotebookError(ValueError):
    """A file that cannot be used; the message names it and the remedy."""


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A code cell of a notebook file.

    Attributes:
      index: its place among all cells of the file, from 0.
      source: its text.
      may_raise: it is tagged `raises-exception`: an error there is meant.
    """

    index: int
    source: str
    may_raise: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """What running a cell gave: `count` of its prompt, and its outputs as nbformat has them."""

    count: int | None
    outputs: list[dict[str, Any]] = field(default_factory=list["dict[str, Any]"])


class NotebookFile:
    """A notebook read from a file.

    Args:
      path: the file.

    Raises:
      NotebookError: it cannot be read, or is not a valid notebook of format 4.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise NotebookError(f"{path}: there is no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise NotebookError(f"{path}: cannot be read: {error}") from error
        try:
            content = json.loads(self._text)
        except ValueError as error:
            raise NotebookError(f"{path}: is not a notebook: it is not JSON ({error})") from error
        if not isinstance(content, dict):
            raise NotebookError(f"{path}: is not a notebook: it holds no object with cells")
        self._content = cast("dict[str, Any]", content)
        self._check(self._content)

    @property
    def kernel(self) -> str:
        """The name of the kernel that the notebook asks for; `python3` where it asks for none."""
        return str(self._content["metadata"].get("kernelspec", {}).get("name", "python3"))

    def code_cells(self) -> list[CodeCell]:
        """Returns the code cells in order."""
        return [
            CodeCell(index, _joined(cell["source"]), "raises-exception" in cell["metadata"].get("tags", []))
            for index, cell in enumerate(self._content["cells"])
            if cell["cell_type"] == "code"
        ]

    def changed(self, sources: Mapping[int, str], outputs: Mapping[int, Output]) -> str:
        """Returns the file's text with other sources and outputs in some of its cells.

        Args:
          sources: new texts by the cell's index.
          outputs: new outputs by the cell's index.

        Raises:
          NotebookError: the result would not be a valid notebook.
        """
        if not sources:
            return self._text
        content = copy.deepcopy(self._content)
        for index, text in sources.items():
            cell = content["cells"][index]
            cell["source"] = text if isinstance(cell["source"], str) else text.splitlines(keepends=True)
        for index, output in outputs.items():
            content["cells"][index]["outputs"] = output.outputs
            content["cells"][index]["execution_count"] = output.count
        self._check(content)
        found = re.match(r"\{\n?([ \t]*)", self._text)
        indent = found[1] if found and "\n" in found[0] else None
        ending = "\n" if self._text.endswith("\n") else ""
        ascii_only = self._text.isascii() and "\\u" in self._text
        return json.dumps(content, indent=indent, ensure_ascii=ascii_only) + ending

    def write(self, text: str, target: Path, *, backup: bool = False) -> None:
        """Writes the notebook's text to a file, at once or not at all.

        Args:
          text: what `changed` returned.
          target: the file; it keeps its permissions where it exists.
          backup: keep the old file beside it, with `.bak` added.

        Raises:
          NotebookError: it cannot be written.
        """
        try:
            if backup and target.exists():
                shutil.copy2(target, target.with_name(target.name + ".bak"))
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                if target.exists():
                    shutil.copymode(target, name)
                else:
                    Path(name).chmod(0o644)
                Path(name).replace(target)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise NotebookError(f"{target}: cannot be written: {error}") from error

    def _check(self, content: dict[str, Any]) -> None:
        import nbformat

        if content.get("nbformat") != 4:
            raise NotebookError(
                f"{self.path}: is not a notebook of format 4; "
                "convert it with `jupyter nbconvert --to notebook`, or open and save it in JupyterLab"
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a cell without an id: older tools wrote such files
            try:
                nbformat.validate(
                    copy.deepcopy(content)
                )  # a copy: nbformat adds missing ids to what it is given
            except nbformat.ValidationError as error:
                where = ".".join(map(str, cast("Sequence[object]", getattr(error, "path", ()))))
                message = str(getattr(error, "message", error)).splitlines()[0][:200]
                raise NotebookError(f"{self.path}: is not a valid notebook: {where}: {message}") from None
            except (TypeError, AttributeError, KeyError) as error:  # nbformat trips over the grossest faults
                raise NotebookError(f"{self.path}: is not a valid notebook ({error})") from None


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
