"""The classic notebook 6.5, and nbclassic on a newer server, driven through `Jupyter.notebook` in the page."""

from __future__ import annotations

from typing import Any

from notebook_driver import Notebook


class ClassicNotebook(Notebook):
    """A notebook in the classic notebook."""

    NAMES = """
    const notebook = window.Jupyter?.notebook;
    const cells = notebook?.get_cells() ?? [];
    const kernel = notebook?.kernel;
    """
    IDLE = (
        "notebook?._fully_loaded && kernel?.is_connected() && kernel.info_reply.implementation"
        " && !notebook.kernel_busy"
    )
    CELLS = "#notebook-container"

    def save(self) -> None:
        self.ask("(await notebook.save_notebook(), 0)")

    def select(self, index: int) -> None:
        self.ask("(notebook.select(arg), 0)", index)

    def start(self, index: int) -> None:
        self.ask("notebook.execute_cells([arg])", index)

    def run(self, index: int) -> None:
        self.ask(
            """new Promise(resolve => {
                const ended = (_event, { cell }) => {
                    if (cell !== cells[arg]) return;
                    notebook.events.off('finished_execute.CodeCell', ended);
                    resolve(0);
                };
                notebook.events.on('finished_execute.CodeCell', ended);
                notebook.execute_cells([arg]);
            })""",
            index,
        )
        self.wait_idle()

    def sources(self) -> list[str]:
        return self.ask("cells.map(cell => cell.get_text())")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        return self.ask("cells[arg].output_area.toJSON()", index)

    def counts(self) -> list[int | None]:
        return self.ask("cells.map(cell => cell.input_prompt_number ?? null)")

    def edit(self, index: int, text: str) -> None:
        self.ask("cells[arg[0]].set_text(arg[1])", [index, text])

    def delete(self, index: int) -> None:
        self.ask("(notebook.delete_cells([arg]), 0)", index)

    def undo_in_editor(self, index: int) -> None:
        self.page.locator(".code_cell").nth(index).locator(".CodeMirror-lines").click()
        self.page.keyboard.press("Control+z")

    def tell_kernel(self, code: str) -> None:
        self.ask(
            "new Promise(done => kernel.execute(arg, { shell: { reply: () => done(0) } }, { silent: false, store_history: false }))",
            code,
        )
        self.wait_idle()

    def restart_kernel(self) -> None:
        self.ask(
            "new Promise(done => { notebook.events.one('kernel_ready.Kernel', () => done(0)); kernel.restart(); })"
        )
        self.wait_idle()

    def shut_kernel_down(self) -> None:
        self.ask("kernel?.is_connected() && new Promise(done => notebook.session.delete(() => done(0)))")
        self.wait("!kernel?.is_connected()")

    def interrupt(self) -> None:
        self.ask("new Promise(done => kernel.interrupt(() => done(0)))")
        self.wait_idle()
