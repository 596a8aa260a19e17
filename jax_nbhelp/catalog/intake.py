"""Takes entries of the public dataset into a folder, as drafts: one TOML file each, for people to go on with.

Nothing that is there is ever changed: an entry whose id a record of the folder has is left alone, so a second
run does nothing; one whose slug another record has gets a slug of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from jax_nbhelp.catalog.lint import lint
from jax_nbhelp.catalog.load import RecordError, read_drafts, read_folder
from jax_nbhelp.catalog.write import to_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from jax_nbhelp.catalog.record import Record


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one entry.

    Attributes:
      outcome: `written`; `there`, a record of this id is in the folder; `refused`.
      detail: the file that was written, the record that is there, or for a refusal the file, the place, the
        field and the remedy.
    """

    outcome: Literal["written", "there", "refused"]
    detail: str


class Intake:
    """A folder that takes drafts.

    Args:
      folder: the folder; it is made where it is missing.

    Attributes:
      complaints: what is in the folder and cannot be read; it is left alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        records, errors = read_folder(folder)
        self.complaints = [str(error) for error in errors]
        self._slugs = {record.id: record.slug for record in records}
        self._used = {record.slug for record in records}

    def take(self, drafts: Iterable[Record | RecordError]) -> Iterator[Taken]:
        """Writes drafts and yields what became of each, in order."""
        for draft in drafts:
            if isinstance(draft, RecordError):
                yield Taken("refused", str(draft))
            elif draft.id in self._slugs:
                yield Taken("there", self._slugs[draft.id])
            else:
                yield self._written(draft)

    def _written(self, draft: Record) -> Taken:
        if draft.slug in self._used:
            draft = replace(draft, slug=f"{draft.slug}-{draft.id[:8]}")
        complaints = lint(draft)
        if complaints:
            return Taken("refused", complaints[0])
        path = self.folder / draft.area / f"{draft.slug}.toml"
        try:
            text = to_toml(draft)
            path.parent.mkdir(exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            return Taken("refused", f"{path}: is there and is no record of this id; move it away")
        except UnicodeEncodeError as error:
            return Taken(
                "refused", f"{draft.slug}: holds a character that no file can ({error.reason}); remove it"
            )
        except OSError as error:
            return Taken("refused", f"{path}: cannot be written: {error}")
        self._slugs[draft.id] = draft.slug
        self._used.add(draft.slug)
        return Taken("written", str(path))


def drafts_of(path: Path) -> Iterator[Record | RecordError]:
    """Yields the drafts of a file of the dataset, and a complaint for each entry that is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        yield RecordError(f"{path}: there is no such file")
    except (OSError, UnicodeDecodeError) as error:
        yield RecordError(f"{path}: cannot be read ({error}); the dataset is JSON in UTF-8")
    else:
        yield from read_drafts(path, text)
