import pytest

from jax_nbhelp.shell.bodies import body_of


def call(name: str, line: str, *cell: str) -> str:
    kind = "cell" if cell else "line"
    return f"get_ipython().run_{kind}_magic({', '.join(map(repr, (name, line, *cell)))})\n"


def same(text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("source", "filename", "body"),
    [
        (call("time", "", "x = 1\ny = 2\n"), "<timed exec>", "x = 1\ny = 2\n"),
        (call("time", "", "f(x)\n"), "<timed eval>", "f(x)\n"),
        (call("time", "--no-raise-error", "f(x)\n"), "<timed eval>", "f(x)\n"),
        (call("time", "y = f(x)"), "<timed exec>", "y = f(x)"),
        (f"a = 1\nfor i in b:\n    {call('time', '--no-raise-error f(x)')}", "<timed eval>", "f(x)"),
        (call("timeit", "-n 10 -r3 -q x = f(1)"), "<magic-timeit>", "x = f(1)"),
        (call("timeit", "-n10 -v out x.f(-1)"), "<magic-timeit>", "x.f(-1)"),
        (call("timeit", "x = 1", "f(x)\n"), "<magic-timeit>", "f(x)\n"),
        (call("prun", "-l 5 -s cumulative f(x)"), "<string>", "f(x)"),
        (call("prun", "-q", "f(x)\n"), "<string>", "\nf(x)\n"),
        (call("time", "", call("timeit", "f(x)")), "<magic-timeit>", "f(x)"),
        (call("time", "", "f(x)\n"), "<timed exec>", None),
        (call("timeit", "f(x)"), "<timed eval>", None),
        ("exec('f(x)')\n", "<string>", None),
        ("not python (", "<timed exec>", None),
    ],
)
def test_the_body_is_the_text_that_the_magic_compiles(source: str, filename: str, body: str | None) -> None:
    assert body_of(source, filename, None, same) == body


def test_of_several_magics_it_is_the_one_with_the_names_and_constants_of_the_code_that_failed() -> None:
    bodies = ["f(x)", "f(y)", "f(y, 2)", "g.f(y)"]
    source = "".join(call("time", body) for body in bodies)
    for body in bodies:
        code = compile(body, "<timed eval>", "eval")
        assert body_of(source, "<timed eval>", code, same) == body


def test_the_last_expression_that_time_compiles_apart_is_found_too() -> None:
    body = "x = f(1)\ng(x)\n"
    source = call("time", "", "h(3)\nk(4)\n") + call("time", "", body)
    assert body_of(source, "<timed exec>", compile("g(x)", "<timed exec>", "eval"), same) == body
