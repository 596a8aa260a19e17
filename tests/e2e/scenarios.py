"""Notebooks with a help made by hand, for the tests of the widget in every front end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from notebook_driver import Notebook

    Open = Callable[[list[str]], Notebook]

SETUP = "import handmade\nhandmade.install(get_ipython())"
BROKEN = "x = 10\n# the share 😀\ny = x / 0\ny"
FIXED = BROKEN.replace("/ 0", "/ 1")
DEFINITION = "def share(x):\n    return x / 0"
CALL = "share(20)"


def fail_in_one(open_notebook: Open, broken: str = BROKEN) -> Notebook:
    """Returns a notebook whose cell 1 has failed and shows its help."""
    notebook = open_notebook([SETUP, broken, "1 + 1"])
    notebook.run(0)
    notebook.run(1)
    notebook.help.wait_for()
    return notebook


def fail_in_two(open_notebook: Open, definition: str = DEFINITION) -> Notebook:
    """Returns a notebook whose cell 2 has failed in a function that cell 1 defines."""
    notebook = open_notebook([SETUP, definition, CALL])
    for index in range(3):
        notebook.run(index)
    notebook.help.wait_for()
    return notebook


def cure(failed: Notebook, cell: int = 1, fixed: str = FIXED, output: str = "10.0") -> None:
    """Applies the first fix of a notebook whose cells ran in order, runs it, and looks at what came of it.

    Args:
      failed: the notebook; by default one that `fail_in_one` made.
      cell: the index of the cell that failed and is changed.
      fixed: what it is then.
      output: what it shows then.
    """
    failed.click("Apply and run")
    failed.toast.get_by_text("changed and run").wait_for()
    failed.wait_idle()
    assert failed.sources()[cell] == fixed
    assert failed.output_text(cell) == output
    assert failed.counts()[cell] == cell + 2
