"""What must not happen beside a help: the user's arrays kept alive, connections, files, other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kernel_client import Kernel

pytestmark = [pytest.mark.kernel, pytest.mark.once]

SETUP = """
import gc, sys, weakref
from jax_nbhelp.shell import session as sessions
class Held:
    'An object beside the array: it tells whether a frame is alive.'
def large():
    return jnp.ones((256, 1024))
def forget():
    "Lets go of what IPython keeps of an error by itself."
    for name in ('last_value', 'last_traceback', 'last_type', 'last_exc'):
        if hasattr(sys, name): delattr(sys, name)
    ip = get_ipython()
    ip.InteractiveTB.tb = ip.InteractiveTB.etype = ip.InteractiveTB.evalue = None
    gc.collect()
def large_arrays():
    return sum(one.size == 256 * 1024 for one in jax.live_arrays())
"""
FAILS = {
    "as a global": "big = large(); held = Held(); alive = weakref.ref(held)\nbig + jnp.ones(3)",
    "in a function": (
        "def fails():\n    big = large(); held = Held(); globals()['alive'] = weakref.ref(held)\n"
        "    return jax.vmap(lambda x, y: x)(big, jnp.ones(3))\nfails()"
    ),
    "in a chain": (
        "def fails(big, held):\n    try:\n        big + jnp.ones(3)\n"
        "    except TypeError as e:\n        raise RuntimeError('mine') from e\n"
        "held = Held(); alive = weakref.ref(held); big = large()\nfails(big, held)"
    ),
    "in a closure of a traced function": (
        "def outer(big, held):\n    globals()['alive'] = weakref.ref(held)\n"
        "    return jax.jit(lambda x: x[:3] + jnp.ones(4) + big[0, 0] * (held is None))(jnp.ones(9))\nouter(large(), Held())"
    ),
    "as the error's own": "held = Held(); alive = weakref.ref(held); big = large()\nraise TypeError(big)",
}


@pytest.fixture(params=["normal", "class"])
def leaky(request: pytest.FixtureRequest, kernel: Kernel) -> Iterator[Kernel]:
    kernel.run(SETUP)
    kernel.run(f"%jaxhelp mode {request.param}")
    yield kernel
    kernel.run("%jaxhelp mode normal")


@pytest.mark.parametrize("code", FAILS.values(), ids=FAILS)
def test_no_array_of_the_users_is_kept_alive(code: str, leaky: Kernel, tmp_path: Path) -> None:
    leaky.run("forget()")
    before = leaky.value("large_arrays()")
    ran = leaky.run(code, answers=(), cell_id="leaks")
    assert ran.status == "error"
    leaky.run(f"%jaxhelp export {tmp_path / 'notes.md'}")
    leaky.run("%jaxhelp")
    leaky.run("globals().pop('big', None); globals().pop('held', None); forget()")
    leaky.run("gc.collect()")  # the next cell
    assert leaky.value("(alive(), large_arrays())") == (None, before)
    if ran.helps:  # what was measured was with all of it still there
        assert len(ran.widgets) == 1
        assert leaky.value("sessions.CURRENT.last is not None and len(sessions.CURRENT._widgets._open) > 0")
        assert leaky.value("len(sessions.CURRENT.log.entries) > 0")


# Everything that reaches out of the process, as Python itself reports it. The kernel's own sockets to the front
# end are there before; what they send is no event.
WATCH = """
import sys, threading
seen = []
OUTSIDE = ('socket.connect', 'socket.bind', 'socket.sendto', 'socket.getaddrinfo', 'subprocess.Popen', 'os.system',
    'os.exec', 'os.posix_spawn', 'os.fork', 'os.remove', 'os.rename', 'os.mkdir', 'os.rmdir', 'os.symlink', 'os.link',
    'os.truncate', 'os.chmod', 'shutil.copyfile', 'shutil.rmtree', 'urllib.Request', 'ftplib.connect',
    'http.client.connect', 'smtplib.connect', 'webbrowser.open', 'tempfile.mkstemp', 'tempfile.mkdtemp')
def watch(event, args):
    if not watching or threading.current_thread() is not threading.main_thread():
        return
    if event in OUTSIDE:
        seen.append((event, str(args)[:200]))
    if event == 'open':
        path, mode, flags = args
        # 1 and 2: to write, to read and write
        if (isinstance(mode, str) and set(mode) & set('wax+')) or (isinstance(flags, int) and flags & 3):
            seen.append((event, str(path), str(mode)))
watching = []
sys.addaudithook(watch)
watching.append(True)
"""


@pytest.fixture(scope="module")
def watched(start_kernel: Callable[..., Kernel]) -> Kernel:
    """A kernel that notes whatever reaches out of it, from before the help is loaded."""
    # Without bytecode files, and without IPython's history: what is written then, the help writes.
    kernel = start_kernel(variables={"PYTHONDONTWRITEBYTECODE": "1"})
    kernel.run("get_ipython().history_manager.enabled = False")
    kernel.run(WATCH)
    return kernel


def test_loading_an_error_and_every_click_reach_nothing_outside(watched: Kernel) -> None:
    watched.run("%load_ext jax_nbhelp")
    watched.run("a, b = jnp.ones((2, 3)), jnp.ones((2, 4))")
    watched.run("seen.clear()")
    ran = watched.run("c = jnp.concatenate([a, b])", answers=(), cell_id="one")
    assert ran.kinds == ["error", "help", "widget"]
    widget = next(one["comm_id"] for one in ran.of("comm_open") if "payload" in one["data"].get("state", {}))
    for message in (
        {"kind": "choose", "fix": 0, "values": {"axis": "1"}},
        {"kind": "opened"},
        {"kind": "stop"},
        {"kind": "mute"},
    ):
        watched.click(widget, **message)
    for command in ("", "fix", "doctor", "explain vmap-rank", "on", "values", "records", "next"):
        watched.run(f"%jaxhelp {command}", answers=())
    watched.run("jnp.linalg.det(a[0])", answers=())
    watched.run("%unload_ext jax_nbhelp")
    assert watched.value("seen") == []


def test_the_watch_sees_what_reaches_outside(watched: Kernel, tmp_path: Path) -> None:
    watched.run("%load_ext jax_nbhelp\na, b = jnp.ones(3), jnp.ones(4)\nseen.clear()")
    watched.run("a + b")
    watched.run(f"%jaxhelp export {tmp_path / 'notes.md'}")
    assert watched.value("[one[0] for one in seen]") == ["open"]
    watched.run("seen.clear()\nimport socket\nsocket.socket().connect_ex(('127.0.0.1', 9))")
    assert "socket.connect" in watched.value("[one[0] for one in seen]")
