#!/usr/bin/env python3
"""Measures the served ledger and, in the same minute, its floor (served-floor).

    Benchmarks/served.py [--seconds N] [--accounts N] [--transactions N] LEDGER FLOOR

LEDGER and FLOOR are the paths of the built programs. Needs wrk. Prints rows with transfers per second at 64 connections,
queries per second at 64 connections, and the time from a post to its event on the stream. Then it imports a generated journal,
measures the memory and the response times of the page meanwhile, and writes the same rows with raw GRDB.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / ".ci/served"))
from ledger import Ledger, free_port  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--seconds", type=int, default=5)
parser.add_argument("--accounts", type=int, default=8)
parser.add_argument("--transactions", type=int, default=100_000, help="number in the imported journal; 0 skips the import")
parser.add_argument("ledger")
parser.add_argument("floor")
options = parser.parse_args()
os.environ["LEDGER"] = options.ledger

POST = """
local n = 0
math.randomseed(7)
request = function()
  local from, to = math.random(ACCOUNTS), math.random(ACCOUNTS)
  local body = string.format('{"date":"2026-01-%02d","description":"transfer","postings":[{"account":"from:%d",'
    .. '"amount":"-1.25 EUR"},{"account":"to:%d","amount":"1.25 EUR"}]}', math.random(28), from, to)
  return wrk.format("POST", "/api/transactions", {["Content-Type"] = "application/json"}, body)
