"""A record begun from a failure: what can be read is there, and recognises the failure again."""

from __future__ import annotations

import tomllib

import pytest

from jax_nbhelp.catalog.draft import DraftError, draft, guessed, named, needed
from jax_nbhelp.catalog.index import from_folder
from jax_nbhelp.catalog.lint import lint, record_id
from jax_nbhelp.catalog.load import read_file
from jax_nbhelp.catalog.match import match
from jax_nbhelp.failure import capture
from jax_nbhelp.hosts.failing import read_source
from jax_nbhelp.shell.sniff import looks_like_jax

SETUP = "import jax, jax.numpy as jnp, numpy as np\n"


@pytest.fixture
def begun(notebook):
    """A function that runs cells and begins a record from their error."""

    def begin(*cells, slug="mine", with_source=True):
        import jax

        error, _, shell = notebook(*cells)
        failure, _ = capture(error, shell.book, shell.namespace)
        source = read_source(failure) if with_source else None
        compiled = looks_like_jax(error)
        return failure, draft(failure, cells, "area", slug, jax.__version__, source, compiled=compiled)

    return begin


@pytest.mark.parametrize(
    ("code", "error_class", "function", "wording"),
    [
        ("jax.vmap(jnp.add)(jnp.ones(2), jnp.ones(3))", "ValueError", "_mapped_axis_size", "{name} got inconsistent sizes for array axes to be mapped:"),
        ("jax.jit(lambda x: 1 if x else 2)(1.0)", "jax.errors.TracerBoolConversionError", "error", "Attempted boolean conversion of {tracer}.{"),
        ("jnp.sum(jnp.ones(2), axis=3)", "ValueError", "canonicalize_axis", "axis {axis} is out of bounds for array of dimension {num_dims}"),
        ("jax.grad(lambda x: x)(jnp.ones(2))", "TypeError", "_check_scalar", "Gradient only defined for scalar-output functions. Output had shape: {aval_shape}."),
    ],
)  # fmt: skip
def test_the_wording_comes_from_jaxs_source(begun, tmp_path, code, error_class, function, wording):
    failure, found = begun(SETUP, code)
    (one,) = found.record.occurrences
    assert found.read
    assert (one.error_class, one.qualname) == (error_class, function)
    assert one.file.startswith("jax/_src/")
    assert wording in one.template
    path = found.write(tmp_path)
    assert read_file(path) == [found.record]
    assert match(failure, from_folder(tmp_path)).slug == "mine"
    assert found.record.id == record_id(found.record)
    assert lint(found.record) == []


def test_an_error_of_compiled_code_has_a_guessed_wording(begun, tmp_path):
    failure, found = begun(SETUP, "jax.jit(lambda x: x, static_argnums=0)([1])")
    assert not found.read
    assert "Non-hashable static arguments" in found.record.occurrences[0].template
    assert "so it is a guess" in found.write(tmp_path).read_text()
    assert match(failure, from_folder(tmp_path)).slug == "mine"


def test_without_jaxs_source_the_values_become_holes(begun):
    _, found = begun(SETUP, "jnp.sum(jnp.ones(2), axis=3)", with_source=False)
    assert (
        found.record.occurrences[0].template
        == "axis {number} is out of bounds for array of dimension {number2}"
    )


def test_what_a_person_must_say_is_marked_and_the_lint_asks_for_it(begun, tmp_path):
    _, found = begun(SETUP, "jnp.sum(jnp.ones(2), axis=3)")
    text = found.write(tmp_path).read_text()
    for remark in ("# TODO: JAX's rule", "# TODO: the ways on", "# TODO: check that every hole"):
        assert remark in text
    path = tmp_path / "area" / "mine.toml"
    path.write_text(text.replace("reviewed = false", "reviewed = true"))
    (record,) = read_file(path)
    complaints = "\n".join(lint(record))
    for field in ("cause", "documentation", "solutions", "triggers", "references"):
        assert f"{field}: still says TODO; write it" in complaints
    assert tomllib.loads(text)["examples"][0]["broken"][-1].strip() == "jnp.sum(jnp.ones(2), axis=3)"


def test_what_the_environment_gave_an_example_needs(begun, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    _, found = begun(SETUP, "jnp.sum(jnp.ones(2), axis=3)")
    assert found.record.examples[0].needs == ("devices:8", "x64")


@pytest.mark.parametrize("code", ["{}['mine']", "raise ValueError('mine')", "np.zeros(2) + np.zeros(3)"])
def test_an_error_that_is_not_jaxs_is_refused(begun, code):
    with pytest.raises(DraftError, match="is not an error of JAX's"):
        begun(SETUP, code)


def test_no_record_is_overwritten(begun, tmp_path):
    _, found = begun(SETUP, "jnp.sum(jnp.ones(2), axis=3)")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.toml").write_text("kept")
    with pytest.raises(DraftError, match=r"elsewhere.mine\.toml: is there already; give another slug"):
        found.write(tmp_path)
    assert [path.name for path in tmp_path.rglob("*.toml")] == ["mine.toml"]


def test_no_record_is_written_through_a_link_out_of_the_folder(begun, tmp_path):
    _, found = begun(SETUP, "jnp.sum(jnp.ones(2), axis=3)")
    records, outside = tmp_path / "records", tmp_path / "outside"
    records.mkdir()
    outside.mkdir()
    (records / found.record.area).symlink_to(outside)
    with pytest.raises(DraftError, match="is a link out of"):
        found.write(records)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("no values at all", "no values at all"),
        ("sizes 3 and 4.5", "sizes {number} and {number2}"),
        ("shapes (3, 4) and ()", "shapes {shape} and {shape2}"),
        ("a float32[3,4] 'name'", "a {type}"),
        ("of {x: 1} at 0x7f0011", "of {{x: {number}}} at {address}"),
        ("x64 and int32 stay", "x64 and int32 stay"),
    ],
)
def test_what_looks_like_a_value_is_guessed_to_be_a_hole(message, wanted):
    assert guessed(message) == wanted


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["x = 1", "y = 2", "f(x)"], ["x = 1", "f(x)"]),
        (["import a.b as c, d.e", "def f(): return g()", "def g(): return d", "f()"], None),
        (["x = 1", "x = 2", "x"], ["x = 2", "x"]),
        (["x = 1", "x = x + 1", "x"], None),
        (["print(1)", "len([])"], ["len([])"]),
        (["not python (", "x"], ["x"]),
        ([], []),
    ],
)
def test_only_the_cells_that_are_needed_are_shown(cells, wanted):
    assert needed(cells) == (cells if wanted is None else wanted)


@pytest.mark.parametrize("text", ["a", "a/b/c", "../b", "a/B", "a/b.toml", "/a/b", "a/"])
def test_a_name_of_another_form_is_refused(text):
    with pytest.raises(DraftError, match="write AREA/SLUG"):
        named(text)
    assert named("shard-map/two-words") == ("shard-map", "two-words")
