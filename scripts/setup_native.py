"""The native comparison engine in a checkout, built again only when sources change."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.native_library import CRATE, PACKAGE, SOURCES, build_library, find_cargo, find_host
from scripts.setup_steps import ROOT, content_hash, is_fresh, say, write_stamp

NAMES: Final = ("*.so", "*.dylib", "*.dll")
NO_RUST: Final = (
    "images are compared with numpy: the native engine is several times faster, but needs Rust "
    "(https://rustup.rs) and a C linker"
)


@dataclass(frozen=True)
class InstalledLibrary:
    """Where a checkout's adapter loads the library from, and the sources of the library."""

    folder: Path
    sources: tuple[Path, ...]
    stamp: Path

    @property
    def files(self) -> list[Path]:
        return sorted(path for name in NAMES for path in self.folder.glob(name))

    @property
    def value(self) -> str:
        return content_hash([*self.sources, *self.files])

    def is_current(self) -> bool:
        """Return whether there is a library, built from the present sources."""
        return bool(self.files) and is_fresh(self.stamp, self.value)

    def remove(self) -> None:
        for path in self.files:
            path.unlink()

    def replace_by(self, built: Path) -> None:
        """Replace the library in one step: a running program keeps the loaded file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.folder / f"{built.name}.partial"
        shutil.copyfile(built, partial)
        partial.replace(self.folder / built.name)
        write_stamp(self.stamp, self.value)

    def ensure(self, cargo: Path | None) -> None:
        """Build the library if there is a cargo, and remove a library of other sources.

        Raises SetupError when the build fails.
        """
        if self.is_current():
            return
        # The other engine is slower, but never wrong: better than a library of other sources.
        self.remove()
        if cargo is None:
            say(NO_RUST)
            return
        say("building the native comparison engine")
        host = find_host(cargo)
        self.replace_by(build_library(cargo, host, host))


NATIVE_LIBRARY: Final = InstalledLibrary(
    ROOT / "src" / PACKAGE, SOURCES, CRATE / "target" / ".setup-stamp"
)


def ensure_native_library() -> None:
    NATIVE_LIBRARY.ensure(find_cargo())
