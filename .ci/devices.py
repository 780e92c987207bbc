#!/usr/bin/env python3
"""Cuts the connections of devices to their server, kills both, and then compares their notes.

    .ci/devices.py [--seconds N] [--devices N] [--kills N] [--seed N]

Each device is a process of `notes watch`, whose user adds, renames, and removes notes, and is ended with kill -9 at random moments. A proxy
cuts connections at any byte, withholds requests, and sends requests a second time. The server is killed, too. Afterwards, each change that
a device has shown must be on the server once and in the order of its note, each refused change must be gone, and all devices must show the
notes of the server.

NOTES and NOTES_SERVER_PROGRAM are the paths of the programs. If they aren't set, the script builds Examples/Notes. With
HEADRACE_POSTGRES_URL, the server keeps the notes in this database. The same seed repeats a run, except for the scheduling of processes.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "served"))
from cuts import Cuts  # noqa: E402
from ledger import free_port, until  # noqa: E402
from psql import rows  # noqa: E402

root = pathlib.Path(__file__).resolve().parents[1]

POSTGRES = os.environ.get("HEADRACE_POSTGRES_URL")
PATIENCE = 240  # in seconds, on a machine that does other work


def programs():
    """Returns the paths of the device and of the server."""
    if "NOTES" not in os.environ:
        package = [str(root / "Scripts/build"), "--package-path", str(root / "Examples/Notes"), "--enable-all-traits"]
        subprocess.run(package, check=True)
        folder = subprocess.run([*package, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
        return f"{folder}/notes", f"{folder}/notes-server"
    return os.environ["NOTES"], os.environ["NOTES_SERVER_PROGRAM"]


class Server:
    """The server of the notes, which is started again on the same port."""

    def __init__(self, program, folder, users):
        self.program, self.folder, self.port = program, folder, free_port()
        self.token = secrets.token_hex(16)
        lines = [f"{user}:{secrets.token_hex(16)}" for user in users] + [f"check:{self.token}"]
        pathlib.Path(folder, "notes.tokens").write_text("\n".join(lines) + "\n")
        self.log = open(pathlib.Path(folder, "server.log"), "ab")

    def start(self):
        environment = {**os.environ, "NOTES_PORT": str(self.port)}
        if POSTGRES:
            environment["NOTES_DATABASE"] = POSTGRES
        self.process = subprocess.Popen([self.program], cwd=self.folder, env=environment, stdout=self.log, stderr=self.log)
        until(self._is_live, "the server is live", PATIENCE)

    def _is_live(self):
        try:
            return self.notes() is not None
        except (OSError, http.client.HTTPException):
            return False

    def notes(self):
        """Returns the titles of all notes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", "/notes", headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise AssertionError(f"The server answers {answer.status}: {body[:300]!r}")
            return [note["title"] for note in json.loads(body)]
        finally:
            connection.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def added(self):
        """Returns how often each note was added."""
        if POSTGRES:
            documents = rows(POSTGRES, "SELECT document FROM headrace.event WHERE name = 'note-added'::bytea")
        else:
            with sqlite3.connect(f"file:{self.folder}/notes.sqlite?mode=ro", uri=True) as books:
                found = books.execute("SELECT document FROM headrace_event WHERE name = 'note-added'").fetchall()
            documents = [document for (document,) in found]
        return collections.Counter(json.loads(document)["title"] for document in documents)


class Device:
    """A device in a terminal. `frame` has the lines that it shows."""

    def __init__(self, program, folder, user, port):
        self.command = [program, "watch"]
        self.folder, self.user = folder, user
        self.environment = {**os.environ, "NOTES_USER": user, "NOTES_SERVER": f"http://127.0.0.1:{port}"}
        self.changed = threading.Condition()
        self.frame = None
        self.start()

    def start(self):
        with self.changed:
            self.frame = None
        self.process = subprocess.Popen(
            self.command, cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, output):
        lines = []
        for line in output:
            line = line.rstrip("\n")
            if line:
                lines.append(line)
                continue
            with self.changed:
                self.frame, lines = lines, []
                self.changed.notify_all()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def type(self, line):
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def wait(self, condition, seconds):
        """Waits until the shown titles fulfil a condition, and returns whether they do."""
        with self.changed:
            return self.changed.wait_for(lambda: self.frame is not None and condition(self.titles()), seconds)

    def titles(self):
        """The titles that are shown, with those that wait for the server."""
        rows = [line.split(". ", 1)[1] for line in self.frame or [] if line[0].isdigit()]
        return [row.removesuffix("  (waits)") for row in rows]

    def refusals(self):
        return [line for line in self.frame or [] if line.startswith("Refused: ")]

    def is_quiet(self):
        return not any(line.endswith("  (waits)") for line in self.frame or [])


