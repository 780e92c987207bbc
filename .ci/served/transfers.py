"""Transfers that clients post to servers of the ledger, the webhooks that they cause, and the check of the books afterwards."""

import collections
import datetime
import decimal
import http.client
import http.server
import json
import random
import threading

from ledger import send, transaction, until

ACCOUNTS = [f"assets:purse {number}" for number in range(6)] + ["expenses:food", "income"]
COMMODITIES = ["EUR", "USD"]
FIRST_DAY = datetime.date(2026, 1, 1)
DAYS = 60


class Webhooks:
    """Receives webhooks, and refuses some of them at first."""

    def __init__(self, chance):
        self.lock = threading.Lock()
        self.taken = collections.Counter()  # by transaction
        self.events = {}  # event → transaction
        self.refused = 0
        self.complaints = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(receiver.take(body, self.headers["Idempotency-Key"], chance))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                """A killed server leaves broken connections behind."""

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/booked"

    def take(self, body, key, chance):
        with self.lock:
            if chance.random() < 0.03:
                self.refused += 1
                return 500
            told = json.loads(body)
            posted = told["content"]["transaction"].lower()
            if told["id"].lower() != (key or "").lower():
                self.complaints.append(f"the key {key} is not the id of the event {told['id']}")
            if self.events.setdefault(told["id"], posted) != posted:
                self.complaints.append(f"the event {told['id']} was sent for two transactions")
            self.taken[posted] += 1
            return 204


class Transfers:
    """All transfers that were sent to the server, and its answers."""

    def __init__(self, seed):
        self.seed = seed
        self.lock = threading.Lock()
        self.bodies = {}  # key → body
        self.acknowledged = {}  # key → transaction
        self.faults = []

    def make(self, key, chance):
        """Makes a random transfer between two accounts."""
        source, target = chance.sample(ACCOUNTS, 2)
        quantity = decimal.Decimal(chance.randrange(1, 100_000)) / 100
        commodity = chance.choice(COMMODITIES)
        date = (FIRST_DAY + datetime.timedelta(days=chance.randrange(DAYS))).isoformat()
        left = None if chance.random() < 0.5 else f"-{quantity} {commodity}"
        body = transaction(date, f"Transfer {key}", (target, f"{quantity} {commodity}"), (source, left))
        with self.lock:
            self.bodies[key] = body

    def send(self, connection, key):
        """Sends a transfer, and returns whether the server acknowledged it."""
        answer = send(connection, "POST", "/api/transactions", self.bodies[key], {"Idempotency-Key": key})
        with self.lock:
            if answer.status == 201:
                said = answer.json["transaction"].lower()
                if self.acknowledged.setdefault(key, said) != said:
                    self.faults.append(f"{key} was {self.acknowledged[key]} and is {said}")
                return True
            if answer.status not in (429, 503):
                self.faults.append(f"{key} was answered {answer}")
            return False

    def unacknowledged(self):
        return [key for key in self.bodies if key not in self.acknowledged]

    def movements(self, key):
        """Returns the pairs of an account and a quantity of a transfer, its commodity, and its day."""
        body = self.bodies[key]
        target, source = body["postings"]
        text, commodity = target["amount"].split(" ")
        quantity = decimal.Decimal(text)
        return [(target["account"], quantity), (source["account"], -quantity)], commodity, body["date"]


def load(server, transfers, number, threads, limit, ends):
    """Posts from many threads until `limit` transfers are acknowledged, then calls `ends`."""
    enough = threading.Event()
    count = [0]

    def work(thread):
        chance = random.Random(f"{transfers.seed}/{number}/{thread}")
        connection = server.connect(timeout=20)
        step = 0
        while True:
            key = f"{transfers.seed}-{number}-{thread}-{step}"
            step += 1
            transfers.make(key, chance)
            try:
                if transfers.send(connection, key):
                    with transfers.lock:
                        count[0] += 1
                        if count[0] >= limit:
                            enough.set()
            except (OSError, http.client.HTTPException):
                return

    workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
    for worker in workers:
        worker.start()
    if not enough.wait(120):
        raise AssertionError(f"Only {count[0]} of {limit} transfers were acknowledged:\n{server.log()}")
    result = ends()
    for worker in workers:
        worker.join(60)
        if worker.is_alive():
            raise AssertionError("A request is still waiting a minute after its server has ended.")
    return result


def repeat(server, transfers, keys):
    """Sends these transfers again with their keys, until each is acknowledged."""
    connection = server.connect()
    for key in keys:
        until(lambda: transfers.send(connection, key), f"{key} is acknowledged")
    connection.close()


