"""JupyterLab and Notebook 7, driven through the application that `--expose-app-in-browser` puts into the page."""

from __future__ import annotations

from typing import Any

from notebook_driver import Notebook


class LabNotebook(Notebook):
    """A notebook in JupyterLab (`lab`) or Notebook 7 (`notebook`)."""

    NAMES = """
    const panel = window.jupyterapp?.shell.currentWidget;
    const cells = panel?.content?.widgets ?? [];
    const kernel = panel?.sessionContext?.session?.kernel;
    """
    IDLE = "panel?.context?.isReady && kernel?.status === 'idle'"
    CELLS = ".jp-Notebook"

    def save(self) -> None:
        self.ask("(await panel.context.save(), 0)")

    def select(self, index: int) -> None:
        self.ask("(panel.content.deselectAll(), panel.content.activeCellIndex = arg)", index)

    def start(self, index: int) -> None:
        self.select(index)
        self.ask("void window.jupyterapp.commands.execute('notebook:run-cell')")

    def run(self, index: int) -> None:
        self.select(index)
        self.ask("(await window.jupyterapp.commands.execute('notebook:run-cell'), 0)")
        self.wait_idle()

    def sources(self) -> list[str]:
        return self.ask("cells.map(cell => cell.model.sharedModel.getSource())")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        return self.ask("cells[arg].model.outputs.toJSON()", index)

    def counts(self) -> list[int | None]:
        return self.ask("cells.map(cell => cell.model.executionCount)")

    def edit(self, index: int, text: str) -> None:
        self.ask("cells[arg[0]].model.sharedModel.setSource(arg[1])", [index, text])

    def delete(self, index: int) -> None:
        self.ask("panel.model.sharedModel.deleteCell(arg)", index)

    def undo_in_editor(self, index: int) -> None:
        self.page.locator(".jp-Notebook .jp-CodeCell").nth(index).locator(".cm-content").click()
        self.page.keyboard.press("Control+z")

    def tell_kernel(self, code: str) -> None:
        self.ask("(await kernel.requestExecute({code: arg, store_history: false}).done, 0)", code)
        self.wait_idle()

    def restart_kernel(self) -> None:
        self.ask("(await kernel.restart(), 0)")
        self.wait_idle()

    def shut_kernel_down(self) -> None:
        self.ask("(await panel?.sessionContext.shutdown(), 0)")
        self.wait("!kernel || kernel.status === 'dead'")

    def interrupt(self) -> None:
        self.ask("(await kernel.interrupt(), 0)")
        self.wait_idle()

    def drop_runner(self) -> None:
        """Takes the extension's runner away, as on a server where the extension is not installed."""
        self.page.evaluate("delete globalThis[Symbol.for('jax-nbhelp:runner')]")

    def theme(self, name: str) -> None:
        """Sets the theme, e.g. `JupyterLab Dark`."""
        self.page.evaluate(
            "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})", name
        )
        self.page.locator(f"body[data-jp-theme-name='{name}']").wait_for(state="attached")
        # JupyterLab covers the page meanwhile; a second change before the cover is gone raises an error of its own.
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")
