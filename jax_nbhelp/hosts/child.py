"""Work in a process of its own that sends one answer, and may end or hang in its stead."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection


class ChildEndedError(RuntimeError):
    """The process ended without an answer; the message says how."""


def answer_of(context: Any, target: Callable[..., None], *arguments: object, seconds: float) -> Any:
    """Runs a function in a process of its own and returns what it sends.

    Args:
      context: the way to start a process, of `multiprocessing.get_context`.
      target: the function; its first argument is the connection that it hands to `reply`.
      arguments: its further arguments.
      seconds: how long it may take.

    Raises:
      TimeoutError: it took longer; it is killed.
      ChildEndedError: the process ended without an answer.
    """
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=target, args=(theirs, *arguments))
    child.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise TimeoutError
        return ours.recv()
    except EOFError:
        child.join()
        raise ChildEndedError(f"the process ended with code {child.exitcode}") from None
    finally:
        child.kill()
        child.join()
        ours.close()


def reply(connection: Connection, answer: object) -> NoReturn:
    """Sends the answer and ends the process, whose threads of JAX's would keep it."""
    connection.send(answer)
    connection.close()
    os._exit(0)