class User:
    """The user of a device, who changes the notes in `own`: by the first title of each note, the present one, or None if it is removed."""

    def __init__(self, device, isShared, others, seed):
        self.device = device
        self.is_shared = isShared  # whether other users remove its notes
        self.others = others  # the users whose notes it removes
        self.chance = random.Random(f"{seed}/{device.user}")
        self.own = {}
        self.number = 0
        self.kills = 0

    def work(self, end):
        if not self.device.wait(lambda _: True, PATIENCE):
            raise AssertionError(f"The device of {self.device.user} shows nothing.")
        while time.monotonic() < end:
            self.change()
            time.sleep(self.chance.random() * 1.5)

    def change(self):
        present = [first for first, title in self.own.items() if title]
        luck = self.chance.random()
        if len(present) < 2 or (luck < 0.3 and len(present) < 4):
            first = f"{self.device.user}.{self.number}"
            self.number += 1
            self.attempt(first, first, first)
        elif luck < 0.8:
            first = self.chance.choice(present)
            old = self.own[first]
            new = f"{first}/{int(old.partition('/')[2] or 0) + 1}"
            self.attempt(first, f"{old} > {new}", new)
        elif luck < 0.95 or not self.others:
            first = self.chance.choice(present)
            self.attempt(first, f"- {self.own[first]}", None)
        else:
            # A note of another user may be renamed at the same time.
            titles = [title for title in self.device.titles() if title.partition(".")[0] in self.others]
            if titles:
                self.device.type(f"- {self.chance.choice(titles)}")

    def attempt(self, first, line, title):
        """Types a line. The change is made as soon as it is shown. If the device is killed in between, it may not be made."""
        old = self.own.get(first)
        self.device.type(line)
        isKilled = self.chance.random() < 0.1
        if isKilled:
            time.sleep(self.chance.random() * 0.05)
            self.device.kill()
            self.kills += 1
            self.device.start()

        def is_made(titles):
            return isKilled or title in titles or (old is not None and old not in titles)

        if not self.device.wait(is_made, PATIENCE):
            raise AssertionError(f"{self.device.user} has typed '{line}', and the device shows {self.device.frame}.")
        titles = self.device.titles()
        if title in titles:
            self.own[first] = title
        elif old is not None and old not in titles:
            self.own[first] = None  # by this change, or by another user


def check(server, devices, users):
    """Compares the devices with the server after all faults."""
    begin = time.monotonic()
    expected = None
    woken = 0

    def is_equal():
        nonlocal expected, woken
        # The first time ends the pauses after cuts.
        if time.monotonic() > begin + 2 * woken:
            woken += 1
            for device in devices:
                if woken == 1 or not device.is_quiet():
                    device.type("")
        try:
            expected = server.notes()
        except (OSError, http.client.HTTPException):
            return False
        return all(device.is_quiet() and device.titles() == expected for device in devices)

    try:
        until(is_equal, "all devices show the notes of the server", PATIENCE)
    except AssertionError:
        for device in devices:
            if device.titles() != expected or not device.is_quiet():
                print(f"{device.user}: {device.frame}, and the server has {expected}")
        raise
    seconds = time.monotonic() - begin
    refused = 0
    for user in users:
        for first, title in user.own.items():
            found = [one for one in expected if one == first or one.startswith(f"{first}/")]
            if found != ([title] if title else []) and not (user.is_shared and not found):
                raise AssertionError(f"'{title}' of {first} is {found} on the server.")
        for refusal in user.device.refusals():
            refused += 1
            if "because another user has removed it" not in refusal:
                raise AssertionError(f"A refusal has another reason: {refusal}")
    added = server.added()
    if len(added) < len(expected):
        raise AssertionError(f"The log has {len(added)} new notes, and the server has {len(expected)}.")
    for first, count in added.items():
        if count != 1:
            raise AssertionError(f"'{first}' was added {count} times.")
    return seconds, refused


def main():
    parser = argparse.ArgumentParser(description="Cuts and kills devices and their server, and compares their notes.")
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    program, server_program = programs()
    names = [f"u{number}" for number in range(options.devices)]

    with tempfile.TemporaryDirectory(prefix="devices-") as folder:
        server = Server(server_program, folder, names)
        server.start()
        proxy = Cuts(server.port, options.seed)
        devices = [Device(program, folder, name, proxy.port) for name in names]
        failures = []
        try:
            # The first users remove notes of the last ones, which both sides may change at the same time.
            shared = set(names[-4:])
            users = [
                User(device, device.user in shared, shared if device.user in names[:4] else set(), options.seed) for device in devices
            ]
            end = time.monotonic() + options.seconds

            def work(user):
                try:
                    user.work(end)
                except Exception as error:  # is raised again below
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(user,)) for user in users]
            for thread in threads:
                thread.start()
            for number in range(options.kills):
                time.sleep(max(0, (end - time.monotonic()) / (options.kills - number) - chance.random()))
                server.kill()
                time.sleep(chance.random() * 2)
                server.start()
            for thread in threads:
                thread.join()
            for device in devices:
                if device.process.poll() is not None:
                    raise AssertionError(f"The device of {device.user} has ended: {device.process.returncode}")
            if failures:
                raise failures[0]
            proxy.is_faulty = False
            seconds, refused = check(server, devices, users)
            changes = sum(len(user.own) for user in users)
            kills = sum(user.kills for user in users)
            print(
                f"{changes} notes of {len(users)} devices; {kills} kills of devices, {options.kills} of the server; {proxy.counts}; "
                f"{refused} changes were refused; all were equal after {seconds:.1f} s"
            )
        finally:
            for device in devices:
                device.kill()
            server.kill()
            proxy.close()


if __name__ == "__main__":
    main()
