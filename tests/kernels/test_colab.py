"""What only Colab's kernel has, on its stand-in: its own help for imports, its cell ids, its manager of widgets.

All tests of this folder also pass on Colab's real kernel, where it is installed by hand and a specification of
the name `colab` in `JUPYTER_PATH` starts it: `pytest tests/kernels -k colab`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kernel_client import KEY, VIEW, Kernel

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.parametrize("start_kernel", ["colab"], indirect=True, scope="session"),
]

FAILS = "jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))"
TYPES = "[t.__name__ for t in get_ipython().custom_exceptions]"
MANAGER = "google.colab.output._widgets._installed_url"
MISSING = "import no_such_module"
DISABLED = "raise get_ipython().custom_exceptions[1]('off', 'cv2.imshow')"


@pytest.mark.parametrize("code", [MISSING, DISABLED, f"%time {MISSING}", f"%%timeit -n1 -r1\n{MISSING}"])
def test_colabs_own_help_stays_as_it_is(code: str, kernel: Kernel, plain: Kernel) -> None:
    with_us, without = kernel.run(code, cell_id="a"), plain.run(code, cell_id="a")
    assert with_us.status == without.status
    assert with_us.kinds == without.kinds
    assert [error.get("error_details") for error in with_us.errors] == [
        error.get("error_details") for error in without.errors
    ]


def test_the_button_of_an_import_error_comes_first_and_our_help_below_it(kernel: Kernel) -> None:
    ran = kernel.run("from jax import no_such_name", cell_id="a", answers=())
    assert ran.kinds == ["error", "help", "widget"]
    assert ran.errors[0]["error_details"]["actions"][0]["action"] == "open_url"
    assert ran.helps[0]["metadata"][KEY]["record"] == "name-removed-from-jax"


def test_a_record_is_begun_from_the_users_error_not_from_colabs_stand_in_for_it(kernel: Kernel) -> None:
    kernel.run("from jax import no_such_name")
    assert kernel.value("type(__import__('sys').last_value).__name__") != "ImportError"
    assert kernel.run("%jaxhelp new api/no-such-name begun").text.startswith("begun/api/no-such-name.toml")
    begun = kernel.value("open('begun/api/no-such-name.toml').read()")
    assert 'error_class = "ImportError"' in begun
    assert "from jax import no_such_name" in begun
    kernel.run(FAILS)
    kernel.run("%jaxhelp new api/later begun")
    assert 'error_class = "ValueError"' in kernel.value("open('begun/api/later.toml').read()")


def test_loading_keeps_colabs_two_classes_and_unloading_leaves_them(kernel: Kernel) -> None:
    kernel.run("%unload_ext jax_nbhelp")
    assert kernel.value(TYPES) == ["ImportError", "DisabledFunctionError"]
    assert kernel.run(MISSING).errors[0]["error_details"]
    kernel.run("%load_ext jax_nbhelp")
    assert kernel.value(TYPES)[:2] == ["ImportError", "DisabledFunctionError"]


def test_cells_have_the_ids_that_colabs_own_history_has(kernel: Kernel) -> None:
    for cell_id in ("one", "two", "one"):
        kernel.run(f"{cell_id!r}; {FAILS}", cell_id=cell_id)
        book = "__import__('jax_nbhelp.shell.session').shell.session.CURRENT.book"
        assert kernel.value(f"{book}.outermost.id") == cell_id
        assert kernel.value("get_ipython().history_manager._input_hist_cells[-1]['cell_id']") == cell_id


def test_the_widget_and_it_alone_names_colabs_manager(start_kernel: Callable[..., Kernel]) -> None:
    kernel = start_kernel()
    kernel.run("%load_ext jax_nbhelp\nimport google.colab.output")
    assert kernel.run(FAILS, cell_id="a").kinds == ["error", "help"]
    assert kernel.value(MANAGER) is None, "without a widget nothing of Colab's is switched on"
    ran = kernel.run(FAILS, cell_id="a", answers=())
    url = kernel.value(MANAGER)
    assert url
    assert ran.widgets[0]["metadata"] == {VIEW: {"colab": {"custom_widget_manager": {"url": url}}}}
    assert set(ran.helps[0]["metadata"]) == {KEY}


def test_the_doctor_knows_where_it_is(kernel: Kernel) -> None:
    assert "front end: Colab\n" in kernel.run("%jaxhelp doctor", answers=()).text
