from __future__ import annotations

import pytest

from jax_nbhelp.redact import redacted

KEPT = [
    "x = jnp.ones((10, 4))",
    "name = 'params/dense_1/kernel'",
    "tokens = tokenizer(text)",
    "P('data', 'model')",
    "path = '/home/me/checkpoints/run-2024-01-01/step_000100'",
    "url = 'https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html'",
    "if token == end: pass",
    "# the token of each row",
]
SECRETS = {
    "assigned": ("API_KEY = '{}'", "k3y"),
    "keyword": ('login(token="{}")', "abc12"),
    "annotated": ("password: str = '{}'", "pw"),
    "entry": ("conf = {{'wandb_api_key': '{}'}}", "abcdef"),
    "item": ("os.environ['HF_TOKEN'] = '{}'", "hf"),
    "formatted": ("secret = f'{}'", "s3"),
    "several lines": ("private_key = '''{}'''", "line one\nline two"),
    "hugging face": ("x = '{}'", "hf_" + "aB3" * 10),
    "github": ("x = {}", "ghp_" + "aB3" * 12),
    "amazon": ("x = '{}'", "AKIA" + "ABCD1234" * 2),
    "open": ("x = '{}'", "sk-" + "a1B2" * 8),
    "web token": ("x = '{}'", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF"),
    "address": ("git clone https://{}@example.org/x.git", "me:hunter2"),
    "random": ("x = '{}'", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF"),
    "key block": ("k = '''-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----'''", "MIIabc"),
    "cut key block": ("-----BEGIN RSA PRIVATE KEY-----\n{}", "MIIabc"),
}


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_code_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(("text", "secret"), SECRETS.values(), ids=SECRETS)
def test_a_secret_goes_and_the_code_around_it_stays(text: str, secret: str) -> None:
    out = redacted(f"before()\n{text.format(secret)}\nafter()" if "cut" not in text else text.format(secret))
    assert secret not in out
    assert "…" in out
    assert out.startswith("before()") or "BEGIN RSA" in out


def test_it_takes_bounded_time() -> None:
    for text in ("token=" * 20_000, "'" * 50_000, "a" * 100_000, "-----BEGIN X-----" * 5_000, "://" * 30_000):
        assert redacted(text)
