#!/usr/bin/env python3
"""Sets xlaviz up from a clone and runs it, or its tests. Needs nothing but Python's standard library.

    python3 packaging/dev.py run     set up, capture the example and open the window
    python3 packaging/dev.py test    set up, check the code and run the tests

The set-up: a virtual environment in .venv, the packages of pyproject.toml, and on Debian and Ubuntu the system
libraries that Qt and the graphs need, installed with apt-get as root or through sudo.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHONS = ((3, 11), (3, 12), (3, 13))
"""Versions that TensorFlow has wheels for and xlaviz runs on."""

# What Qt links to on a bare system, even without a display; what the xcb platform needs to open a window; fonts; dot.
QT_PACKAGES = "libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libglib2.0-0"
WINDOW_PACKAGES = (
    "libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 "
    "libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1"
)
OTHER_PACKAGES = "fonts-dejavu-core graphviz"
RENAMED = {"libglib2.0-0": "libglib2.0-0t64"}
"""Names that newer releases gave to a package."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", choices=("run", "test", "setup"))
    options, rest = parser.parse_known_args()
    try:
        install_system_packages()
        python = make_environment()
    except subprocess.CalledProcessError as error:
        return fail(f"{' '.join(map(str, error.cmd[:4]))} … failed with exit status {error.returncode}.")
    except SetupError as error:
        return fail(str(error))
    if options.job == "run":
        return run(python, rest)
    return run_tests(python, rest) if options.job == "test" else 0


class SetupError(Exception):
    """The set-up cannot go on; the text says what the user can do."""


def fail(text: str) -> int:
    print(f"dev.py: {text}", file=sys.stderr)
    return 1


def say(text: str) -> None:
    print(f"· {text}", flush=True)


# System packages


def install_system_packages() -> None:
    """Install what is missing, where this is a Debian or Ubuntu and it may be done; else say what is missing."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-query") is None:
        if sys.platform.startswith("linux") and shutil.which("dot") is None:
            say("Graphviz is missing: graphs are laid out without it; only the choice of Graphviz is gone.")
        return
    wanted = f"{QT_PACKAGES} {WINDOW_PACKAGES} {OTHER_PACKAGES}".split()
    missing = [name for name in wanted if not is_installed(name)]
    if not can_make_environments():
        missing.append("python3-venv")
    if not missing:
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends"]
    prefix = administrator()
    if prefix is None:
        raise SetupError(f"System packages are missing; as an administrator run: {' '.join([*install, *missing])}")
    say(f"installing system packages: {' '.join(missing)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*prefix, "apt-get", "update", "-q"], check=True, env=environment, stdout=subprocess.DEVNULL)
    available = [name if is_available(name) else RENAMED.get(name, name) for name in missing]
    subprocess.run([*prefix, *install, *available], check=True, env=environment, stdout=subprocess.DEVNULL)


def is_installed(name: str) -> bool:
    for known in (name, RENAMED.get(name, name)):
        query = ["dpkg-query", "-W", "-f=${Status}", known]
        done = subprocess.run(query, capture_output=True, text=True, check=False)
        if done.stdout.startswith("install ok installed"):
            return True
    return False


def is_available(name: str) -> bool:
    done = subprocess.run(["apt-cache", "show", name], capture_output=True, text=True, check=False)
    return done.returncode == 0 and bool(done.stdout.strip())


def administrator() -> list[str] | None:
    """What goes before a command to run it as root; None where that may not be done."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo is None:
        return None
    asks = [] if sys.stdin.isatty() else ["-n"]
    may = subprocess.run([sudo, *asks, "true"], check=False).returncode == 0
    return [sudo, *asks] if may else None


def can_make_environments() -> bool:
    """Debian ships Python without the part of venv that brings pip."""
    return subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True, check=False).returncode == 0


# Python packages


def make_environment() -> Path:
    """The Python of the virtual environment, made and filled where pyproject.toml has changed since."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = VENV / "xlaviz-stamp"
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + Path(__file__).read_bytes()).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == digest:
        return python
    if not python.exists():
        say("making the virtual environment .venv")
        subprocess.run([suitable_python(), "-m", "venv", str(VENV)], check=True)
    say("installing Python packages (TensorFlow is large: some minutes the first time)")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, tensorflow_package(), "--editable", f"{ROOT}[test]"], check=True)
    stamp.write_text(digest)
    return python


def suitable_python() -> str:
    """A Python that TensorFlow has wheels for: this one, or another on the path."""
    if sys.version_info[:2] in PYTHONS:
        return sys.executable
    for major, minor in PYTHONS:
        found = shutil.which(f"python{major}.{minor}")
        if found is not None:
            return found
    known = ", ".join(f"{major}.{minor}" for major, minor in PYTHONS)
    raise SetupError(f"TensorFlow needs Python {known}; this is {sys.version.split()[0]}, and no other was found.")


def tensorflow_package() -> str:
    """The requirement of the `tensorflow` extra; the smaller build without GPU code where there is one."""
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    requirement: str = extras["tensorflow"][0]
    is_small = sys.platform.startswith("linux") and os.uname().machine == "x86_64"
    return requirement.replace("tensorflow", "tensorflow-cpu", 1) if is_small else requirement


# The two jobs


def run(python: Path, arguments: list[str]) -> int:
    """Capture the example and open the window; without a display leave bundle and pictures in xlaviz-demo."""
    return subprocess.run([str(python), "-m", "xlaviz", "demo", *arguments], cwd=Path.cwd(), check=False).returncode


def run_tests(python: Path, arguments: list[str]) -> int:
    """All checks of the code, then the tests; the exit status of the first that fails."""
    for name, command in (
        ("ruff", ["ruff", "check", "."]),
        ("ruff format", ["ruff", "format", "--check", "."]),
        ("mypy", ["mypy"]),
        ("pytest", ["pytest", *arguments]),
    ):
        say(name)
        done = subprocess.run([str(python), "-m", *command], cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
