"""Makes the collector `pathcc` known to Perun.

Perun 0.28 has no entry points for collectors. It imports `perun.collect.NAME.run`, and its commands
know the names in two lists of its sources: `perun.collect.lazy_get_cli_commands` and
`perun.utils.common.cli_kit.get_supported_module_names`. Its documentation asks authors of a
collector to put it into Perun's own folder, and to edit these lists.

`install` leaves Perun's files alone. When Perun imports one of the two modules, it adds this
package's folder to the search path of `perun.collect`, and the collector to the lists.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

COLLECTOR = "pathcc"


def amend_collectors(module: ModuleType) -> None:
    """Adds the collector to the module `perun.collect`."""
    module.__path__.append(str(Path(__file__).parent / "collect"))
    commands: Callable[[], list[Any]] = module.lazy_get_cli_commands

    def lazy_get_cli_commands() -> list[Any]:
        from perun.collect.pathcc.run import COMMAND

        return [*commands(), COMMAND]

    vars(module)["lazy_get_cli_commands"] = lazy_get_cli_commands


def amend_names(module: ModuleType) -> None:
    """Adds the collector to the names that `perun.utils.common.cli_kit` knows."""
    names: Callable[[str], list[str]] = module.get_supported_module_names

    def get_supported_module_names(package: str) -> list[str]:
        return names(package) + [COLLECTOR] * (package == "collect")

    vars(module)["get_supported_module_names"] = get_supported_module_names


AMENDED = {
    "perun.collect": amend_collectors,
    "perun.utils.common.cli_kit": amend_names,
}


class Amending(Loader):
    """Loads a module as another loader does, then amends it."""

    def __init__(self, loader: Loader, amend: Callable[[ModuleType], None]) -> None:
        self.loader = loader
        self.amend = amend

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        self.amend(module)

    def __getattr__(self, name: str) -> Any:
        """What else loaders offer, such as the source."""
        return getattr(self.loader, name)


class Finder(MetaPathFinder):
    """Finds the modules of Perun that are amended; all others are left to the next finder."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        amend = AMENDED.get(fullname)
        spec = amend and PathFinder.find_spec(fullname, path, target)
        if amend and spec and spec.loader:
            spec.loader = Amending(spec.loader, amend)
            return spec
        return None


def install() -> None:
    """Lets this process's Perun find the collector."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())
