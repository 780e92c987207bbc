"""A running `ledger serve`, for checks from outside."""

import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

root = pathlib.Path(__file__).resolve().parents[2]


def program():
    """Returns the path of the program: LEDGER, or the ledger of Examples/Ledger, built with webhooks if necessary."""
    if "LEDGER" in os.environ:
        return os.environ["LEDGER"]
    package = [str(root / "Scripts/build"), "--package-path", str(root / "Examples/Ledger")]
    package += ["--traits", "Webhooks", "--product", "ledger"]
    subprocess.run(package, check=True)
    folder = subprocess.run([*package, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    os.environ["LEDGER"] = f"{folder}/ledger"
    return os.environ["LEDGER"]


def free_port():
    """Returns a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def allow_many_files(count):
    """Allows this process and its children to open at least `count` files, or the allowed maximum."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
            return count
        except (ValueError, PermissionError):
            count = hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    return count


def until(condition, what, seconds=30):
    """Waits until `condition()` is true and returns its value. Fails with `what` after the time limit."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"Within {seconds} seconds, this did not happen: {what}")
        time.sleep(0.02)


class Answer:
    """An answer of the server."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Ledger:
    """A server with a database, which can be stopped, killed, and restarted on the same port."""

    def __init__(self, database, *arguments, port=None):
        self.database = str(database)
        self.arguments = arguments
        self.port = port or free_port()
        self.process = None
        self.printed = []  # standard output since the last start
        self.complaints = tempfile.NamedTemporaryFile(mode="w+", prefix="ledger-", suffix=".log")

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        self.complaints.close()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        """Starts the server and waits until it has printed its address and answers."""
        self.process = subprocess.Popen(
            [program(), "serve", "--database", self.database, "--port", str(self.port), "--log-level", "notice", *self.arguments],
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
        )
        self.printed = []
        threading.Thread(target=self._read, args=(self.process.stdout, self.printed), daemon=True).start()
        try:
            until(lambda: self.says(rf"http://127\.0\.0\.1:{self.port}\b") or not self.is_running, "the server says its address", 60)
            if not self.is_running:
                raise AssertionError("The server ended at once.")
            until(self.answers, "the server answers", 20)
        except AssertionError as error:
            self.process.kill()
            raise AssertionError(f"{error}\n{self.log()}") from None
        return self

    @staticmethod
    def _read(pipe, lines):
        with pipe:
            for line in pipe:
                lines.append(line)

    def says(self, pattern):
        """Returns the match of a line of standard output, or None."""
        return next((match for match in (re.search(pattern, line) for line in self.printed) if match), None)

    def inspector(self):
        """Returns the address of the inspector, if the server was started with `--inspect`."""
        def address():
            return re.search(r"inspector is at (\S+)", pathlib.Path(self.complaints.name).read_text(errors="replace"))

        return until(address, "the server says where its inspector is")[1]

    def answers(self):
        """Returns whether the server answers."""
        try:
            return self.ask("GET", "/health/live", timeout=5).status == 200
        except OSError:
            return False

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, seconds=10):
        """Stops the server with SIGTERM and returns the seconds until it has ended."""
        if not self.is_running:
            return 0
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"The server did not end within {seconds} seconds of SIGTERM:\n{self.log()}") from None
        return time.monotonic() - begin

    def kill(self):
        """Kills the server, which is as close to a power failure as a process can get."""
        self.process.kill()
        self.process.wait()

    def log(self):
        """Returns the last lines of standard error."""
        text = pathlib.Path(self.complaints.name).read_text(errors="replace")
        return text[-4_000:]

    def errors(self):
        """Returns the last errors and warnings of standard error."""
        lines = pathlib.Path(self.complaints.name).read_text(errors="replace").splitlines()
        return "\n".join([line for line in lines if " error " in line or " warning " in line][-20:])

    def memory(self):
        """Returns the current and the maximum memory of the server, in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        sizes = dict(re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", status))
        return int(sizes["VmRSS"]) / 1024, int(sizes["VmHWM"]) / 1024

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, timeout=30):
        """Sends one request on a new connection."""
        connection = self.connect(timeout)
        try:
            return send(connection, method, path, body, headers)
        finally:
            connection.close()

    def get(self, path):
        """Returns the JSON at `path`."""
        answer = self.ask("GET", path)
        if answer.status != 200:
            raise AssertionError(f"GET {path} answered {answer}")
        return answer.json

    def post(self, date, description, *postings, key=None):
        """Posts a transaction of pairs of an account and an amount."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.ask("POST", "/api/transactions", transaction(date, description, *postings), headers)

    def run(self, *arguments):
        """Runs a command of the ledger on the same database, in another process."""
        command = [program(), *arguments, "--database", self.database]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def transaction(date, description, *postings):
    """Returns the body for posting a transaction of pairs of an account and an amount."""
    return {
        "date": date,
        "description": description,
        "code": "",
        "comment": "",
        "postings": [{"account": account, "amount": amount} for account, amount in postings],
    }


def send(connection, method, path, body=None, headers=None):
    """Sends a request on `connection`; a body that isn't text is sent as JSON."""
    headers = dict(headers or {})
    if body is not None and not isinstance(body, (str, bytes)):
        body = json.dumps(body)
        headers.setdefault("Content-Type", "application/json")
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return Answer(answer.status, answer.headers, answer.read())
