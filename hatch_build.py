"""Build hook: the Python code of the protocol is made from proto/ and never kept in git."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROTO = "arena/v1/arena.proto"
INIT = '"""Generated from the protocol\'s file; do not edit."""\n'


class ProtocolHook(BuildHookInterface[Any]):
    """Generates the package `arena.v1` before a wheel or an editable install is made."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate into the source tree; the wheel takes the files as artifacts."""
        root = Path(self.root)
        generate(root / "proto", root)


def generate(source: Path, target: Path) -> None:
    """Write the messages, the service and the stubs of both as a package below `target`."""
    package = (target / PROTO).parent
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(INIT, encoding="utf-8")
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={source}"]
    outputs = ("python_out=", "pyi_out=", "grpc_python_out=", "mypy_grpc_out=quiet:")
    plugin = f"--plugin=protoc-gen-mypy_grpc={_service_stubs_plugin()}"
    subprocess.run(
        [*command, plugin, *(f"--{output}{target}" for output in outputs), PROTO], check=True
    )


def _service_stubs_plugin() -> str:
    """Find the plugin beside this interpreter first: PATH may belong to another one."""
    name = "protoc-gen-mypy_grpc"
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        raise RuntimeError(f"{name} is missing; it comes with the build requirement mypy-protobuf")
    return found


if __name__ == "__main__":
    here = Path(__file__).parent
    generate(here / "proto", here)
