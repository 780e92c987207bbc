#!/usr/bin/env python3
"""Puts the served ledger under load for some minutes, and plots its memory and its response times.

    .ci/soak.py [--minutes N] [--threads N] [--plot FILE]

Threads post transfers and request balances and registers, each as soon as its previous request is answered. One more client
reads the event stream. Each second adds one row: the memory, the number of requests, and the median and the 99th percentile of
the response times. The script fails if an answer is wrong, if the balances don't add up to zero, or if the memory of the last
third exceeds the memory of the second third by more than a tenth and 16 MB.

LEDGER is the path of the program. If it isn't set, the script builds Examples/Ledger.
"""

import argparse
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "served"))
from ledger import Ledger, send, transaction  # noqa: E402

ACCOUNTS = [f"assets:purse {number}" for number in range(20)]


class Load:
    """Threads that send requests until `stop()` is called."""

    def __init__(self, ledger, threads):
        self.ledger, self.lock = ledger, threading.Lock()
        self.seconds, self.complaints, self.posted = [], [], 0
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(number,)) for number in range(threads)]
        self.threads.append(threading.Thread(target=self._listen))
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        lots = random.Random(number)
        connection = self.ledger.connect()
        while not self.is_over.is_set():
            payer, payee = lots.sample(ACCOUNTS, 2)
            kind = lots.random()
            begin = time.monotonic()
            try:
                if kind < 0.5:
                    body = transaction(f"2026-{lots.randint(1, 12):02}-{lots.randint(1, 28):02}", "soak", (payer, "-1 EUR"), (payee, "1 EUR"))
                    answer, wanted = send(connection, "POST", "/api/transactions", body), 201
                elif kind < 0.8:
                    answer, wanted = send(connection, "GET", "/api/balances"), 200
                else:
                    account = payer.replace(" ", "%20")
                    answer, wanted = send(connection, "GET", f"/api/register?account={account}&limit=20"), (200, 404)
            except OSError as error:
                if not self.is_over.is_set():
                    self.complain(f"{type(error).__name__}: {error}")
                connection = self.ledger.connect()
                continue
            with self.lock:
                self.seconds.append(time.monotonic() - begin)
                self.posted += wanted == 201
            if answer.status not in (wanted if isinstance(wanted, tuple) else (wanted,)):
                self.complain(f"{answer.status}: {answer.body[:200]}")

    def _listen(self):
        connection = self.ledger.connect()
        connection.request("GET", "/api/events")
        stream = connection.getresponse()
        while not self.is_over.is_set() and stream.readline():
            pass

    def complain(self, text):
        with self.lock:
            self.complaints.append(text)

    def second(self):
        """Returns the response times since the last call."""
        with self.lock:
            seconds, self.seconds = self.seconds, []
            return seconds

    def stop(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(15)


def plotted(rows):
    """Returns a drawing with the memory above the response times."""
    width, height, gap = 720, 160, 40

    def curve(values, top, color):
        most = max(values) or 1
        points = " ".join(
            f"{60 + width * number / max(1, len(values) - 1):.1f},{top + height - height * value / most:.1f}"
            for number, value in enumerate(values)
        )
        return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>', most

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 80} {2 * (height + gap) + 20}" '
        'font-family="sans-serif" font-size="12"><style>text{fill:#555}</style>'
    ]
    for number, (name, unit, curves) in enumerate(
        [
            ("memory", "MB", [([row["memory"] for row in rows], "#2f7d4f")]),
            ("99 of 100 answers within", "ms", [([row["slow"] for row in rows], "#b3421f")]),
        ]
    ):
        top = 20 + number * (height + gap)
        for values, color in curves:
            line, most = curve(values, top, color)
            parts += [line, f'<text x="56" y="{top + 10}" text-anchor="end">{most:.0f} {unit}</text>']
        parts.append(f'<text x="60" y="{top + height + 16}">{name}, {len(rows)} seconds</text>')
        parts.append(f'<line x1="60" y1="{top + height}" x2="{60 + width}" y2="{top + height}" stroke="#999"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--plot", type=pathlib.Path)
    options = parser.parse_args()

    rows = []
    with tempfile.TemporaryDirectory() as folder, Ledger(pathlib.Path(folder) / "books.sqlite") as ledger:
        load = Load(ledger, options.threads)
        end = time.monotonic() + options.minutes * 60
        while time.monotonic() < end:
            time.sleep(1)
            seconds = sorted(load.second()) or [0]
            rows.append(
                {
                    "memory": ledger.memory()[0],
                    "count": len(seconds),
                    "median": 1000 * statistics.median(seconds),
                    "slow": 1000 * seconds[int(0.99 * (len(seconds) - 1))],
                }
            )
        load.stop()
        sums = {}
        for balance in ledger.get("/api/balances")["balances"]:
            for amount in balance["amounts"]:
                sums[amount["commodity"]] = sums.get(amount["commodity"], 0) + float(amount["quantity"])
        ended = ledger.stop()

    third = len(rows) // 3
    second, last = (statistics.median(row["memory"] for row in part) for part in (rows[third : 2 * third], rows[2 * third :]))
    print(f"{sum(row['count'] for row in rows)} requests, {load.posted} transactions, in {len(rows)} seconds")
    print(f"memory: {rows[0]['memory']:.0f} MB at first, {second:.0f} MB in the second third, {last:.0f} MB in the last")
    print(f"median {statistics.median(row['median'] for row in rows):.1f} ms, 99 of 100 within {statistics.median(row['slow'] for row in rows):.1f} ms")
    print(f"ended in {ended:.2f} s; the sum of all balances is {sums}")
    if options.plot:
        options.plot.write_text(plotted(rows))

    problems = load.complaints[:10]
    problems += [f"The balances in {name} add up to {total} instead of 0." for name, total in sums.items() if total != 0]
    if last > 1.1 * second and last - second > 16:
        problems.append(f"The memory has grown from {second:.0f} MB to {last:.0f} MB.")
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
