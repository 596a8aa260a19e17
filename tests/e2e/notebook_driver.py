"""Drives a notebook in a real browser; sources, outputs and counts are read from the model, not the page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import nbformat

if TYPE_CHECKING:
    from pathlib import Path

    from notebook_server import Server
    from playwright.sync_api import ConsoleMessage, Error, Locator, Page

ARTIFACTS = "artifacts"
START = 90_000
NOT_OURS = (
    "Could not restore the debugger state",  # after a restart of the kernel, with the front end's own requests
    "Error: Canceled future for",
    "Canceled future for",
    "Error: widget model not found",  # said by the widget manager after a restart and a reload
)


def write_notebook(server: Server, name: str, cells: list[str]) -> None:
    """Writes a notebook of code cells into a server's folder."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": server.kernel, "display_name": "Python 3", "language": "python"}
    for number, cell in enumerate(made.cells):
        cell["id"] = f"cell-{number}"
    nbformat.write(made, server.root / name)


@dataclass
class Notebook(ABC):
    """A notebook that is open in a page; what depends on the front end stands in the subclasses.

    Attributes:
      page: the browser's page.
      host: the front end, one of `notebook_server.PAGES`.
      artifacts: the folder of its pictures.
      file: its name in the server's folder, once it is open.
      errors: what the browser's console reported as errors.
    """

    NAMES: ClassVar[str]
    """Script that gives `ask` and `wait` their names, `cells` and `kernel` among them."""
    IDLE: ClassVar[str]
    """Whether the notebook is loaded and its kernel has nothing to do, as an expression of those names."""
    CELLS: ClassVar[str]
    """The selector of the list of cells."""

    page: Page
    host: str
    artifacts: Path
    file: str = ""
    errors: list[str] = field(default_factory=list)

    def open(self, server: Server, file: str) -> None:
        """Opens a notebook that is in the server's folder and waits for its kernel."""
        self.file = file
        self.page.goto(server.address(self.host, file))
        self._hear()

    def reload(self) -> None:
        """Saves the notebook and loads the page again."""
        self.save()
        self.page.remove_listener("console", self._heard)
        self.page.remove_listener("pageerror", self._failed)
        self.page.reload()
        self._hear()

    def _hear(self) -> None:
        self.wait_idle(START)
        # Not sooner: what the front end says of itself while it starts is not ours.
        self.page.on("console", self._heard)
        self.page.on("pageerror", self._failed)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(NOT_OURS):
            self.errors.append(f"{message.text} [{message.location.get('url', '')}]")

    def _failed(self, error: Error) -> None:
        if not str(error).startswith(NOT_OURS):
            self.errors.append(str(error))

    def ask(self, expression: str, argument: object = None) -> Any:
        """Evaluates an expression of the front end's names and `arg` in the page."""
        return self.page.evaluate(f"async arg => {{ {self.NAMES} return {expression}; }}", argument)

    def wait(self, expression: str, argument: object = None, timeout: float = 90_000) -> None:
        """Waits until an expression of the same names is true."""
        self.page.wait_for_function(
            f"arg => {{ {self.NAMES} return {expression}; }}", arg=argument, timeout=timeout
        )

    def wait_idle(self, timeout: float = 120_000) -> None:
        """Waits until the kernel has nothing to do."""
        self.wait(self.IDLE, timeout=timeout)

    @abstractmethod
    def save(self) -> None:
        """Saves the notebook."""

    @abstractmethod
    def select(self, index: int) -> None:
        """Makes a cell the selected one."""

    @abstractmethod
    def start(self, index: int) -> None:
        """Begins to run a cell, with the notebook's own command."""

    @abstractmethod
    def run(self, index: int) -> None:
        """Runs a cell and waits for its end."""

    @abstractmethod
    def sources(self) -> list[str]:
        """Returns the texts of the cells."""

    @abstractmethod
    def outputs(self, index: int) -> list[dict[str, Any]]:
        """Returns the outputs of a cell, as they would be saved."""

    @abstractmethod
    def counts(self) -> list[int | None]:
        """Returns the execution counts of the cells."""

    @abstractmethod
    def edit(self, index: int, text: str) -> None:
        """Changes a cell's text as another author would."""

    @abstractmethod
    def delete(self, index: int) -> None:
        """Deletes a cell."""

    @abstractmethod
    def undo_in_editor(self, index: int) -> None:
        """Presses Ctrl+Z in a cell's editor."""

    @abstractmethod
    def tell_kernel(self, code: str) -> None:
        """Runs code in the kernel, in no cell."""

    @abstractmethod
    def restart_kernel(self) -> None:
        """Restarts the kernel, without the question."""

    @abstractmethod
    def shut_kernel_down(self) -> None:
        """Ends the kernel and starts no other."""

    @abstractmethod
    def interrupt(self) -> None:
        """Interrupts what runs."""

    def output_text(self, index: int) -> str:
        """Returns what a cell printed or returned, without helps and tracebacks."""
        texts: list[str] = []
        for output in self.outputs(index):
            data = output.get("data", {})
            if "application/vnd.jupyter.widget-view+json" not in data:
                texts.append("".join(output.get("text", "")) or "".join(data.get("text/plain", "")))
        return "\n".join(text for text in texts if text).strip()

    def has_runner(self) -> bool:
        """Returns whether our JupyterLab extension is in the page."""
        return self.page.evaluate("Symbol.for('jax-nbhelp:runner') in globalThis")

    @property
    def help(self) -> Locator:
        """The last help's controls."""
        return self.page.locator(".nbh-widget").last

    @property
    def static(self) -> Locator:
        """The last help's explanation."""
        return self.page.locator(".jax-nbhelp:not(.nbh-widget):not(.nbh-toast)").last

    @property
    def toast(self) -> Locator:
        """The note that stays after a run."""
        return self.page.locator(".nbh-toast")

    def status(self) -> str:
        """Returns what the help's status line says."""
        return self.help.locator(".nbh-status").inner_text()

    def wait_status(self, part: str) -> None:
        """Waits until the status line holds some words."""
        self.help.locator(".nbh-status", has_text=part).wait_for()

    def click(self, name: str) -> None:
        """Clicks a button of the help, by its exact name."""
        self.help.get_by_role("button", name=name, exact=True).click()

    def screenshot(self, name: str) -> None:
        """Keeps a picture of the page among the artefacts."""
        self.artifacts.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self.artifacts / f"{self.host}-{name}.png")
