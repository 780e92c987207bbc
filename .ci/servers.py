#!/usr/bin/env python3
"""Ends, kills, and pauses servers of the ledger on one PostgreSQL database under load, and then checks the books.

    Scripts/postgres .ci/servers.py [--seconds N] [--servers N] [--seed N] [--threads N]

Several servers use the database at HEADRACE_POSTGRES_URL, which Scripts/postgres sets. Many clients post transfers with
idempotency keys. A client that gets no acknowledgement sends the same transfer with the same key to any server. Meanwhile
servers are killed and started again, paused with SIGSTOP, sometimes for longer than a lease, and ended with SIGTERM. The
connections of all servers are cut, and a process of PostgreSQL is killed, which restarts the database. A journal is imported,
which random servers pause and resume. At the end, the books must contain every transfer and every imported transaction
once, each server must show the same balances, and the webhook must have received each transaction.

SECONDS_OF_CHAOS is the default for --seconds, otherwise 25. LEDGER is the path of the program, built with the trait Postgres. The same
seed repeats the choices of a run, but not its timing.
"""

import argparse
import decimal
import http.client
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "served"))
from ledger import Ledger, send, until  # noqa: E402
from psql import rows  # noqa: E402
from transfers import Transfers, Webhooks, check, repeat  # noqa: E402

IMPORTED = 4_000


def sql(url, statement):
    """Runs a statement on the database, and returns its first column; nothing if it fails, as a disturbed server may."""
    try:
        return rows(url, statement)
    except subprocess.CalledProcessError:
        return []


