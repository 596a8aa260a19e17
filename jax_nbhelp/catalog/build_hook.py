"""Hatchling's build hook: compiles `records/` into the wheel, so that an installation reads two files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RecordsBuildHook(BuildHookInterface[Any]):
    """Adds the compiled records to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the records into a scratch folder and ships it as `jax_nbhelp/_data`.

        Args:
          version: `editable` for a development installation, which reads `records/` itself.
          build_data: what the wheel holds; changed here.
        """
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root))
        try:
            from jax_nbhelp.catalog.index import build
        finally:
            sys.path.remove(str(root))
        target = Path(self.directory) / "records"
        count = build(root / "records", target)
        self.app.display_info(f"compiled {count} records")
        build_data["force_include"][str(target)] = "jax_nbhelp/_data"
