"""`jax-nbhelp check` and `fix`, run as their user runs them, on real kernels."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.kernel

BROKEN = [
    "import jax, jax.numpy as jnp\nstates, controls = jnp.ones((10, 4)), jnp.ones((10, 2))",
    "# the batch\ncosts = jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))(states, controls)\ncosts.shape",
]


def notebook(path, *sources, kernel="python3", tags=()):
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {"tags": list(tags)} if tags else {},
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(sources)
    ]
    kernelspec = {"name": kernel, "display_name": "Python 3", "language": "python"}
    content = {"cells": cells, "metadata": {"kernelspec": kernelspec}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def command(*arguments, cwd):
    ran = subprocess.run(
        [sys.executable, "-m", "jax_nbhelp", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def sources(path):
    return [cell["source"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def test_fix_cures_reports_and_keeps_the_comment(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN)
    before = path.read_bytes()
    code, out, _ = command("fix", path, "--unsafe", "--output", "o.ipynb", "--report", "r.json", cwd=tmp_path)
    assert code == 0
    assert path.read_bytes() == before
    assert sources(tmp_path / "o.ipynb")[1] == BROKEN[1].replace("(0, 1)", "(0, 0)")
    assert "+costs = " in out
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["outcome"] == "clean"
    (error,) = report["errors"]
    assert (error["cell"], error["class"], error["record"]) == (1, "ValueError", "vmap-inconsistent-sizes")
    assert error["confidence"] == "exact"
    assert error["applied"] == "map-the-same-axis"
    assert error["where"] == {"cell": 1, "line": 2, "source": BROKEN[1].splitlines()[1]}
    assert "`states` has length 10" in error["explanation"]
    assert error["fixes"][0]["cells"] == [1]


def test_without_unsafe_nothing_that_changes_the_meaning_is_applied(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN)
    code, out, _ = command("fix", path, cwd=tmp_path)
    assert code == 1
    assert "--unsafe applies them" in out
    assert [one.name for one in tmp_path.iterdir()] == ["n.ipynb"]


def test_choose_fills_a_hole(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN)
    choice = "map-the-same-axis.axes=(0, None)"
    code, _, _ = command("fix", path, "--unsafe", "--choose", choice, "--in-place", cwd=tmp_path)
    assert code == 0
    assert "in_axes=(0, None)" in sources(path)[1]
    assert sources(tmp_path / "n.ipynb.bak") == BROKEN


def test_a_choice_that_is_no_expression_is_refused_with_the_reason(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN)
    code, out, _ = command("fix", path, "--unsafe", "--choose", "map-the-same-axis.axes=(0,", cwd=tmp_path)
    assert code == 1
    assert "is not a Python expression" in out


def test_check_changes_nothing_and_exits_1(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN)
    clean = notebook(tmp_path / "clean.ipynb", "x = 1")
    before = path.read_bytes()
    code, out, _ = command("check", path, clean, "--format", "json", cwd=tmp_path)
    assert code == 1
    assert [one["outcome"] for one in json.loads(out)] == ["failed", "clean"]
    assert path.read_bytes() == before


def test_github_annotations_are_one_line_each(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN)
    code, out, _ = command("check", path, "--format", "github", cwd=tmp_path)
    assert code == 1
    (line,) = out.splitlines()
    assert line.startswith("::error file=")
    assert "%0A" in line


def test_an_error_that_is_not_jaxs_ends_the_run_as_it_would(tmp_path):
    path = notebook(tmp_path / "n.ipynb", "import jax", "raise ValueError('mine')", "never = 1")
    code, _, _ = command("fix", path, "--unsafe", "--output", "o.ipynb", "--report", "r.json", cwd=tmp_path)
    assert code == 1
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["outcome"] == "not-jax"
    assert report["errors"][0]["record"] is None
    assert report["errors"][0]["message"] == "mine"
    assert (tmp_path / "o.ipynb").read_bytes() == path.read_bytes()


def test_a_cell_that_may_raise_is_no_error(tmp_path):
    path = notebook(tmp_path / "n.ipynb", "1 / 0", tags=["raises-exception"])
    assert command("check", path, cwd=tmp_path)[0] == 0


@pytest.mark.parametrize(
    ("cells", "options", "complaint"),
    [
        (["import os; os._exit(1)"], [], "killed its kernel"),
        (["while True: pass"], ["--timeout", "3"], "ran longer than 3 s"),
        (["x = 1"], ["--kernel", "no-such-kernel"], "there is no kernel 'no-such-kernel'"),
        (["x = 1"], ["--cwd", "no-such-folder"], "is not a folder"),
        (["x = 1"], ["--choose", "nonsense"], "write FIX.HOLE=VALUE"),
    ],
)
def test_unusable_input_is_one_clear_line_and_exit_code_2(tmp_path, cells, options, complaint):
    path = notebook(tmp_path / "n.ipynb", *cells)
    before = path.read_bytes()
    code, _, err = command("fix", path, *options, "--output", "o.ipynb", "--report", "r.json", cwd=tmp_path)
    lines = [line for line in err.splitlines() if line.startswith("jax-nbhelp: ")]
    assert code == 2
    assert len(lines) == 1
    assert complaint in lines[0]
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["n.ipynb"]


def test_a_file_that_is_no_notebook_is_exit_code_2(tmp_path):
    path = tmp_path / "n.ipynb"
    path.write_text("hello")
    code, _, err = command("fix", path, cwd=tmp_path)
    assert (code, err.count("\n")) == (2, 1)
    assert "is not JSON" in err


def test_fix_applies_to_a_definition_in_an_earlier_cell(tmp_path):
    path = notebook(
        tmp_path / "n.ipynb",
        "import jax, jax.numpy as jnp\nstates, controls = jnp.ones((10, 4)), jnp.ones((10, 2))",
        "cost = jax.vmap(lambda s, u: s.sum() + u.sum(), in_axes=(0, 1))",
        "costs = cost(states, controls)\ncosts.shape",
    )
    code, _, _ = command("fix", path, "--unsafe", "--in-place", "--no-backup", cwd=tmp_path)
    assert code == 0
    assert "in_axes=(0, 0)" in sources(path)[1]
    content = json.loads(path.read_text())
    assert content["cells"][2]["outputs"][0]["data"]["text/plain"] in ("(10,)", ["(10,)"])
    assert not (tmp_path / "n.ipynb.bak").exists()


def test_a_fix_after_which_a_cell_kills_its_kernel_is_taken_back(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN, "import os; os._exit(1)")
    code, out, _ = command("fix", path, "--unsafe", "--output", "o.ipynb", "--report", "r.json", cwd=tmp_path)
    report = json.loads((tmp_path / "r.json").read_text())
    assert (code, report["outcome"], report["errors"][0]["applied"]) == (1, "failed", None)
    assert "a cell killed its kernel" in report["reason"]
    assert report["reason"] in out
    assert sources(tmp_path / "o.ipynb") == sources(path)


def test_in_place_keeps_a_backup(tmp_path):
    path = notebook(tmp_path / "n.ipynb", *BROKEN)
    before = path.read_bytes()
    assert command("fix", path, "--unsafe", "--in-place", cwd=tmp_path)[0] == 0
    assert (tmp_path / "n.ipynb.bak").read_bytes() == before
    assert "in_axes=(0, 0)" in sources(path)[1]


def test_the_next_fix_is_tried_when_one_does_not_help(tmp_path):
    """The record's first fix shares the second vector; the function wants a number of it, so a table."""
    product = "def product(x, w):\n    assert x.shape == w.shape == ()\n    return x * w\n"
    pairs = product + "jax.vmap(product)(jnp.ones(3), jnp.ones(4)).shape"
    path = notebook(tmp_path / "n.ipynb", "import jax, jax.numpy as jnp", pairs)
    code, _, _ = command("fix", path, "--unsafe", "--output", "o.ipynb", "--report", "r.json", cwd=tmp_path)
    report = json.loads((tmp_path / "r.json").read_text())
    assert (code, report["outcome"]) == (0, "clean")
    assert len(report["errors"][0]["fixes"]) > 1
    assert report["errors"][0]["applied"] != report["errors"][0]["fixes"][0]["id"]
    assert report["runs"] > 2


def test_a_cell_that_makes_one_mistake_twice_is_cured(tmp_path):
    text = "x = jnp.zeros((2, 2))\nx[0, :] = 1.0\nx[1, 1] += 5\nx"
    path = notebook(tmp_path / "n.ipynb", "import jax, jax.numpy as jnp", text)
    code, _, _ = command("fix", path, "--output", "o.ipynb", "--report", "r.json", cwd=tmp_path)
    report = json.loads((tmp_path / "r.json").read_text())
    assert (code, [error["applied"] for error in report["errors"]]) == (0, ["at-set", "at-set"])
    assert sources(tmp_path / "o.ipynb")[1] == (
        "x = jnp.zeros((2, 2))\nx = x.at[0, :].set(1.0)\nx = x.at[1, 1].add(5)\nx"
    )