end
done = function(summary, latency, requests)
  io.write(string.format("RESULT %f %d %f %f\\n", summary.requests / summary.duration * 1e6,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
""".replace("ACCOUNTS", str(options.accounts))
GET = POST[POST.index("done ="):]


def wrk(port, script, path):
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        output = subprocess.run(
            ["wrk", "-t1", "-c64", f"-d{options.seconds}", "-s", file.name, f"http://127.0.0.1:{port}{path}"],
            capture_output=True, text=True, check=True).stdout
    rate, errors, median, tail = re.search(r"RESULT (\S+) (\S+) (\S+) (\S+)", output).groups()
    return float(rate), int(errors), float(median), float(tail)


def latency(port, count=300):
    """Returns the milliseconds from sending a post to reading its event, one post at a time."""
    times, seen = [], {}
    ready = threading.Event()
    arrived = threading.Semaphore(0)

    def listen():
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/api/events")
        response = connection.getresponse()
        ready.set()
        for line in response:
            if line.startswith(b"data: ") and b'"lat:' in line:
                now = time.perf_counter()
                for balance in json.loads(line[6:])["balances"]:
                    if balance["account"].startswith("lat:") and balance["account"] not in seen:
                        seen[balance["account"]] = now
                        arrived.release()

    threading.Thread(target=listen, daemon=True).start()
    ready.wait()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for number in range(count):
        body = {"date": "2026-01-01", "description": "x", "postings": [
            {"account": f"lat:{number}", "amount": "1 EUR"}, {"account": "equity"}]}
        begin = time.perf_counter()
        connection.request("POST", "/api/transactions", json.dumps(body), {"Content-Type": "application/json"})
        connection.getresponse().read()
        if not arrived.acquire(timeout=10):
            sys.exit("An event has not arrived.")
        times.append((seen[f"lat:{number}"] - begin) * 1000)
        time.sleep(0.06)  # longer than the interval of the stream, so that each event is sent at once
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.99)]


def journal(count):
    """Returns a journal with `count` transactions of ten years, between 60 accounts."""
    lots = random.Random(7)
    expenses = [f"expenses:{group}:{kind}" for group in ("food", "home", "travel", "health", "play") for kind in "abcdefghij"]
    purses = [f"assets:purse {number}" for number in range(10)]
    lines = []
    for number in range(count):
        day = number * 3_650 // count
        cents = lots.randint(1, 99_999)
        lines.append(
            f"{2016 + day // 365}-{day % 365 // 31 + 1:02}-{day % 28 + 1:02} payee {lots.randint(1, 500)}\n"
            f"    {lots.choice(expenses)}  {cents // 100}.{cents % 100:02} EUR\n    {lots.choice(purses)}\n\n"
        )
    return "".join(lines).encode()


def served(folder):
    """Measures posts and queries without pauses."""
    port = free_port()
    floor = subprocess.Popen([options.floor, "serve", str(folder / "floor.sqlite"), str(port)])
    try:
        with Ledger(folder / "books.sqlite") as ledger:
            print("| case | ledger, /s | floor, /s | ratio | p50, ms | p99, ms | errors |")
            print("|---|---|---|---|---|---|---|")
            for name, script, path in [
                (f"durable transfers, 64 connections, {options.accounts} + {options.accounts} accounts", POST, "/"),
                ("queries (`/api/accounts`), 64 connections", GET, "/api/accounts"),
            ]:
                base = wrk(port, script, path)
                rate, errors, median, tail = wrk(ledger.port, script, path)
                print(f"| {name} | {rate:,.0f} | {base[0]:,.0f} | {rate / base[0]:.2f} | {median:.1f} | {tail:.1f} | {errors} |", flush=True)
            begin = time.monotonic()
            while (pending := ledger.get("/api/health")["pendingDeliveries"]) and time.monotonic() < begin + 120:
                time.sleep(0.1)
            print(f"Deliveries pending {time.monotonic() - begin:.1f} s after the load: {pending}")
            median, tail = latency(ledger.port)
            print(f"From post to event: p50 {median:.1f} ms, p99 {tail:.1f} ms")
            total = sum(float(a["quantity"]) for b in ledger.get("/api/balances")["balances"] for a in b["amounts"])
            if abs(total) > 1e-6:
                sys.exit(f"The balances add up to {total}.")
    finally:
        floor.terminate()
        floor.wait()


def imported(folder):
    """Imports a journal while a page sends requests, and writes the same rows with raw GRDB."""
    text = journal(options.transactions)
    with Ledger(folder / "import.sqlite") as ledger:
        page, waits, before = ledger.connect(), [], ledger.memory()[0]
        begin = time.monotonic()
        answer = ledger.ask("POST", "/api/imports?name=generated.journal", text, {"Content-Type": "text/plain"}, timeout=120)
        known = answer.json["import"]
        while True:
            asked = time.monotonic()
            page.request("GET", "/api/accounts")
            page.getresponse().read()
            waits.append(1000 * (time.monotonic() - asked))
            status = ledger.get(f"/api/imports/{known}")
            if status["state"] not in ("queued", "running"):
                break
            time.sleep(0.05)
        seconds = time.monotonic() - begin
        if status["state"] != "finished" or status["posted"] != options.transactions:
            sys.exit(f"The import ended with this status: {status}")
        while ledger.get("/api/health")["pendingDeliveries"]:
            time.sleep(0.1)
        settled = time.monotonic() - begin
        most = ledger.memory()[1]
    waits.sort()
    output = subprocess.run(
        [options.floor, "copy", str(folder / "import.sqlite"), str(folder / "copy.sqlite")],
        capture_output=True, text=True, check=True).stdout
    rows, commits, floor = re.search(r"(\d+) rows (\d+) commits (\S+) seconds", output).groups()
    print(
        f"Import of {options.transactions:,} transactions ({len(text) >> 20} MB): {seconds:.1f} s, delivered after {settled:.1f} s; "
        f"raw GRDB, the same {int(rows):,} rows in {int(commits):,} commits: {float(floor):.1f} s, "
        f"{float(floor) / seconds:.2f} of the import.\n"
        f"Memory {before:.0f} MB before, {most:.0f} MB at most; the page waited {statistics.median(waits):.1f} ms (p50), "
        f"{waits[int(len(waits) * 0.99)]:.1f} ms (p99)."
    )


with tempfile.TemporaryDirectory() as folder:
    served(pathlib.Path(folder))
    if options.transactions:
        imported(pathlib.Path(folder))
