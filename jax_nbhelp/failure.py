"""From an exception to a Failure: its chain, its message, JAX's frames, and the user's as places in cells.

A Failure holds text and numbers only, so it keeps no array alive. The frames themselves stay in a Live,
which lives while one error is explained.
"""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from jax_nbhelp import raw
from jax_nbhelp.source import Place, locate, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import FrameType, TracebackType

    from jax_nbhelp.cell import Cell, CellBook
    from jax_nbhelp.source import Position

FrameKind = Literal["cell", "jax", "library", "machinery", "user"]
# Who raised: JAX; a library built on it; the user's own `raise`; code that is none of these (numpy, Python)
# called by the user.
Owner = Literal["jax", "library", "user", "other"]

_LINKS = 12  # links of one chain that are looked at
_FRAMES = 400  # frames of one traceback that are looked at, at either end
_TEXT = 100_000  # characters of a message that are kept
# Packages whose errors records from elsewhere explain, wherever they are installed.
_LIBRARIES = set[str]()
# Packages that only carry a call to or from JAX: the one who called them is responsible.
_MACHINERY = {"numpy", "opt_einsum", "ml_dtypes", "scipy", "IPython", "ipykernel", "contextlib", "functools"}
_REMOVED_FRAMES = (
    "JAX has removed its internal frames"  # the note of jax_traceback_filtering=quiet_remove_frames
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback.

    Attributes:
      file: a package's file from the package on (`jax/_src/api.py`); any other as Python names it.
      function: the qualified name of the code, e.g. `vmap.<locals>.vmap_f`.
      kind: whose code it is.
      line: the line in the file; never used to recognise anything.
      place: where it stands in a cell.
    """

    file: str
    function: str
    kind: FrameKind
    line: int
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """One exception of a chain.

    Attributes:
      error_class: its class, qualified where it is not a builtin.
      bases: the names of all its classes, likewise.
      message: `str(error)`.
      frames: its traceback, outermost first.
      origin: JAX's own record of the user's lines that made the failing operation, outermost first; there
        for errors that are raised long after the line ran (lowering, the backward pass).
      owner: who raised it.
      frames_removed: JAX threw its own frames away, so their absence says nothing.
    """

    error_class: str
    bases: tuple[str, ...]
    message: str
    frames: tuple[Frame, ...]
    origin: tuple[Frame, ...]
    owner: Owner
    frames_removed: bool

    @property
    def cell_frames(self) -> list[tuple[int, Frame]]:
        """The frames in cells with their indices, innermost first."""
        return [(i, f) for i, f in reversed(list(enumerate(self.frames))) if f.place is not None]

    @property
    def raising(self) -> Frame | None:
        """The innermost frame."""
        return self.frames[-1] if self.frames else None

    @property
    def responsible(self) -> Frame | None:
        """The innermost frame that is not mere machinery."""
        return _responsible(self.frames)


@dataclass(frozen=True, slots=True)
class Failure:
    """One exception as it left the user's code.

    Attributes:
      links: the exception, then its causes, contexts and group members.
      cell: the cell that was running.
    """

    links: tuple[Link, ...]
    cell: Cell | None = None


@dataclass(slots=True)
class Live:
    """The frames of a Failure, to be dropped when its help is built.

    Attributes:
      namespace: the user's globals.
      frames: the live frames by link and index; origin frames have none.
      tells_values: whether the help may tell types and values of the user's objects.
    """

    namespace: Mapping[str, Any] = field(default_factory=dict[str, Any])
    frames: list[list[FrameType]] = field(default_factory=list["list[FrameType]"])
    tells_values: bool = True

    def frame(self, link: int, frame: int) -> FrameType | None:
        """Returns a live frame, or None where there is none."""
        frames = self.frames[link] if link < len(self.frames) else []
        return frames[frame] if frame < len(frames) else None

    def scopes(self, link: int, frame: int) -> list[Mapping[str, Any]]:
        """Returns the namespaces a frame sees, innermost first."""
        live = self.frame(link, frame)
        if live is None:
            return [self.namespace]
        same = live.f_locals is live.f_globals
        return [live.f_globals] if same else [live.f_locals, live.f_globals]


def capture(
    error: BaseException, book: CellBook, namespace: Mapping[str, Any] | None = None
) -> tuple[Failure, Live]:
    """Takes an exception apart.

    Args:
      error: the exception; it is not changed.
      book: the cells that ran.
      namespace: the user's globals.
    """
    links: list[Link] = []
    live = Live(namespace or {})
    for one in itertools.islice(_chain(error), _LINKS):
        tracebacks = list(_walk(_complete_traceback(one)))
        frames = tuple(_frame(tb, book) for tb in tracebacks)
        origin = tuple(_frame(tb, book, columns=False) for tb in _walk(_origin_traceback(one)))
        links.append(_link(one, frames, origin))
        live.frames.append([tb.tb_frame for tb in tracebacks])
    return Failure(tuple(links), book.current), live


def _link(error: BaseException, frames: tuple[Frame, ...], origin: tuple[Frame, ...]) -> Link:
    removed = any(_REMOVED_FRAMES in note for note in raw.notes(error))
    names = tuple(qualified_name(cls) for cls in raw.classes(type(error)) if cls is not object)
    owner = _owner(names, frames, removed=removed)
    return Link(names[0], names, message_of(error), frames, origin, owner, removed)


def message_of(error: BaseException) -> str:
    """Returns the text of an error, as far as it can be had without running code of the user's."""
    return raw.text(error)[:_TEXT]


def qualified_name(cls: type) -> str:
    """Returns a class's name with its module; JAX's private module names become the public one."""
    module, name = raw.module_of(cls), raw.qualname_of(cls)
    if module == "builtins":
        return name
    if module.startswith("jax._src.") and name in vars(sys.modules.get("jax.errors") or object):
        module = "jax.errors"
    return f"{module}.{name}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception, then what it came from, each once; JAX's bookkeeping exceptions are left out."""
    queue, seen = [error], set[int]()
    while queue:
        one = queue.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        if raw.qualname_of(type(one)) not in ("UnfilteredStackTrace", "JaxStackTraceBeforeTransformation"):
            yield one
        queue.extend(raw.members(one)[:_LINKS])
        cause, context = raw.cause(one), raw.context(one)
        if cause is not None:
            queue.append(cause)
        elif context is not None and not raw.hides_context(one):
            queue.append(context)


def _causes(error: BaseException) -> Iterator[BaseException]:
    for _ in range(4):
        cause = raw.cause(error)
        if cause is None:
            return
        error = cause
        yield error


def _complete_traceback(error: BaseException) -> TracebackType | None:
    """The traceback with JAX's frames, which jax_traceback_filtering=remove_frames moves into a cause."""
    cause = raw.cause(error)
    if cause is not None and raw.qualname_of(type(cause)) == "UnfilteredStackTrace":
        return raw.traceback(cause)
    return raw.traceback(error)


def _origin_traceback(error: BaseException) -> TracebackType | None:
    """The traceback of the operation that failed, where JAX gives one."""
    for cause in _causes(error):
        name = raw.qualname_of(type(cause))
        if name == "JaxStackTraceBeforeTransformation":
            return raw.traceback(cause)
        if name != "UnfilteredStackTrace":
            return None
    return None


def _walk(tb: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, outermost first; the middle of a very long one is left out."""
    entries: list[TracebackType] = []
    while tb is not None and len(entries) < 10_000:
        entries.append(tb)
        tb = tb.tb_next
    if len(entries) > 2 * _FRAMES:
        entries = entries[:_FRAMES] + entries[-_FRAMES:]
    yield from entries


def _frame(tb: TracebackType, book: CellBook, *, columns: bool = True) -> Frame:
    code = tb.tb_frame.f_code
    compiled = book.find(code.co_filename)
    if compiled is not None:
        position: Position | None = None
        if columns:
            position = next(itertools.islice(code.co_positions(), tb.tb_lasti // 2, None), None)
        place = locate(compiled, tb.tb_lineno, position)
        return Frame(code.co_filename, code.co_qualname, "cell", tb.tb_lineno, place)
    file, kind = _file_kind(code.co_filename)
    return Frame(file, code.co_qualname, kind, tb.tb_lineno)


def count_as_library(packages: Iterable[str]) -> None:
    """Makes the frames of packages a library's, also where they are not under `site-packages`."""
    _LIBRARIES.update(packages)
    _file_kind.cache_clear()


@functools.lru_cache(maxsize=4096)
def _file_kind(filename: str) -> tuple[str, FrameKind]:
    """A file's name from its package on, and whose it is."""
    path = PurePath(filename)
    for package in ("jax", "jaxlib"):
        root = _package_root(package)
        if root is not None and path.is_relative_to(root):
            return path.relative_to(root.parent).as_posix(), "jax"
    for package in _LIBRARIES - _MACHINERY:
        root = _package_root(package)
        if root is not None and (path == root or path.is_relative_to(root)):
            return path.relative_to(root.parent).as_posix(), "library"
    for name in ("site-packages", "dist-packages"):
        if name in path.parts:
            rest = path.parts[len(path.parts) - path.parts[::-1].index(name) :]
            kind: FrameKind = "machinery" if rest[0].removesuffix(".py") in _MACHINERY else "library"
            return "/".join(rest), kind
    if filename.startswith("<") or path.is_relative_to(sysconfig.get_path("stdlib")):
        return filename, "machinery"
    return filename, "user"


def _package_root(package: str) -> PurePath | None:
    """The folder of an imported package, or the file of an imported module."""
    module = sys.modules.get(package)
    file = getattr(module, "__file__", None)
    if not file:
        return None
    return PurePath(file).parent if hasattr(module, "__path__") else PurePath(file)


def _responsible(frames: tuple[Frame, ...]) -> Frame | None:
    return next((frame for frame in reversed(frames) if frame.kind != "machinery"), None)


def _owner(classes: tuple[str, ...], frames: tuple[Frame, ...], *, removed: bool) -> Owner:
    """Says who raised, from the innermost frame that is not mere machinery.

    The cell's own line may be innermost although JAX raised: jit's C++ path and numpy's on a tracer leave no
    frame. A `raise` or an `assert` in the cell is the user's word, whatever it says.
    """
    inner = _responsible(frames)
    if inner is None:
        return "jax" if classes[0].startswith(("jax.", "jaxlib.")) else "other"
    if inner.kind in ("jax", "library"):
        return inner.kind
    if inner is frames[-1] and _is_raise(inner):
        return "user"
    return "jax" if removed or classes[0].startswith(("jax.", "jaxlib.")) else "other"


def _is_raise(frame: Frame) -> bool:
    """Whether a frame of the user's stands at a `raise` or an `assert`."""
    if frame.place is None:
        return linecache.getline(frame.file, frame.line).lstrip().startswith(("raise", "assert"))
    source = parse(frame.place.cell.text)
    node = source.smallest(frame.place.start, frame.place.end) if source else None
    if source is None or node is None:
        return False
    # a call inside `raise f(x)` fails on its own account: only the statement itself, or a mere line, counts
    return isinstance(node if frame.place.exact else source.statement(node), ast.Raise | ast.Assert)
