"""Drives a notebook in a real browser; sources, outputs and counts are read from the model, not the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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

_PANEL = """
const panel = window.jupyterapp?.shell.currentWidget;
const cells = panel?.content?.widgets ?? [];
const kernel = panel?.sessionContext?.session?.kernel;
"""


@dataclass
class Notebook:
    """A notebook that is open in a page.

    Attributes:
      page: the browser's page.
      host: `lab` for JupyterLab, `notebook` for Notebook 7.
      errors: what the browser's console reported as errors.
    """

    page: Page
    host: str
    artifacts: Path
    errors: list[str] = field(default_factory=list)

    def open(self, server: Server, name: str, cells: list[str]) -> None:
        """Writes a notebook, opens it and waits for its kernel."""
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        for number, cell in enumerate(made.cells):
            cell["id"] = f"cell-{number}"
        nbformat.write(made, server.root / name)
        self.open_file(server, name)

    def open_file(self, server: Server, name: str) -> None:
        """Opens a notebook that is in the server's folder and waits for its kernel."""
        self.page.goto(server.address(self.host, name))
        self.wait_idle(START)
        # Not sooner: what the front end says of itself while it starts is not ours.
        self.page.on("console", self._heard)
        self.page.on("pageerror", self._failed)

    def reload(self) -> None:
        """Saves the notebook and loads the page again."""
        self.ask("(await panel.context.save(), 0)")
        self.page.remove_listener("console", self._heard)
        self.page.remove_listener("pageerror", self._failed)
        self.page.reload()
        self.wait_idle(START)
        self.page.on("console", self._heard)
        self.page.on("pageerror", self._failed)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(NOT_OURS):
            self.errors.append(f"{message.text} [{message.location.get('url', '')}]")

    def _failed(self, error: Error) -> None:
        if not str(error).startswith(NOT_OURS):
            self.errors.append(str(error))

    def ask(self, expression: str, argument: object = None) -> Any:
        """Evaluates an expression of `panel`, `cells`, `kernel` and `arg` in the page."""
        return self.page.evaluate(f"async arg => {{ {_PANEL} return {expression}; }}", argument)

    def wait(self, expression: str, argument: object = None, timeout: float = 90_000) -> None:
        """Waits until an expression of the same names is true."""
        self.page.wait_for_function(
            f"arg => {{ {_PANEL} return {expression}; }}", arg=argument, timeout=timeout
        )

    def wait_idle(self, timeout: float = 120_000) -> None:
        """Waits until the kernel has nothing to do."""
        self.wait("panel?.context?.isReady && kernel?.status === 'idle'", timeout=timeout)

    def start(self, index: int) -> None:
        """Begins to run a cell, with the notebook's own command."""
        self.ask(
            "(panel.content.deselectAll(), panel.content.activeCellIndex = arg,"
            " void window.jupyterapp.commands.execute('notebook:run-cell'))",
            index,
        )

    def run(self, index: int) -> None:
        """Runs a cell and waits for its end."""
        self.ask(
            "(panel.content.deselectAll(), panel.content.activeCellIndex = arg,"
            " await window.jupyterapp.commands.execute('notebook:run-cell'), 0)",
            index,
        )
        self.wait_idle()

    def sources(self) -> list[str]:
        """Returns the texts of the cells."""
        return self.ask("cells.map(cell => cell.model.sharedModel.getSource())")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """Returns the outputs of a cell, as they would be saved."""
        return self.ask("cells[arg].model.outputs.toJSON()", index)

    def output_text(self, index: int) -> str:
        """Returns what a cell printed or returned, without helps and tracebacks."""
        texts: list[str] = []
        for output in self.outputs(index):
            data = output.get("data", {})
            if "application/vnd.jupyter.widget-view+json" not in data:
                texts.append("".join(output.get("text", "")) or "".join(data.get("text/plain", "")))
        return "\n".join(text for text in texts if text).strip()

    def counts(self) -> list[int | None]:
        """Returns the execution counts of the cells."""
        return self.ask("cells.map(cell => cell.model.executionCount)")

    def edit(self, index: int, text: str) -> None:
        """Changes a cell's text as another author would."""
        self.ask("cells[arg[0]].model.sharedModel.setSource(arg[1])", [index, text])

    def delete(self, index: int) -> None:
        """Deletes a cell."""
        self.ask("panel.model.sharedModel.deleteCell(arg)", index)

    def undo_in_editor(self, index: int) -> None:
        """Presses Ctrl+Z in a cell's editor."""
        self.page.locator(".jp-Notebook .jp-CodeCell").nth(index).locator(".cm-content").click()
        self.page.keyboard.press("Control+z")

    def tell_kernel(self, code: str) -> None:
        """Runs code in the kernel, in no cell."""
        self.ask("(await kernel.requestExecute({code: arg, store_history: false}).done, 0)", code)
        self.wait_idle()

    def restart_kernel(self) -> None:
        """Restarts the kernel, without the question."""
        self.ask("(await kernel.restart(), 0)")
        self.wait_idle()

    def shut_kernel_down(self) -> None:
        """Ends the kernel and starts no other."""
        self.ask("(await panel.sessionContext.shutdown(), 0)")
        self.wait("!kernel || kernel.status === 'dead'")

    def interrupt(self) -> None:
        """Interrupts what runs."""
        self.ask("(await kernel.interrupt(), 0)")
        self.wait_idle()

    def drop_runner(self) -> None:
        """Takes the extension's runner away, as on a server where the extension is not installed."""
        self.page.evaluate("delete globalThis[Symbol.for('jax-nbhelp:runner')]")

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

    def theme(self, name: str) -> None:
        """Sets the theme, e.g. `JupyterLab Dark`."""
        self.page.evaluate(
            "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})", name
        )
        light = "false" if "Dark" in name else "true"
        self.page.locator(f"body[data-jp-theme-light='{light}']").wait_for(state="attached")

    def screenshot(self, name: str) -> None:
        """Keeps a picture of the page among the artefacts."""
        self.artifacts.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self.artifacts / f"{self.host}-{name}.png")
