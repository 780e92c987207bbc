#!/usr/bin/env python3
"""Kills the server of the ledger under load, repeatedly, and then checks its books.

    .ci/crash.py [--rounds N] [--seed N] [--threads N]

Each round starts the server with the same books. Many threads post transfers with idempotency keys, and the server is ended
with kill -9 at a random moment. Transfers without an acknowledgement are sent again with their keys. The last round ends with
SIGTERM and open event streams. Then the books must contain every acknowledged transaction once, as it was sent, the balances and
the daily statement must match the transactions exactly, and the webhook must have received each transaction.

LEDGER is the path of the program. If it isn't set, the script builds Examples/Ledger. The same seed repeats a run, except for the
scheduling of threads.
"""

import argparse
import pathlib
import random
import socket
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "served"))
from ledger import Ledger  # noqa: E402
from transfers import Transfers, Webhooks, check, load, repeat  # noqa: E402


def open_streams(server, count):
    """Opens event streams and reads the beginning of each."""
    streams = []
    for _ in range(count):
        stream = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        stream.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        seen = b""
        while b"event: state" not in seen:
            part = stream.recv(65536)
            if not part:
                raise AssertionError(f"An event stream ended at once: {seen[:300]!r}")
            seen += part
        streams.append(stream)
    return streams


def main():
    parser = argparse.ArgumentParser(description="Kills the server of the ledger under load, and checks its books.")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--threads", type=int, default=16)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    transfers = Transfers(options.seed)
    webhooks = Webhooks(random.Random(f"{options.seed}/webhooks"))
    begin = time.monotonic()

    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        server = Ledger(pathlib.Path(folder, "books.sqlite"), "--webhook", webhooks.url)
        with server:
            for number in range(options.rounds):
                if not server.is_running:
                    server.start()
                # Some transfers without an acknowledgement are sent again in later rounds, or at the end.
                waiting = transfers.unacknowledged()
                repeat(server, transfers, [key for key in waiting if chance.random() < 0.7])
                repeat(server, transfers, chance.sample(sorted(transfers.acknowledged), min(5, len(transfers.acknowledged))))
                limit, pause = chance.randrange(1, 250), chance.random() * 0.05

                def kill():
                    threading.Event().wait(pause)
                    server.kill()

                load(server, transfers, number, options.threads, limit, kill)
                print(
                    f"round {number + 1}: killed; {len(transfers.acknowledged)} acknowledged, "
                    f"{len(transfers.unacknowledged())} not; {sum(webhooks.taken.values())} webhooks",
                    flush=True,
                )

            server.start()
            streams = open_streams(server, 20)
            seconds = load(server, transfers, options.rounds, options.threads, 50, server.stop)
            if server.process.returncode != 0:
                raise AssertionError(f"The server ended with {server.process.returncode}:\n{server.log()}")
            if seconds > 2:
                raise AssertionError(f"The server took {seconds:.2f} seconds to end with event streams open.")
            for stream in streams:
                while stream.recv(65536):
                    pass
                stream.close()
            print(f"SIGTERM with 20 event streams and {options.threads} threads posting: ended in {seconds:.2f} s", flush=True)

            server.start()
            repeat(server, transfers, transfers.unacknowledged())
            faults = check(server, transfers, webhooks)
            again = sum(webhooks.taken.values()) - len(webhooks.taken)
            print(
                f"{len(transfers.bodies)} transfers, {len(webhooks.taken)} of them sent to the webhook "
                f"({webhooks.refused} times refused, {again} repeated), {time.monotonic() - begin:.0f} s"
            )
    for fault in faults[:20]:
        print(f"FAULT: {fault}")
    if faults:
        sys.exit(f"{len(faults)} faults; repeat with --seed {options.seed}")
    print("The books have every acknowledged transaction once. The balances, registers, statements, and webhooks match.")


if __name__ == "__main__":
    main()