class Chaos:
    """Disturbs servers until it is stopped."""

    def __init__(self, url, servers, seed):
        self.url, self.servers = url, servers
        self.chance = random.Random(f"{seed}/chaos")
        self.count = dict.fromkeys(["killed", "paused", "ended", "cut", "database"], 0)
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.failure = None

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    def _run(self):
        try:
            while not self.ends.wait(self.chance.uniform(0.1, 1.2)):
                kind = self.chance.choices(list(self.count), [4, 4, 2, 1, 0.4])[0]
                self.count[kind] += 1
                getattr(self, f"_{kind}")(self.chance.choice(self.servers))
        except Exception as error:  # Reported by the main thread.
            self.failure = error

    def _killed(self, server):
        server.kill()
        self._start(server)

    def _paused(self, server):
        server.process.send_signal(signal.SIGSTOP)
        self.ends.wait(self.chance.choice([0.2, 1, 4]))
        server.process.send_signal(signal.SIGCONT)

    def _ended(self, server):
        server.process.send_signal(signal.SIGTERM)
        try:
            server.process.wait(20)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"A server did not end within 20 seconds of SIGTERM:\n{server.log()}") from None
        self._start(server)

    def _cut(self, _):
        sql(self.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    def _database(self, _):
        found = sql(self.url, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
        if found:
            try:
                os.kill(int(self.chance.choice(found)), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _start(self, server):
        """Starts a server; the database can be restarting at the same time."""
        time.sleep(self.chance.uniform(0, 0.5))
        for attempt in range(10):
            try:
                server.start()
                return
            except AssertionError:
                if attempt == 9:
                    raise


class Clients:
    """Posts transfers from many threads, each to random servers."""

    def __init__(self, servers, transfers, count):
        self.servers, self.transfers = servers, transfers
        self.ends = threading.Event()
        self.retried = 0
        self.longest = 0
        self.threads = [threading.Thread(target=self._work, args=(number,)) for number in range(count)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join(60)
            if thread.is_alive():
                raise AssertionError("A client is still waiting for an answer after a minute.")

    def _work(self, number):
        chance = random.Random(f"{self.transfers.seed}/{number}")
        step = 0
        while not self.ends.is_set():
            key = f"{self.transfers.seed}-{number}-{step}"
            step += 1
            self.transfers.make(key, chance)
            begin = time.monotonic()
            while not self.ends.is_set() and not self._send(key, chance):
                self.retried += 1
                self.ends.wait(0.02)
            self.longest = max(self.longest, time.monotonic() - begin)

    def _send(self, key, chance):
        connection = chance.choice(self.servers).connect(timeout=2)
        try:
            return self.transfers.send(connection, key)
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Import:
    """Imports a journal, which random servers pause and resume."""

    def __init__(self, servers, seed):
        self.servers = servers
        self.chance = random.Random(f"{seed}/import")
        self.resumed = 0
        text = "".join(
            f"2026-01-{number % 28 + 1:02} imported {number}\n    imports:a{number % 3}  1 EUR\n    imports:b\n\n"
            for number in range(IMPORTED)
        )
        path = "/api/imports?name=chaos.journal&atomic=false"
        answer = servers[0].ask("POST", path, text.encode(), {"Content-Type": "text/plain"})
        if answer.status != 202:
            raise AssertionError(f"The import is answered {answer}")
        self.path = f"/api/imports/{answer.json['import']}"
        self.balances = {"imports:b": {"EUR": decimal.Decimal(-IMPORTED)}}
        for rest in range(3):
            count = len(range(rest, IMPORTED, 3))
            self.balances[f"imports:a{rest}"] = {"EUR": decimal.Decimal(count)}

    def ask(self, method, path):
        """Returns the answer of a random server, or None if it is disturbed."""
        connection = self.chance.choice(self.servers).connect(timeout=2)
        try:
            answer = send(connection, method, path)
            return answer.json if answer.status == 200 else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def disturb(self):
        """Pauses the import at a random server, or resumes it."""
        if self.chance.random() < 0.5:
            self.ask("POST", f"{self.path}/pause")
        elif self.ask("POST", f"{self.path}/resume"):
            self.resumed += 1

    def has_finished(self):
        """Resumes the import, and returns whether it has finished."""
        status = self.ask("POST", f"{self.path}/resume")
        if status and status["state"] == "failed":
            logs = "\n".join(server.errors() for server in self.servers)
            raise AssertionError(f"The import has failed: {status}\n{logs}")
        return status and status["state"] == "finished"


def main():
    parser = argparse.ArgumentParser(description="Disturbs several servers of the ledger on one database.")
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SECONDS_OF_CHAOS", "25")))
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--threads", type=int, default=12)
    options = parser.parse_args()
    if "HEADRACE_POSTGRES_URL" not in os.environ:
        sys.exit("There is no server. To fix, run: Scripts/postgres .ci/servers.py")
    print(f"seed {options.seed}", flush=True)
    url = os.environ["HEADRACE_POSTGRES_URL"]
    transfers = Transfers(options.seed)
    webhooks = Webhooks(random.Random(f"{options.seed}/webhooks"))
    place = f"{url}{'&' if '?' in url else '?'}schema=chaos-{options.seed}"
    servers = [Ledger(place, "--webhook", webhooks.url) for _ in range(options.servers)]
    begin = time.monotonic()
    try:
        # All at once: one of them creates the tables.
        starts = [threading.Thread(target=server.start) for server in servers]
        for start in starts:
            start.start()
        for start in starts:
            start.join()
        running = Import(servers, options.seed)
        with Chaos(url, servers, options.seed) as chaos, Clients(servers, transfers, options.threads) as clients:
            end = time.monotonic() + options.seconds
            while time.monotonic() < end and not chaos.failure:
                running.disturb()
                time.sleep(0.3)
        if chaos.failure:
            raise chaos.failure
        print(
            ", ".join(f"{kind} {count} times" for kind, count in chaos.count.items())
            + f"; {len(transfers.acknowledged)} transfers acknowledged, {len(transfers.unacknowledged())} not, "
            f"{clients.retried} attempts repeated, at most {clients.longest:.1f} s for one transfer",
            flush=True,
        )
        for server in servers:
            until(server.answers, "each server answers at the end", 60)
        for server in servers:
            repeat(server, transfers, transfers.unacknowledged())
        until(running.has_finished, "the import has finished", 120)
        # Each server answers a known key as before.
        known = sorted(transfers.acknowledged)[:20]
        for server in servers:
            repeat(server, transfers, known)
        faults = check(servers[0], transfers, webhooks, IMPORTED, running.balances)
        balances = [server.get("/api/balances") for server in servers]
        if any(one != balances[0] for one in balances):
            faults.append(f"the servers show different balances: {balances}")
        again = sum(webhooks.taken.values()) - len(webhooks.taken)
        print(
            f"{len(transfers.bodies)} transfers, {IMPORTED} imported transactions, {len(webhooks.taken)} webhooks "
            f"({webhooks.refused} times refused, {again} repeated), {time.monotonic() - begin:.0f} s"
        )
    finally:
        for server in servers:
            if server.is_running:
                server.process.send_signal(signal.SIGCONT)
                server.stop(30)
    for fault in faults[:20]:
        print(f"FAULT: {fault}")
    if faults:
        for server in servers:
            print(server.errors())
        sys.exit(f"{len(faults)} faults; repeat with --seed {options.seed}")
    print("The books have every transfer and every imported transaction once, and all servers agree.")


if __name__ == "__main__":
    main()
