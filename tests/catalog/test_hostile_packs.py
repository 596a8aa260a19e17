"""Packs that mean harm: each costs a complaint and little time, and none costs the help."""

from __future__ import annotations

import json
import time

import pytest

import jax_nbhelp
from jax_nbhelp.catalog import shelf

pytestmark = pytest.mark.usefixtures("fresh_shelf")

RECORD = """
id = "0123456789abcdef"
slug = "{slug}"
area = "{area}"
title = "What happens at our place"
reviewed = true
proof = "run"
cause = "Our rule is this."
[[occurrences]]
template = {template}
file = "applib/core.py"
qualname = "f"
"""
FIX = """
[[fixes]]
id = "cure"
title = "Cure it"
applicability = "maybe-incorrect"
why = "because"
alternatives = [{{ edits = [{{ at = "failing", match = {match}, rewrite = {rewrite} }}] }}]
"""
WORDS = '"the frobnicator of {name} is upside down"'
LONGEST = 5.0  # seconds to read a pack and to explain one message with it; without the caps it is minutes


def record(slug="ours", area="mine", template=WORDS, match=None, rewrite='"f($X, 1)"'):
    text = RECORD.format(slug=slug, area=area, template=template)
    return text if match is None else text + FIX.format(match=match, rewrite=rewrite)


def draft(**fields):
    return json.dumps(
        {"id": "0123456789abcdef", "slug": "a-draft", "errorMessage": "the words of it", **fields}
    )


# file name, content, and what the complaint says
REFUSED = {
    "nested arrays on a line": ("a.toml", "x = " + "[" * 10_000, "has a line of over 4096 characters"),
    "nested arrays on many lines": ("a.toml", "x = " + "[\n" * 10_000, "is not TOML"),
    "nested arrays of JSON": ("a.json", "[" * 100_000, "is not JSON"),
    "nested objects on a line": ("a.jsonl", '{"record":' * 100_000, "line 1: is not JSON"),
    "a key of thousands of parts": ("a.toml", ".".join("a" * 50_000), "has a line of over 4096 characters"),
    "a large record": ("a.toml", "# much\n" * 100_000, "is larger than 262144 bytes"),
    "bytes that are no text": ("a.toml", b"\xff\xfe\x00", "cannot be read"),
    "fields of other kinds": ("a.jsonl", draft(errorMessage={"a": 1}), "errorMessage: is a table"),
    "a message of a megabyte": ("a.jsonl", draft(errorMessage="x " * 500_000), "is longer than 10000"),
    "an area out of the folder": ("a.toml", record(area="../../etc"), "area: must be words"),
    "a slug out of the folder": ("a.toml", record(slug="../x"), "slug: must be words"),
    "a slug of look-alike letters": ("a.toml", record(slug="j\u0430x"), "slug: must be words"),
    "a nested pattern": ("a.toml", record(match=f'"{"(" * 300}$X{")" * 300}"'), "is not Python"),
    "a pattern with a null character": ("a.toml", record(match='"f($X)\\u0000"'), "is not Python"),
    "a rewrite with a null character": ("a.toml", record(match='"f($X)"', rewrite='"f($X)\\u0000"'), "is not Python"),
    "a rewrite of look-alike letters": ("a.toml", record(match='"f($X)"', rewrite='"\uff45val($X)"'), "other than ASCII"),
    "a rewrite written backwards": ("a.toml", record(match='"f($X)"', rewrite='"f($X) # \\u202e"'), "other than ASCII"),
    "a rewrite that takes no room": ("a.toml", record(match='"f($X)"', rewrite='"f(\\u200b$X)"'), "is not Python"),
    "a rewrite that runs a text": ("a.toml", record(match='"f($X)"', rewrite='"exec($X)"'), "the name 'exec'"),
}  # fmt: skip


def read(folder, name, content):
    """Reads a pack of one file and explains a message of ours with it; returns the source."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    began = time.monotonic()
    source = shelf.add(folder)
    assert jax_nbhelp.explain("vmap-rank").record == "vmap-rank"
    assert jax_nbhelp.explain("a" * 4_000 + "!").record is None
    assert time.monotonic() - began < LONGEST
    return source


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_file_costs_a_complaint(name, tmp_path):
    file, content, wanted = REFUSED[name]
    source = read(tmp_path, file, content)
    assert all(not one.fixes for one in source.records)
    assert any(wanted in one for one in source.complaints), source.complaints


def test_no_regular_expression_of_a_pack_is_run(tmp_path):
    bombs = [draft(slug=f"bomb-{n}", messagePattern="(a+)+$" * n) for n in range(1, 200)]
    source = read(tmp_path, "a.jsonl", "\n".join(bombs))
    assert len(source.records) == 199
    assert jax_nbhelp.explain("the words of it").confidence == "exact"


def test_a_template_of_ten_thousand_holes_is_matched_in_one_pass(tmp_path):
    lines = "\n".join(f"x {{a{n}}} y" for n in range(10_000))
    read(tmp_path, "a.toml", record(template=f'"""\n{lines}"""'))
    began = time.monotonic()
    jax_nbhelp.explain("x 1 y " * 9_999)
    assert time.monotonic() - began < LONGEST


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.toml").write_text(record())
    (inside / "a.toml").symlink_to(outside / "secret.toml")
    (inside / "loop.toml").symlink_to(inside / "loop.toml")
    (inside / "endless.toml").symlink_to("/dev/zero")
    source = shelf.add(inside)
    assert source.records == ()
    assert [one.partition(": ")[2] for one in source.complaints] == [
        "is a link out of its folder; put the file itself there"
    ]


def test_a_large_file_of_drafts_is_not_read(tmp_path):
    with (tmp_path / "a.jsonl").open("wb") as file:
        file.truncate(100 * 2**20)
    source = shelf.add(tmp_path)
    assert "is larger than" in source.complaints[0]
