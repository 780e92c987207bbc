"""The server of the ledger in the checks of `.ci/abuse.py`, with the faults that they find."""

import json
import re
import socket
import time

from ledger import until

MEMORY_LIMIT = 400  # MB at most: the server can receive two journals of 64 MB at the same time


class Abuse:
    """The server under abuse, and the faults that the checks have found."""

    def __init__(self, server):
        self.server = server
        self.faults = []
        self.posted = 0
        self.begin = time.monotonic()

    def expect(self, holds, what):
        if not holds:
            self.faults.append(what)
            print(f"FAULT: {what}", flush=True)

    def raw(self, data, timeout=20, end=False):
        """Sends bytes and returns the status and the body of the answer. If the connection was closed, the status is None."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=timeout) as connection:
            try:
                connection.sendall(data)
                if end:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # The server has closed the connection during the request. An earlier answer can be read.
            return answer_of(connection)

    def request(self, line, headers=(), body=b"", host=None):
        host = host or f"127.0.0.1:{self.server.port}"
        lines = [line, f"Host: {host}", *headers, f"Content-Length: {len(body)}", "Connection: close", "", ""]
        return self.raw("\r\n".join(lines).encode("latin-1") + body)

    def post(self, body, *headers, kind="application/json"):
        return self.request("POST /api/transactions HTTP/1.1", (f"Content-Type: {kind}", *headers), body)

    def refused(self, what, answer, *statuses):
        """Requires an answer with one of these statuses; without statuses, a 4xx or a closed connection."""
        status, body = answer
        fits = status in statuses if statuses else status is None or 400 <= status < 500
        self.expect(fits, f"{what}: answered {status} {body[:200]!r} and not {statuses or 'a 4xx'}")
        if fits and status is not None and body:
            try:
                problem = json.loads(body)
                self.expect(problem["code"] and problem["detail"], f"{what}: the problem has no code or no detail: {body[:200]!r}")
            except (ValueError, KeyError, TypeError):
                # The server refuses invalid HTTP before the ledger receives it.
                self.expect(status == 400, f"{what}: the body isn't a problem: {body[:200]!r}")

    def well(self, what):
        """Requires the server to answer and to have all posted transactions, and prints its memory."""
        if not self.server.is_running:
            raise AssertionError(f"The server has ended after {what}:\n{self.server.log()}")
        # The count is updated shortly after a post.
        try:
            until(lambda: (self.health() or {}).get("transactions") == self.posted, "", 20)
        except AssertionError:
            self.expect(False, f"after {what} the server says {self.health()}, and {self.posted} transactions were posted")
        now, most = self.server.memory()
        self.expect(most < MEMORY_LIMIT, f"after {what} the memory has reached {most:.0f} MB")
        self.say(f"{what}: well; memory {now:.0f} MB, at most {most:.0f} MB")

    def say(self, what):
        print(f"{time.monotonic() - self.begin:4.0f} s  {what}", flush=True)

    def health(self):
        try:
            answer = self.server.ask("GET", "/api/health", timeout=10)
            return answer.json if answer.status == 200 else None
        except OSError:
            return None


def answer_of(connection):
    """Reads an answer, and returns its status and body. Without an answer, the status is None."""
    data = b""
    try:
        while True:
            part = connection.recv(65536)
            if not part:
                break
            data += part
            head, found, body = data.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            if found and length and len(body) >= int(length[1]):
                break
    except ConnectionError:
        pass
    match = re.match(rb"HTTP/1\.[01] (\d{3})", data)
    return (int(match[1]), data.partition(b"\r\n\r\n")[2]) if match else (None, b"")
