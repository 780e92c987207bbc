"""Statements on a PostgreSQL database."""

import pathlib
import shutil
import subprocess


def rows(url, statement):
    """Runs a statement, and returns the first column of its rows. Raises CalledProcessError if it fails."""
    psql = shutil.which("psql") or max(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql")))
    command = [psql, "--no-psqlrc", "--tuples-only", "--no-align", "--dbname", url, "--command", statement]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.splitlines()
