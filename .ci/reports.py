#!/usr/bin/env python3
"""Compares the income statements, the balance sheets, and the balances of a ledger with those of hledger, exactly.

usage: reports.py LEDGER JOURNAL DATABASE

LEDGER is the built program, and DATABASE contains the imported JOURNAL. The periods are all days, some periods that begin and end
between the transactions, and a day, a month, a quarter, and a year. The balances are those of
accounts that match patterns. Needs hledger 1.25 or later.
"""
import csv
import json
import subprocess
import sys
from decimal import Context, Decimal

EXACT = Context(prec=1000)
SECTIONS = {"Revenues": "income", "Expenses": "expenses", "Assets": "assets", "Liabilities": "liabilities"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def add(rows, section, account, cells):
    """Adds the amounts of one account. hledger lists amounts with different costs on their own."""
    for amount in cells:
        key, quantity = (section, account, amount["acommodity"]), amount["aquantity"]
        value = Decimal(quantity["decimalMantissa"]).scaleb(-quantity["decimalPlaces"], EXACT)
        rows[key] = EXACT.add(rows.get(key, Decimal(0)), value)


def of_hledger(journal, report, options):
    found = json.loads(output("hledger", "-f", journal, report, "--flat", "-O", "json", *options))
    rows = {}
    for title, table, _ in found["cbrSubreports"]:
        for row in table["prRows"]:
            add(rows, SECTIONS[title], row["prrName"], row["prrTotal"])
    add(rows, "net", "", found["cbrTotals"]["prrTotal"])
    return {key: value for key, value in rows.items() if value}


def of_ledger(ledger, database, report, options):
    table = output(ledger, report, "--format", "csv", "--database", database, *options)
    return {
        (row["section"], row["account"], row["commodity"]): Decimal(row["amount"]) for row in csv.DictReader(table.splitlines())
    }


def balances_of_hledger(journal, patterns):
    found = json.loads(output("hledger", "-f", journal, "balance", "--flat", "-O", "json", *patterns))
    rows = {}
    for account, _, _, cells in found[0]:
        add(rows, "", account, cells)
    return {key: value for key, value in rows.items() if value}


def balances_of_ledger(ledger, database, patterns):
    table = output(ledger, "balance", "--format", "csv", "--database", database, *patterns)
    return {("", row["account"], row["commodity"]): Decimal(row["amount"]) for row in csv.DictReader(table.splitlines())}


def columns_of_hledger(journal, interval):
    found = json.loads(output("hledger", "-f", journal, "balance", "--flat", interval, "-O", "json"))
    rows = {}
    for row in found["prRows"]:
        for (begin, _), cells in zip(found["prDates"], row["prrAmounts"]):
            names = {"-M": begin[:7], "-Q": f"{begin[:4]}Q{(int(begin[5:7]) + 2) // 3}", "-Y": begin[:4]}
            add(rows, names[interval], row["prrName"], cells)
    return {key: value for key, value in rows.items() if value}


def columns_of_ledger(ledger, database, interval):
    table = output(ledger, "balance", "--format", "csv", "--database", database, interval)
    return {(row["period"], row["account"], row["commodity"]): Decimal(row["amount"]) for row in csv.DictReader(table.splitlines())}


def patterns_of(names):
    """Returns lists of patterns for the names of accounts."""
    names = sorted(name for name in names if len(name) > 4 and name.isascii() and name.replace(":", "").isalnum())
    lists = []
    for name in names[:: max(1, len(names) // 3)]:
        part, top, last = name[1:-1], name.split(":")[0], name.split(":")[-1]
        lists += [[part.upper()], [f"^{top}"], [f"{last}$"], [f"not:{part}"], [top, f"not:{last}$"]]
        lists += [[f"({part}|{last})"], [f"^{name}(:|$)"], [part[:2] + ".*" + part[-2:]], [f"[{part[:2]}].?{part[-1]}+"]]
    return lists


def main():
    ledger, journal, database = sys.argv[1:]
    table = output(ledger, "transactions", "--format", "csv", "--database", database)
    dates = sorted({row["date"] for row in csv.DictReader(table.splitlines())})
    marks = [dates[len(dates) * part // 4] for part in range(4)] if dates else []
    periods = [
        (["-b", begin] if begin else []) + (["-e", end] if end else [])
        for begin in [None] + marks
        for end in [None] + [mark for mark in marks if begin is None or mark > begin]
    ]
    for date in marks[-1:]:
        quarter = f"{date[:4]}Q{(int(date[5:7]) + 2) // 3}"
        periods += [["-p", name] for name in (date, date[:7], quarter, date[:4])]
        periods += [[option, name] for name in (date[:7], date[:4]) for option in ("-b", "-e")]
    count = 0
    for days in periods:
        for ours, theirs in (("income-statement", "incomestatement"), ("balance-sheet", "balancesheet")):
            if ours == "balance-sheet" and ("-b" in days or "-p" in days):
                continue
            actual, expected = of_ledger(ledger, database, ours, days), of_hledger(journal, theirs, days)
            if actual != expected:
                keys = sorted(key for key in actual.keys() | expected.keys() if actual.get(key) != expected.get(key))
                for key in keys[:10]:
                    print(f"{ours} {days} {key}: hledger {expected.get(key)}, here {actual.get(key)}")
                sys.exit(f"{len(keys)} amounts differ")
            count += len(expected)
    print(f"{count} amounts of statements agree")
    names = [row["account"] for row in csv.DictReader(output(ledger, "accounts", "--format", "csv", "--database", database).splitlines())]
    count = 0
    for patterns in patterns_of(names):
        actual, expected = balances_of_ledger(ledger, database, patterns), balances_of_hledger(journal, patterns)
        if actual != expected:
            sys.exit(f"balance {patterns}: hledger {sorted(expected)[:10]}, here {sorted(actual)[:10]}")
        count += len(expected)
    for interval in ("-M", "-Q", "-Y"):
        actual, expected = columns_of_ledger(ledger, database, interval), columns_of_hledger(journal, interval)
        if actual != expected:
            sys.exit(f"balance {interval}: hledger {sorted(expected)[:10]}, here {sorted(actual)[:10]}")
        count += len(expected)
    print(f"{count} balances of patterns and columns agree")


main()
