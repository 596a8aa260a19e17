"""What this package asks of IPython's shell, as types: the same on IPython 7.34 and 9."""

# ruff: noqa: D102 - the methods and what they do are IPython's

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Types = tuple[type[BaseException], ...]


class ShowError(Protocol):
    """`shell.CustomTB`: shows an error instead of the shell's own traceback."""

    def __call__(
        self,
        etype: type[BaseException],
        value: BaseException,
        tb: TracebackType | None,
        tb_offset: int | None = None,
    ) -> Any: ...


class CellInfo(Protocol):
    """What `pre_run_cell` is told."""

    raw_cell: str
    store_history: bool
    cell_id: str | None


class CellResult(Protocol):
    """What `post_run_cell` is told."""

    info: CellInfo
    success: bool


class Compiler(Protocol):
    """`shell.compile`."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int, /) -> str: ...


class Events(Protocol):
    """`shell.events`."""

    def register(self, event: str, function: Callable[..., Any], /) -> None: ...
    def unregister(self, event: str, function: Callable[..., Any], /) -> None: ...


class History(Protocol):
    """`shell.history_manager`; the list begins with an empty entry for the cell that never was."""

    input_hist_raw: list[str]


class DisplayPublisher(Protocol):
    """`shell.display_pub`; `%%capture` puts another one in its place while it runs."""

    def publish(self, data: dict[str, Any], metadata: dict[str, Any], /) -> None: ...


class Magics(Protocol):
    """`shell.magics_manager`: the magics by kind and name."""

    magics: dict[str, dict[str, Callable[..., Any]]]


class Shell(Protocol):
    """An `InteractiveShell`, in a kernel or in a terminal; the latter has no `parent_header`."""

    CustomTB: ShowError
    colors: str
    compile: Compiler
    custom_exceptions: Types
    display_pub: DisplayPublisher
    events: Events
    execution_count: int
    history_manager: History
    magics_manager: Magics
    parent_header: dict[str, Any]
    user_ns: dict[str, Any]

    def register_magic_function(
        self, func: Callable[[str], None], magic_kind: str, magic_name: str, /
    ) -> None: ...
    def set_next_input(self, s: str, replace: bool = False) -> None: ...
    def showindentationerror(self) -> None: ...
    def showsyntaxerror(self) -> None: ...
    def showtraceback(
        self,
        exc_tuple: tuple[type[BaseException], BaseException, TracebackType | None],
        *,
        tb_offset: int | None,
        running_compiled_code: bool,
    ) -> None: ...
    def transform_cell(self, raw_cell: str, /) -> str: ...
