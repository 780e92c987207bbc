#!/usr/bin/env python3
"""Tests Scripts/requirements with stand-ins of the package managers, of sudo, and of the compiler, which record their calls.

It installs nothing, and takes seconds.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ["bash", "cat", "mktemp", "rm"]

# A package manager records its call. It then installs the packages, unless $FOLDER/broken or $FOLDER/useless exists.
MANAGER = """
echo "$(basename "$0") $*" >>"$FOLDER/calls"
case $1 in install)
    shift
    if [ -e "$FOLDER/broken" ]; then echo "E: no network" >&2; exit 100; fi
    for name; do if [ ! -e "$FOLDER/useless" ]; then : >"$FOLDER/installed/$name"; fi; done ;;
--prefix) echo /homebrew ;;
esac
"""
INSTALLED = 'cd "$FOLDER/installed"; for name in {}; do if [ -e "$name" ]; then exit 0; fi; done; exit 1\n'
STANDINS = {
    "swift": "",
    "basename": 'echo "${1##*/}"\n',
    "clang": "cat >/dev/null\n" + INSTALLED.format("libsqlite3-dev sqlite-devel"),
    # Homebrew's libpq is found only in its folder.
    "pkg-config": 'case ${PKG_CONFIG_PATH:-} in /homebrew/opt/libpq/*) ;; *) rm -f "$FOLDER/installed/libpq" ;; esac\n'
    + INSTALLED.format("libpq-dev libpq-devel libpq"),
    "apt-get": MANAGER,
    "dnf": MANAGER,
    "brew": MANAGER,
    "sudo": 'echo "sudo $*" >>"$FOLDER/calls"\nif [ -e "$FOLDER/password" ] || [ "$1" != -n ]; then exit 1; fi\nshift\n"$@"\n',
}

failures = []


def check(name, commands, argument="", user=0, system="Linux", state=(), calls=(), code=0, says=""):
    """Runs the script with the given commands, and compares the calls, the exit code, and a part of the output."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        programs = folder / "programs"
        programs.mkdir()
        (folder / "installed").mkdir()
        for file in state:
            (folder / file).touch()
        for tool in TOOLS:
            (programs / tool).symlink_to(shutil.which(tool))
        for command in ["basename", "clang", "pkg-config", *commands]:
            script = programs / command
            script.write_text(f"#!{programs}/bash\n" + STANDINS[command])
            script.chmod(0o755)
        for command, value in ("id", user), ("uname", system):
            (programs / command).write_text(f"#!{programs}/bash\necho {value}\n")
            (programs / command).chmod(0o755)
        environment = {"PATH": str(programs), "FOLDER": str(folder)}
        script = [programs / "bash", ROOT / "Scripts/requirements", *argument.split()]
        run = subprocess.run(script, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        recorded = folder / "calls"
        lines = recorded.read_text().splitlines() if recorded.exists() else []
    lines = [line for line in lines if not line.endswith((" -n true", " --prefix"))]
    # A call through sudo is recorded by both stand-ins.
    lines = [line for line in lines if f"sudo -n {line}" not in lines]
    seen = (lines, run.returncode)
    if seen != (list(calls), code) or says not in run.stderr or run.stdout or (not says and run.stderr):
        failures.append(
            f"{name}:\n  expected {list(calls)}, exit code {code}, {says!r}\n  but was  {lines}, exit code {run.returncode}, "
            f"{run.stderr!r}{run.stdout!r}"
        )


headers = "Not found: the headers of SQLite. "
both = "Not found: the headers of SQLite, the client library of PostgreSQL (with pkg-config). "
debian = "apt-get install -y libsqlite3-dev"

check("nothing is missing", ["swift"], state=["installed/libsqlite3-dev"])
check("Swift is missing", ["apt-get"], code=1, says="Swift was not found. To fix, install Swift 6.2 or later")
check("root on Debian", ["swift", "apt-get"], calls=["apt-get update", debian], says=f"{headers}Installing: {debian}\n")
check(
    "all traits, root on Debian",
    ["swift", "apt-get"],
    "all-traits",
    calls=["apt-get update", f"{debian} libpq-dev pkg-config"],
    says=f"{both}Installing: {debian} libpq-dev pkg-config\n",
)
check(
    "only libpq is missing",
    ["swift", "apt-get"],
    "all-traits",
    state=["installed/libsqlite3-dev"],
    calls=["apt-get update", "apt-get install -y libpq-dev pkg-config"],
    says="Not found: the client library of PostgreSQL (with pkg-config). Installing: ",
)
check(
    "sudo without a password",
    ["swift", "apt-get", "sudo"],
    user=1000,
    calls=["sudo -n apt-get update", f"sudo -n {debian}"],
    says=f"{headers}Installing: sudo -n {debian}\n",
)
instruction = f"{headers}To fix, run: sudo {debian}\n"
check("sudo with a password", ["swift", "apt-get", "sudo"], user=1000, state=["password"], code=1, says=instruction)
check("no sudo", ["swift", "apt-get"], user=1000, code=1, says=instruction)
check(
    "root on Fedora",
    ["swift", "dnf"],
    "all-traits",
    calls=["dnf install -y sqlite-devel libpq-devel pkgconf-pkg-config"],
    says=f"{both}Installing: dnf install",
)
check("a user on Fedora", ["swift", "dnf"], user=1000, code=1, says="To fix, run: sudo dnf install -y sqlite-devel\n")
check(
    "macOS",
    ["swift", "brew"],
    "all-traits",
    user=501,
    system="Darwin",
    calls=["brew install libpq pkgconf"],
    says="Not found: the client library of PostgreSQL (with pkg-config). Installing: brew install libpq pkgconf\n",
)
check("macOS without the trait", ["swift", "brew"], user=501, system="Darwin")
check("no package manager", ["swift"], code=1, says=f"{headers}To fix, install them with the package manager")
check(
    "the installation fails",
    ["swift", "apt-get"],
    state=["broken"],
    calls=["apt-get update", debian],
    code=1,
    says=f"E: no network\nThe installation failed. To fix, correct the errors above, then run: {debian}\n",
)
check(
    "the installation doesn't help",
    ["swift", "apt-get"],
    state=["useless"],
    calls=["apt-get update", debian],
    code=1,
    says="Not found even after the installation: the headers of SQLite. To fix, check the output of: apt-get",
)

if failures:
    sys.exit("\n".join(failures))
print("Scripts/requirements installs what is missing, or says how.")
