"""Widgets that Colab does not bring itself: each output says which manager is to show it."""

from __future__ import annotations

from typing import Any

from IPython import get_ipython

VIEW = "application/vnd.jupyter.widget-view+json"
MANAGER = "https://example.com/manager.min.js"

_installed_url: str | None = None  # anywidget reads it here


def enable_custom_widget_manager() -> None:
    global _installed_url  # noqa: PLW0603 - Colab keeps it so too
    if _installed_url is None:
        get_ipython().display_pub.register_hook(_name_the_manager)
    _installed_url = MANAGER


def _name_the_manager(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if content.get("data", {}).get(VIEW):
        content["metadata"].setdefault(VIEW, {})["colab"] = {"custom_widget_manager": {"url": _installed_url}}
    return message