def check(server, transfers, webhooks, imported=0, imports=None):
    """Compares the books with the acknowledged transfers, and returns the faults.

    `imported` is the number of transactions that were imported, and `imports` their balances by account and commodity.
    """
    faults = list(transfers.faults) + list(webhooks.complaints)
    expected = {}  # account → commodity → day → quantity
    for key in transfers.bodies:
        moves, commodity, day = transfers.movements(key)
        for account, quantity in moves:
            days = expected.setdefault(account, {}).setdefault(commodity, {})
            days[day] = days.get(day, 0) + quantity
    known = {identifier: key for key, identifier in transfers.acknowledged.items()}
    if len(known) != len(transfers.bodies):
        faults.append(f"{len(transfers.bodies)} transfers have {len(known)} identifiers")

    # All deliveries after commits must be complete.
    health = until(
        lambda: (lambda now: now if now["pendingDeliveries"] == 0 else None)(server.get("/api/health")),
        "no delivery is pending",
        180,
    )
    if health["deadLetters"] != 0:
        faults.append(f"{health['deadLetters']} deliveries became dead letters")
    if health["transactions"] != len(transfers.bodies) + imported:
        faults.append(f"the books have {health['transactions']} transactions and not {len(transfers.bodies) + imported}")

    # The books must have each transaction unchanged.
    connection = server.connect()
    for identifier, key in known.items():
        answer = send(connection, "GET", f"/api/transactions/{identifier}")
        if answer.status != 200:
            faults.append(f"{key} ({identifier}) is answered {answer}")
            continue
        moves, commodity, day = transfers.movements(key)
        found = answer.json
        lines = [(one["account"], decimal.Decimal(one["amount"]["quantity"])) for one in found["postings"]]
        commodities = {one["amount"]["commodity"] for one in found["postings"]}
        if (found["date"], found["description"], lines, commodities) != (day, f"Transfer {key}", moves, {commodity}):
            faults.append(f"{key} ({identifier}) is not as it was sent: {answer}")

    # Each register must have each of its transactions once.
    registered = collections.Counter()
    for account in expected:
        cursor = ""
        while cursor is not None:
            after = f"&after={cursor}" if cursor else ""
            answer = send(connection, "GET", f"/api/register?account={account.replace(' ', '%20')}&limit=500{after}").json
            registered.update((account, line["transaction"].lower()) for line in answer["lines"])
            cursor = answer["next"]
    wanted = collections.Counter(
        (account, identifier) for identifier, key in known.items() for account, _ in transfers.movements(key)[0]
    )
    if registered != wanted:
        lost, added = wanted - registered, registered - wanted
        faults.append(f"the registers lack {list(lost)[:5]} and have additional {list(added)[:5]}")

    # The balances must match and add up to zero.
    balances = {
        one["account"]: {amount["commodity"]: decimal.Decimal(amount["quantity"]) for amount in one["amounts"]}
        for one in server.get("/api/balances")["balances"]
    }
    sums = {
        account: {commodity: sum(days.values()) for commodity, days in commodities.items()}
        for account, commodities in expected.items()
    }
    sums.update(imports or {})
    if balances != sums:
        faults.append(f"the balances are {balances} and not {sums}")
    for commodity in COMMODITIES:
        total = sum(amounts.get(commodity, 0) for amounts in balances.values())
        if total != 0:
            faults.append(f"all balances in {commodity} add up to {total}")

    # The statement must match for each day.
    for account, commodities in expected.items():
        series = send(connection, "GET", f"/api/history?account={account.replace(' ', '%20')}").json["series"]
        found = {
            one["commodity"]: [(point["date"], decimal.Decimal(point["quantity"])) for point in one["points"]] for one in series
        }
        right = {}
        for commodity, days in commodities.items():
            total = decimal.Decimal(0)
            right[commodity] = []
            for day in sorted(days):
                total += days[day]
                right[commodity].append((day, total))
        if found != right:
            wrong = [
                (commodity, point)
                for commodity in set(found) | set(right)
                for point in set(found.get(commodity, [])) ^ set(right.get(commodity, []))
            ]
            faults.append(f"the statement of '{account}' differs in {sorted(wrong)[:6]}")
    connection.close()

    # The webhook must have received each transaction.
    untold = [identifier for identifier in known if webhooks.taken[identifier] == 0]
    if untold:
        faults.append(f"{len(untold)} transactions were never sent to the webhook, for example {untold[:5]}")
    strange = [identifier for identifier in webhooks.taken if identifier not in known]
    if len(strange) != imported:
        faults.append(f"the webhook received {strange[:5]}, which were not posted")
    return faults
