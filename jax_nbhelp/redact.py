"""Secrets in sources: what an export of a session must not carry away."""

from __future__ import annotations

import re
from typing import Final

MARK: Final = "…"
"""What stands in a secret's place."""

# Names and texts are bounded, so that no source takes more than a moment.
_NAMES = (
    r"(?<!\w)\w{0,60}?(?:token|secret|passw(?:or)?d|passphrase|api_?key|access_?key|private_?key|credential|auth)"
    r"\w{0,60}"
)
_NAMED = re.compile(
    _NAMES.join([r"(?i)(", r"[\"'\]]*\s*(?::\s*\w+\s*)?[:=]\s*[furb]{0,2})"])
    + r"(\"\"\"|'''|\"|')(.{1,4000}?)\2",
    re.DOTALL,
)
_SHAPED = re.compile(
    r"\b(?:(?:sk|pk|rk)[-_][\w-]{16,}|hf_\w{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|xox[abprs]-[\w-]{10,}|ya29\.[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)"
)
_ADDRESS = re.compile(r"(://)[^/\s:@\"']+:[^/\s@\"']+(@)")
_BLOCK = re.compile(r"(-----BEGIN [A-Z ]+-----).*?(-----END [A-Z ]+-----|\Z)", re.DOTALL)
# A long word of mixed letters and digits in quotes is a key more often than anything else.
_RANDOM = re.compile(r"([\"'])(?=[^\"']*[A-Z])(?=[^\"']*[a-z])(?=[^\"']*\d)[\w+=~-]{32,}\1")


def redacted(text: str) -> str:
    r"""Returns a text with its secrets taken out.

    What looks like one goes: a text under a name such as `token` or `password`, the shapes of known keys, a
    password in an address, a private key, a long random word.

    >>> redacted("login(token='abc')\nx = jnp.ones(3)")
    "login(token='…')\nx = jnp.ones(3)"
    """
    text = _BLOCK.sub(rf"\1{MARK}\2", text)
    text = _NAMED.sub(rf"\1\2{MARK}\2", text)
    text = _SHAPED.sub(MARK, text)
    text = _ADDRESS.sub(rf"\1{MARK}\2", text)
    return _RANDOM.sub(rf"\1{MARK}\1", text)
