#!/usr/bin/env python3
"""Sends excessive requests to the server of the ledger, and checks its health after each group.

    .ci/abuse.py [--idle N] [--load SECONDS]

The requests have bodies that are too large, endless headers, or are no HTTP. Other clients are too slow, or are thousands of idle
connections. The server must answer each with a clear 4xx or close the connection, lose no posted transaction, and limit its memory.
If clients of the event stream vanish, their places must be free at once. With a full disk, the server must answer 507. That check
needs the right to mount, and prints SKIPPED without it. Then wrk posts transfers for some seconds, and all balances must still add
up to zero. `HostileRequestTests` of the ledger sends requests that are invalid in other ways.

LEDGER is the path of the program. If it isn't set, the script builds Examples/Ledger. Installs wrk (Debian, root).
"""

import argparse
import collections
import decimal
import json
import pathlib
import re
import select
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "served"))
from abused import Abuse, answer_of  # noqa: E402
from ledger import Ledger, allow_many_files, transaction, until  # noqa: E402

good = transaction("2026-01-02", "Good", ("assets:bank", "10.00 EUR"), ("equity", None))


def headers(abuse):
    """Sends request heads that are too large or missing."""
    host = f"Host: 127.0.0.1:{abuse.server.port}\r\n".encode()
    start = b"GET /api/balances HTTP/1.1\r\n" + host
    abuse.refused("a header of 1 MB", abuse.raw(start + b"X: " + b"x" * (1 << 20) + b"\r\n\r\n"))
    abuse.refused("20,000 headers", abuse.raw(start + b"".join(b"X-%d: y\r\n" % n for n in range(20_000)) + b"\r\n"))
    abuse.refused("a path of 1 MB", abuse.raw(b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + host + b"\r\n"))
    abuse.refused("no HTTP", abuse.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), end=True))
    abuse.refused("lines of nothing", abuse.raw(b"\x00\r\n" * 10_000, end=True))
    abuse.refused("a head that ends early", abuse.raw(start + b"X: ", end=True))
    both = start.replace(b"GET /api/balances", b"POST /api/transactions")
    abuse.refused(
        "two lengths",
        abuse.raw(both + b"Content-Type: application/json\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\n{}...", end=True),
    )
    abuse.refused(
        "a length and chunks",
        abuse.raw(both + b"Content-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", end=True),
    )
    abuse.refused("a length below zero", abuse.raw(both + b"Content-Length: -5\r\n\r\n", end=True))
    abuse.refused(
        "chunks that are none",
        abuse.raw(both + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nno\r\n", end=True),
    )
    abuse.well("headers")


def vanishing(abuse):
    """Repeatedly opens all event streams that the server allows, and vanishes."""
    opening = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{abuse.server.port}\r\n\r\n".encode()

    def open_stream():
        connection = socket.create_connection(("127.0.0.1", abuse.server.port), timeout=10)
        connection.sendall(opening)
        head = connection.recv(4096)
        if head.startswith(b"HTTP/1.1 200"):
            return connection
        connection.close()
        return None

    for _ in range(3):
        begin = time.monotonic()
        streams = []
        while len(streams) < 256 and time.monotonic() < begin + 5:
            stream = open_stream()
            if stream:
                streams.append(stream)
        abuse.expect(len(streams) == 256, f"{len(streams)} of 256 event streams could be opened within 5 s after others had vanished")
        abuse.expect(open_stream() is None, "more event streams were opened than the limit allows")
        for stream in streams:
            stream.close()
    abuse.well("256 event streams that vanish, three times")


def full_disk():
    """Fills the disk of a server. It must answer 507, and continue when the disk has space again."""
    with tempfile.TemporaryDirectory(prefix="abuse-disk-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]
        mounted = subprocess.run(mount, capture_output=True, text=True)
        if mounted.returncode:
            print(f"SKIPPED: THE FULL DISK, because this machine can't mount a file system: {mounted.stderr.strip()}", flush=True)
            return []
        try:
            with Ledger(pathlib.Path(folder, "books.sqlite")) as server:
                abuse = Abuse(server)
                upload = "POST /api/imports?name=large.journal HTTP/1.1"
                journal = b"; a comment of a journal\n" * 400_000
                abuse.refused("a journal that doesn't fit", abuse.request(upload, ("Content-Type: text/plain",), journal), 507)
                abuse.expect(not list(pathlib.Path(folder, "books.sqlite-imports").iterdir()), "a part of the journal is left")
                body = json.dumps(good).encode()
                abuse.expect(abuse.post(body)[0] == 201, "after a journal that didn't fit, a transaction was refused")
                abuse.posted += 1
                filler = pathlib.Path(folder, "filler")
                with filler.open("wb", buffering=0) as file:
                    try:
                        while file.write(bytes(4_096)):
                            pass
                    except OSError:
                        pass
                many = [{"account": f"{'n' * 3_900}{number}", "amount": "1 EUR"} for number in range(25)]
                large = json.dumps({**good, "postings": [*many, {"account": "equity", "amount": None}]}).encode()
                abuse.refused("a transaction that doesn't fit", abuse.post(large), 507)
                abuse.expect(abuse.server.answers(), "with a full disk the server doesn't answer")
                filler.unlink()
                answer = abuse.post(large)
                abuse.expect(answer[0] == 201, f"with free space again, a transaction was answered {answer}")
                abuse.posted += 1
                abuse.well("a full disk")
                return abuse.faults
        finally:
            subprocess.run(["umount", folder], check=True)


def large(abuse):
    """Sends bodies of 100 MB, with and without a stated length, to every route with a body. Some clients ignore the answer."""
    threads = []
    for path, kind in (("/api/transactions", "application/json"), ("/api/imports?name=large.journal", "text/plain")):
        for is_chunked in (False, True):
            for is_stubborn in (False, True):
                threads.append(threading.Thread(target=pour, args=(abuse, path, kind, is_chunked, is_stubborn)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    abuse.well("bodies of 100 MB")


def pour(abuse, path, kind, is_chunked, is_stubborn):
    size = 100 << 20
    piece = b" " * (1 << 16)
    framed = b"%x\r\n%b\r\n" % (len(piece), piece) if is_chunked else piece
    length = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {size}"
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{abuse.server.port}", f"Content-Type: {kind}", length]
    # With `Connection: close`, some servers read the request to its end.
    lines += ["Connection: close", "", ""] if is_stubborn else ["", ""]
    how = f"100 MB {'in chunks' if is_chunked else 'of a stated length'} to {path} from {'a stubborn' if is_stubborn else 'a polite'} client"
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", abuse.server.port), timeout=60) as connection:
        sent = 0
        try:
            connection.sendall("\r\n".join(lines).encode())
            while sent < size and (is_stubborn or not select.select([connection], [], [], 0)[0]):
                connection.sendall(framed)
                sent += len(piece)
            if is_chunked and sent >= size:
                connection.sendall(b"0\r\n\r\n")
        except TimeoutError:
            abuse.expect(False, f"{how}: nothing was read for 60 s, and the connection is still open")
        except OSError:
            pass  # The server has closed the connection.
        abuse.refused(how, answer_of(connection), 413, None)
    seconds = time.monotonic() - begin
    abuse.expect(seconds < 45, f"{how}: it was disconnected only after {seconds:.0f} s")


def slow(abuse):
    """Starts clients that send a little at a time, or nothing, during the other checks."""
    host = f"Host: 127.0.0.1:{abuse.server.port}\r\n".encode()
    beginnings = [
        b"",
        b"GET /api/bal",
        b"GET /api/balances HTTP/1.1\r\n" + host + b"X-",
        b"POST /api/transactions HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
        b"POST /api/transactions HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ]
    clients = []
    for number in range(200):
        connection = socket.create_connection(("127.0.0.1", abuse.server.port), timeout=10)
        connection.sendall(beginnings[number % len(beginnings)])
        clients.append((connection, number % len(beginnings)))

    def dribble():
        """Sends a byte each second on every second connection, for a minute. Then all must be closed."""
        deadline = time.monotonic() + 75
        left = dict.fromkeys(range(len(clients)))
        outcomes = collections.Counter()
        selector = selectors.DefaultSelector()
        for index, (connection, _) in enumerate(clients):
            connection.setblocking(False)
            selector.register(connection, selectors.EVENT_READ, index)
        while left and time.monotonic() < deadline:
            second = time.monotonic() + 1
            while time.monotonic() < second and left:
                for key, _ in selector.select(max(0, second - time.monotonic())):
                    index = key.data
                    try:
                        data = key.fileobj.recv(65536)
                    except OSError:
                        data = b""
                    status = re.match(rb"HTTP/1\.[01] (\d{3})", data)
                    if status:
                        outcomes[int(status[1])] += 1
                    if not data:
                        selector.unregister(key.fileobj)
                        key.fileobj.close()
                        left.pop(index, None)
            for index in left:
                if index % 2 == 0:
                    try:
                        clients[index][0].send(b"a")
                    except OSError:
                        pass
        kinds = collections.Counter(clients[index][1] for index in left)
        abuse.expect(not left, f"{len(left)} of {len(clients)} slow clients were still connected after 75 seconds: {dict(kinds)}")
        abuse.expect(all(400 <= status < 500 for status in outcomes), f"slow clients were answered {dict(outcomes)}")
        for connection, _ in clients:
            connection.close()
        abuse.say(f"200 slow clients: {len(clients) - len(left)} were closed, and answered {dict(outcomes)}")

    thread = threading.Thread(target=dribble)
    thread.start()
    return thread


def idle(abuse, count):
    """Opens many idle connections. Meanwhile the server must answer active connections."""
    allowed = allow_many_files(count + 1_000)
    count = min(count, allowed - 500)
    connections = []
    refused = 0
    times = []
    for number in range(count):
        try:
            connection = socket.create_connection(("127.0.0.1", abuse.server.port), timeout=10)
            connection.setblocking(False)
            connections.append(connection)
        except OSError:
            refused += 1
        if number % 1_000 == 999:
            begin = time.monotonic()
            health = abuse.health()
            times.append(time.monotonic() - begin)
            if health is None:
                refused += 1
    open_now = 0
    for connection in connections:
        try:
            if connection.recv(1024) == b"":
                continue
        except BlockingIOError:
            open_now += 1
        except OSError:
            pass
    # The limit refuses further connections. The server must answer existing connections, and all clients once the idle
    # connections are closed.
    for connection in connections:
        connection.close()
    abuse.well(f"{count} idle connections ({open_now} were accepted, the others refused)")
    abuse.expect(open_now > 0 and open_now < count, f"{open_now} of {count} idle connections were accepted, so there is no limit")


def busy_beside_idle(abuse, count):
    """Uses a connection that was opened before thousands of idle connections."""
    kept = abuse.server.connect(timeout=10)
    kept.request("GET", "/api/health")
    kept.getresponse().read()
    idle_thread = threading.Thread(target=idle, args=(abuse, count))
    idle_thread.start()
    slowest = 0
    asked = 0
    while idle_thread.is_alive():
        begin = time.monotonic()
        kept.request("GET", "/api/health")
        status = kept.getresponse()
        status.read()
        slowest = max(slowest, time.monotonic() - begin)
        abuse.expect(status.status == 200, f"with idle connections, the server answered {status.status}")
        asked += 1
        idle_thread.join(0.05)
    kept.close()
    abuse.expect(slowest < 5, f"with idle connections, an answer took {slowest:.1f} s")
    abuse.say(f"with them, {asked} requests were answered, the slowest in {slowest:.2f} s")


def load(abuse, seconds):
    """Posts transfers with wrk. Then all balances must add up to zero and match the number of transactions."""
    if shutil.which("wrk") is None:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "wrk"], check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(
            """
            local number = 0
            request = function()
              number = number + 1
              local body = string.format(
                '{"date":"2026-03-%02d","description":"Load","code":"","comment":"","postings":[' ..
                '{"account":"load:a%d","amount":"%d.%02d EUR"},{"account":"load:b%d","amount":null}]}',
                number % 28 + 1, number % 7, number % 1000, number % 100, number % 5)
              return wrk.format("POST", "/api/transactions", { ["Content-Type"] = "application/json" }, body)
            end
            done = function(summary, latency)
              io.write(string.format("WRK %d %d %d %d\\n", summary.requests, summary.errors.status,
                summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, latency:percentile(99)))
            end
            """
        )
        script.flush()
        command = ["wrk", "--threads", "2", "--connections", "64", "--duration", f"{seconds}s", "--timeout", "20s"]
        output = subprocess.run(
            [*command, "--script", script.name, abuse.server.address], check=True, capture_output=True, text=True
        ).stdout
    requests, refused, broken, slowest = map(int, re.search(r"WRK (\d+) (\d+) (\d+) (\d+)", output).groups())
    abuse.say(f"wrk: {requests / seconds:.0f} transfers a second at 64 connections, 99% within {slowest / 1000:.0f} ms")
    abuse.expect(requests > 0 and refused == 0 and broken == 0, f"of {requests} posts {refused} were refused and {broken} broken")
    # At the end, wrk closes connections with open requests, so up to 64 more transactions can be posted.
    least = abuse.posted + requests - refused
    found = until(
        lambda: (lambda now: now if now >= least else None)(abuse.server.get("/api/health")["transactions"]),
        f"all {requests} acknowledged posts are in the books",
    )
    abuse.expect(found <= least + 64, f"{requests} posts were acknowledged and {found - abuse.posted} are in the books")
    return least


def sums(abuse):
    """Requires the balances to add up to zero, in each commodity."""
    totals = collections.Counter()
    for one in abuse.server.get("/api/balances")["balances"]:
        for amount in one["amounts"]:
            totals[amount["commodity"]] += decimal.Decimal(amount["quantity"])
    abuse.expect(totals, "there are no balances")
    for commodity, total in totals.items():
        abuse.expect(total == 0, f"all balances in {commodity} add up to {total}")
    abuse.say(f"the balances add up to {', '.join(f'{total} {commodity}' for commodity, total in totals.items())}")


def main():
    parser = argparse.ArgumentParser(description="Treats the server of the ledger badly.")
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--load", type=int, default=8)
    options = parser.parse_args()
    allow_many_files(options.idle * 2 + 2_000)
    with tempfile.TemporaryDirectory(prefix="abuse-") as folder:
        with Ledger(pathlib.Path(folder, "books.sqlite")) as server:
            abuse = Abuse(server)
            for number in range(10):
                answer = server.post("2026-01-01", f"Before {number}", ("assets:bank", "1.25 EUR"), ("equity", None))
                abuse.expect(answer.status == 201, f"a good transaction was answered {answer}")
                abuse.posted += 1
            slow_clients = slow(abuse)
            headers(abuse)
            vanishing(abuse)
            large(abuse)
            slow_clients.join()
            busy_beside_idle(abuse, options.idle)
            least = load(abuse, options.load)
            sums(abuse)
            seconds = server.stop()
            abuse.expect(server.process.returncode == 0, f"the server ended with {server.process.returncode}")
            abuse.expect(seconds < 2, f"the server took {seconds:.1f} s to end")

            # Another process, and the restarted server, must find the same data in the file.
            rows = json.loads(server.run("balance", "--format", "json"))
            total = sum(decimal.Decimal(row["amount"]) for row in rows)
            abuse.expect(rows and total == 0, f"the balances in the file add up to {total}")
            server.start()
            found = server.get("/api/health")["transactions"]
            abuse.expect(least <= found <= least + 64, f"the restarted server has {found} transactions and not {least} or a few more")
            sums(abuse)
    faults = abuse.faults + full_disk()
    if faults:
        sys.exit(f"{len(faults)} faults")
    print("The server has passed all checks.")


if __name__ == "__main__":
    main()
