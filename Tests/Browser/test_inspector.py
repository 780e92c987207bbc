"""Tests of the inspector's page with the program InspectorSubject."""

import json
import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import unittest
from urllib.parse import urlsplit

from browser import Browser
from ledger_page import Ledger

root = pathlib.Path(__file__).resolve().parents[2]


def program():
    """Returns the path of the program: the value of INSPECTOR_SUBJECT, or the built product of this package."""
    if "INSPECTOR_SUBJECT" not in os.environ:
        build = ["swift", "build", "--package-path", str(root), "--enable-all-traits", "--product", "InspectorSubject"]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        shown = subprocess.run([*build, "--show-bin-path"], check=True, capture_output=True, text=True)
        os.environ["INSPECTOR_SUBJECT"] = f"{shown.stdout.strip()}/InspectorSubject"
    return os.environ["INSPECTOR_SUBJECT"]


class Subject:
    """A running program with the address of its inspector."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [program(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.address = self.line()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line.strip())

    def line(self):
        return self._lines.get(timeout=60)

    def tell(self, line, answer="done"):
        """Sends a command, and returns when the program reports the expected result."""
        self.process.stdin.write(line + "\n")
        said = self.line()
        assert said == answer, f"'{line}' was answered with '{said}'"

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()


class InspectorCase(unittest.TestCase):
    """A test case with its own program. The tests of a class share a browser."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def begin(self, *arguments):
        """Starts the program and opens its inspector."""
        self.subject = Subject(*arguments)
        self.addCleanup(self.subject.close)
        self.addCleanup(self.browser.open, "about:blank")
        self.browser.look(1280, 900)
        self.browser.errors()
        # The pointer of the test before would stop the insertion of chains.
        self.browser.point(0, 0)
        self.browser.open(self.subject.address)
        self.browser.wait(lambda: self.browser.text("#status").startswith("live"), "the page is live")

    def expand(self, chain=""):
        """Expands all chains of the flow, and returns when one of those that match a selector is expanded.

        A chain can be expanded when its second entry has come.
        """
        script = """for (const one of document.querySelectorAll('#flow-tree > [aria-expanded=false] > .row .twist')) one.click();
                    document.activeElement.blur();
                    return document.querySelector(`#flow-tree > [aria-expanded=true]${arguments[0]}`) !== null"""
        self.browser.wait(lambda: self.browser.script(script, chain), f"a chain '{chain}' is expanded")

    def show(self, tab):
        self.browser.find(f"#tab-{tab}").click()
        self.browser.wait(lambda: self.browser.find(f"#pane-{tab}").is_displayed(), f"the pane '{tab}' is shown")

    def press(self, key):
        """Sends a key to the focused element."""
        self.browser.script(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, cancelable: true}))", key
        )

    def tree(self):
        """Returns the flow: the kind, the type, and the children of each entry."""
        return self.browser.script(
            """const read = (list) => [...(list?.children ?? [])].map((item) =>
                 [`${item.dataset.kind} ${item.dataset.type}`.trim(), read(item.querySelector(':scope > ol'))]);
               return read(document.getElementById('flow-tree'))"""
        )

    def wide(self):
        """Returns the number of pixels by which the page is wider than the window."""
        return self.browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")


class ServedLedger(InspectorCase):
    """The inspector of the ledger."""

    def test_a_transaction_posted_to_the_ledger_is_a_tree_from_its_request_to_its_handlers(self):
        with tempfile.TemporaryDirectory() as books, Ledger(pathlib.Path(books, "books.sqlite"), "--inspect") as server:
            self.browser.look(1280, 900)
            self.browser.errors()
            self.browser.open(server.inspector())
            self.browser.wait(lambda: self.browser.text("#status").startswith("live"), "the page is live")
            server.post("2026-01-31", "Bakery", ("expenses:food", "3.10 EUR"), ("assets:cash", None))

            def names(tree):
                return {name for name, _ in tree} | {name for _, below in tree for name in names(below)}

            wanted = {
                "request POST /api/transactions",
                "command PostTransaction",
                "unit of work",
                "event TransactionPosted",
                "commit",
                "handler KeepStatement",
            }
            # The server has other chains, and a chain that has one entry can't be expanded.
            self.expand("[data-type='POST /api/transactions']")
            self.browser.wait(
                lambda: any(wanted <= names([root]) for root in self.tree()), "request, command, events, handlers are one tree"
            )
            self.assertEqual(self.browser.errors(), [])
            self.browser.open("about:blank")


class History(InspectorCase):
    """A program with a history on the disk."""

    def test_after_a_restart_the_page_shows_the_messages_of_the_run_before(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--history", str(pathlib.Path(folder, "history"))]
            first = Subject(*arguments)
            first.tell("post cash 5")
            first.close()
            second = Subject(*arguments)
            try:
                self.browser.look(1280, 900)
                self.browser.errors()
                self.browser.open(second.address)
                self.browser.wait(lambda: self.browser.text("#status").startswith("live"), "the page is live")
                self.browser.wait(lambda: "are from earlier runs" in self.browser.text("#flow-hint"), "the entries are counted")
                second.tell("ask cash")
                self.browser.wait(lambda: len(self.tree()) >= 2, "both runs are shown")
                earlier = self.browser.script(
                    "return [...document.querySelectorAll('#flow-tree > li')]"
                    ".map((item) => [item.dataset.type, item.textContent.includes('earlier run')])"
                )
                self.assertIn(["POST /transactions", True], earlier)
                self.assertIn(["GetBalance", False], [[name.split(".")[-1], mark] for name, mark in earlier])
                self.assertEqual(self.browser.errors(), [])
                self.browser.open("about:blank")
            finally:
                second.close()


class Flow(InspectorCase):
    def test_a_posted_transaction_is_a_tree_from_the_request_to_the_handlers(self):
        self.begin()
        self.subject.tell("post bank 5")

        unit = ["unit of work", [["event TransactionPosted", [["handler CheckLimit", []]]], ["commit", []]]]
        delivery = ["event TransactionPosted", [["unit of work", [["handler SendWebhook", []], ["commit", []]]]]]
        chain = ["request POST /transactions", [["command PostTransaction", [unit, delivery]], ["action Totals.Action", []]]]

        self.browser.wait(self.tree, "the request has come")
        self.assertEqual(self.tree(), [["request POST /transactions", []]])
        self.expand()

        def arrived():
            # The delivery arrives before or after the station's action. In both cases it is below its command.
            return len(self.tree()) == 1 and self.browser.script(
                "return [...document.querySelectorAll('#flow-tree .mark')].filter((one) => one.textContent === '✓').length"
            ) == 11

        self.browser.wait(arrived, "all eleven messages and stages have come and ended")
        self.assertEqual(self.tree(), [chain])
        self.assertEqual(self.browser.errors(), [])

    def test_failures_and_search_results_are_filtered(self):
        self.begin()
        self.subject.tell("post bank 5")
        self.subject.tell("post bank 5000", "refused")
        self.subject.tell("ask bank")

        self.browser.wait(lambda: len(self.tree()) == 3, "three chains")
        self.browser.find("#flow-failures").click()
        self.browser.wait(lambda: len(self.tree()) == 1, "the one that has failed")
        self.assertIn("✗ LimitExceeded", self.browser.text("#flow-tree"))
        self.browser.find("#flow-failures").click()
        self.browser.find("#flow-search").send_keys("getbal")
        self.browser.wait(lambda: [name for name, _ in self.tree()] == ["query GetBalance"], "the query is found")

    def test_a_message_opens_by_the_keyboard_and_shows_text_as_text(self):
        self.begin()
        self.subject.tell("post <img/src=x/onerror=document.title='taken'> 5")
        item = "#flow-tree li[data-kind=command]"
        self.expand()
        self.browser.wait(lambda: self.browser.find_all(item), "the command has come")
        self.browser.script("document.querySelector(arguments[0]).focus()", item)
        self.press("Enter")
        self.browser.wait(lambda: "onerror" in self.browser.text("#message"), "the payload is shown")
        self.assertEqual(self.browser.find_all("main img"), [])
        self.assertEqual(self.browser.script("return document.title"), "Headrace inspector")
        self.assertEqual(self.browser.of_focused("data-kind"), "command")
        self.press("Escape")
        self.browser.wait(lambda: not self.browser.find("#message").is_displayed(), "the message is closed")

    def test_the_tree_is_one_tab_stop_in_which_the_arrow_keys_move(self):
        self.begin()
        self.subject.tell("post bank 5000", "refused")
        self.expand()
        self.browser.wait(lambda: len(self.browser.find_all("#flow-tree [role=treeitem]")) == 5, "five entries")
        stops = "return document.querySelectorAll('#flow-tree [tabindex=\"0\"]').length"
        self.assertEqual(self.browser.script(stops), 1)
        self.browser.script("document.querySelector('#flow-tree [tabindex=\"0\"]').focus()")
        for key, kind, level in (
            ("ArrowRight", "command", "2"), ("ArrowDown", "unit of work", "3"), ("End", "handler", "5"), ("ArrowUp", "event", "4"),
            ("ArrowLeft", "event", "4"), ("ArrowLeft", "unit of work", "3"), ("Home", "request", "1"), ("ArrowUp", "request", "1"),
        ):
            self.press(key)
            self.assertEqual((self.browser.of_focused("data-kind"), self.browser.of_focused("aria-level")), (kind, level), key)
        # The first left arrow has collapsed the event.
        self.assertEqual(len(self.browser.find_all("#flow-tree [role=treeitem]")), 4)
        event = self.browser.find("#flow-tree [data-kind=event]")
        self.assertEqual(event.get_attribute("aria-expanded"), "false")
        self.assertEqual(self.browser.script(stops), 1)

    def test_filters_select_by_kind_type_duration_and_chain(self):
        self.begin()
        self.subject.tell("post bank 5")
        self.subject.tell("ask bank")
        self.browser.wait(lambda: len(self.tree()) == 2, "two chains")
        self.browser.click("#flow-filters summary")
        hits = lambda: sorted({item.get_attribute("data-kind") for item in self.browser.find_all("#flow-tree .hit")})

        self.browser.type("#flow-kind", "query")
        self.browser.wait(lambda: [name for name, _ in self.tree()] == ["query GetBalance"], "the query")
        self.browser.click("#flow-reset")
        self.browser.type("#flow-type", "POST /TRANS")
        self.browser.wait(lambda: hits() == ["request"], "the request by its route")
        self.browser.click("#flow-reset")
        self.browser.type("#flow-least", "60000")
        self.browser.wait_text("#flow-hint", "No matches.")
        self.browser.click("#flow-reset")
        self.browser.wait(lambda: len(self.tree()) == 2, "both chains again")
        self.browser.click("#flow-tree li[data-kind=query] > .row")
        self.browser.click("#message-only")
        self.browser.wait(lambda: [name for name, _ in self.tree()] == ["query GetBalance"], "only the chain of the query")
        self.assertEqual(len(self.browser.find("#flow-chain").get_attribute("value")), 36)

    def test_the_cause_of_a_request_is_a_message_of_its_client(self):
        self.begin()
        self.subject.tell("tap")
        self.expand()
        for kind, mark in (("request", True), ("query", False)):
            self.browser.click(f"#flow-tree li[data-kind={kind}] > .row")
            self.browser.wait(lambda: self.browser.text("#message h2").startswith(kind), f"the {kind} is selected")
            self.assertEqual(" of the client" in self.browser.text("#message .facts"), mark)

    def test_a_link_opens_the_page_on_its_message(self):
        self.begin()
        self.subject.tell("post bank 5")
        self.expand()
        self.browser.click("#flow-tree li[data-kind=command] > .row")
        self.browser.wait(lambda: "#flow/" in self.browser.script("return location.href"), "the address names the message")
        link = self.browser.script("return location.href")

        self.browser.open("about:blank")
        self.browser.open(link)

        selected = "return document.querySelector('#flow-tree [aria-selected=true]')?.dataset.kind"
        self.browser.wait(lambda: self.browser.script(selected) == "command", "the command is selected")
        self.assertIn("PostTransaction", self.browser.text("#message h2"))
        self.assertEqual(self.browser.script("return location.href"), link)
        self.browser.open("about:blank")
        self.browser.open(link.split("#")[0] + "#flow/01890000-0000-7000-8000-000000000000")
        self.browser.wait_text("#message h2", "Message not found")

    def test_a_chain_is_copied_as_json(self):
        self.begin("--redact")
        self.subject.tell("post s3cret 5")
        self.browser.driver.execute_cdp_cmd(
            "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
        )
        self.expand()
        self.browser.wait(lambda: self.browser.text("#flow-tree").count("✓") == 11, "all entries have come")
        self.browser.click("#flow-tree li[data-kind=command] > .row")
        self.browser.click("#message-copy")
        self.browser.wait_text("#message-status", "The chain is copied.")
        chain = json.loads(self.browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])"))
        self.assertEqual(len(chain["entries"]), 11)
        self.assertEqual({entry["correlation"] for entry in chain["entries"]}, {chain["correlation"]})
        self.assertIn("To show it", chain["hints"]["message"])
        self.assertNotIn("s3cret", json.dumps(chain))
        self.assertEqual(self.browser.errors(), [])

    def test_messages_before_the_page_was_opened_are_shown(self):
        self.subject = Subject()
        self.addCleanup(self.subject.close)
        self.addCleanup(self.browser.open, "about:blank")
        self.subject.tell("post bank 5")
        self.subject.tell("ask bank")
        self.browser.open(self.subject.address)
        self.browser.wait(lambda: len(self.tree()) == 2, "the two chains of the time before")

    def test_a_hidden_value_says_why_and_how_to_show_it(self):
        self.begin("--redact")
        self.subject.tell("post bank 5000", "refused")
        self.expand()
        self.browser.click("#flow-tree li[data-kind=command] > .row")
        self.browser.wait(lambda: "pass the type to 'InspectorConfiguration(showing:)'" in self.browser.text("#message"), "the hint")
        # The payload, the failure, and the principal.
        self.assertEqual(len(self.browser.find_all("#message .hidden-value")), 3)

    def test_all_panes_have_one_style_of_time(self):
        self.begin()
        self.subject.tell("post bank 13")
        style = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$"
        self.browser.wait(lambda: self.browser.find_all("#flow-tree time"), "there is a time")
        self.assertRegex(self.browser.text("#flow-tree time"), style)
        self.show("log")
        self.browser.wait(lambda: self.browser.find_all("#pane-log time"), "there is a time")
        self.assertRegex(self.browser.text("#pane-log time"), style)
        self.show("stations")
        self.browser.wait(lambda: self.browser.text(".station-step"), "there is a step")
        self.assertRegex(self.browser.text(".station-step").split(" ", 1)[1][:23], style)

    def test_the_content_of_messages_is_hidden_by_default(self):
        self.begin("--redact")
        self.subject.tell("post s3cret 13")
        self.expand()
        self.browser.wait(lambda: "PostTransaction" in self.browser.text("#flow-tree"), "the command has come")
        for tab in ("graphs", "stations", "deliveries", "log"):
            self.show(tab)
            self.browser.wait(lambda: self.browser.text(f"#pane-{tab}"), f"'{tab}' shows something")
            self.assertNotIn("s3cret", self.browser.script("return document.body.innerHTML"))
            self.assertNotIn("broken", self.browser.script("return document.body.innerHTML"))


class Panes(InspectorCase):
    def test_a_station_is_stepped_through(self):
        self.begin()
        self.show("stations")
        self.browser.wait(lambda: self.browser.find_all("#pane-stations tbody tr"), "the state is there")
        for name in ("one", "two", "three"):
            self.subject.tell(f"post {name} 1")

        def value(property):
            return self.browser.script(
                """const row = [...document.querySelectorAll('#pane-stations tbody tr')]
                     .find((one) => one.cells[0].textContent === arguments[0]);
                   return row?.cells[2].textContent""",
                property,
            )

        self.browser.wait(lambda: value("count") == "3", "three actions have come")
        self.browser.find("#station-0-back").click()
        self.browser.wait(lambda: (value("count"), value("latest")) == ("2", '"two"'), "a step back")
        self.browser.find("#station-0-first").click()
        self.browser.wait(lambda: value("latest") == '"<i>nothing</i>"', "the beginning")
        self.subject.tell("post four 1")
        self.assertEqual(value("count"), "0")
        self.browser.find("#station-0-last").click()
        self.browser.wait(lambda: value("latest") == '"four"', "the latest")

    def test_the_graph_shows_events_with_their_subscriptions_and_handlers(self):
        self.begin()
        self.show("graphs")
        self.browser.click("#pane-graphs details summary")
        rows = "return [...document.querySelector('#pane-graphs table').rows].map((row) => [...row.cells].map((cell) => cell.textContent))"
        self.browser.wait(lambda: len(self.browser.script(rows)) > 5, "the table is there")
        table = {row[0]: row[2] for row in self.browser.script(rows)}
        self.assertIn("webhooks", table["TransactionPosted"])
        self.assertIn("CheckLimit", table["TransactionPosted"])
        self.assertEqual(table["webhooks"], "SendWebhook (later)")

    def test_a_journal_is_imported_and_sets_the_station_after_a_confirmation(self):
        self.begin()
        self.show("stations")
        self.browser.wait(lambda: self.browser.find_all("#pane-stations tbody tr"), "the state is there")
        for account in ("one", "two", "three"):
            self.subject.tell(f"post {account} 1")
        self.browser.wait(lambda: self.browser.find_all("#station-0-journal"), "there is a journal")
        # The file that the button would download, and then another action.
        answer = self.browser.script("return fetch('api/stations/journal?station=Totals').then((answer) => answer.json())")
        self.subject.tell("post four 1")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "Totals-journal.json")
            file.write_text(answer["journal"])
            self.browser.find("#station-0-file").send_keys(str(file))
            self.browser.wait(lambda: self.browser.find_all("#station-0-imported-restore"), "the journal is replayed")
        self.assertIn("3 actions of Totals-journal.json", self.browser.text("#pane-stations"))
        self.browser.find("#station-0-imported-back").click()
        self.browser.find("#station-0-imported-restore").click()
        self.browser.find("#station-0-imported-confirm").click()
        self.browser.wait(lambda: "was set to the state after 2 actions" in self.browser.text("#stations-message"), "the outcome")
        self.browser.wait(
            lambda: "2" in self.browser.script("return document.querySelector('#pane-stations .card tbody').textContent"),
            "the station has the state",
        )
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "garbage.json")
            file.write_text("garbage")
            self.browser.find("#station-0-file").send_keys(str(file))
            self.browser.wait(lambda: "no header" in self.browser.text("#stations-message"), "the refusal")
        self.browser.errors()

    def test_two_states_of_a_station_are_compared(self):
        self.begin()
        self.show("stations")
        self.browser.wait(lambda: self.browser.find_all("#pane-stations tbody tr"), "the state is there")
        for name in ("one", "two", "three"):
            self.subject.tell(f"post {name} 1")
        changes = lambda: [item.text for item in self.browser.find_all("#pane-stations .changes li")]

        self.browser.wait(lambda: changes() == ["count 2 → 3", 'latest "two" → "three"'], "the last step")
        self.browser.script(
            "const one = document.getElementById('station-0-compare'); one.value = '0'; one.dispatchEvent(new Event('change'))"
        )
        self.browser.wait(lambda: changes() == ["count 0 → 3", 'latest "<i>nothing</i>" → "three"'], "compared with the start")
        self.browser.script(
            "const one = document.getElementById('station-0-jump'); one.value = '2'; one.dispatchEvent(new Event('change'))"
        )
        self.browser.wait(lambda: changes() == ["count 0 → 2", 'latest "<i>nothing</i>" → "two"'], "jumped to the second step")
        self.assertEqual(self.browser.errors(), [])

    def test_hidden_values_that_were_changed_are_differences(self):
        self.begin("--redact")
        self.show("stations")
        self.browser.wait(lambda: self.browser.find_all("#pane-stations tbody tr"), "the state is there")
        for name in ("one", "two"):
            self.subject.tell(f"post {name} 1")
        changes = lambda: [item.text for item in self.browser.find_all("#pane-stations .changes li")]
        hidden = ["count hidden → hidden", "latest hidden → hidden"]

        self.browser.wait(lambda: changes() == hidden and len(self.browser.find_all("#station-0-jump option")) == 3, "two steps")
        self.browser.script(
            "const one = document.getElementById('station-0-compare'); one.value = '0'; one.dispatchEvent(new Event('change'))"
        )
        self.browser.wait(lambda: changes() == hidden, "compared with the start")
        self.browser.script(
            "const one = document.getElementById('station-0-compare'); one.value = '2'; one.dispatchEvent(new Event('change'))"
        )
        self.browser.wait(lambda: changes() == ["No differences."], "compared with itself")

    def test_a_malformed_address_does_not_stop_the_page(self):
        self.begin()
        address = self.browser.script("return location.href").split("#")[0]
        self.browser.open("about:blank")
        self.browser.open(f"{address}#flow/%")
        self.browser.wait(lambda: self.browser.text("#status").startswith("live"), "the page is live")

    def test_every_pane_fits_a_phone_without_errors(self):
        self.begin()
        for amount in (1, 13, 2):
            self.subject.tell(f"post {'long-account-name-' * 6} {amount}")
        self.browser.look(360, 740, mode="dark")
        for tab in ("flow", "rates", "graphs", "stations", "deliveries", "log"):
            self.show(tab)
            self.browser.wait(lambda: self.browser.text(f"#pane-{tab}").strip(), f"'{tab}' shows something")
            self.assertLessEqual(self.wide(), 0, tab)
        self.assertEqual(self.browser.errors(), [])

    def test_the_arrow_keys_select_tabs(self):
        self.begin()
        self.browser.script("document.getElementById('tab-flow').focus()")
        press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
        for key, tab in (("ArrowRight", "rates"), ("End", "log"), ("ArrowRight", "flow"), ("ArrowLeft", "log")):
            self.browser.script(press, key)
            self.assertEqual(self.browser.script("return document.activeElement.id"), f"tab-{tab}")
            # A pane without data has no size yet, so the test reads which panes aren't hidden.
            shown = "return [...document.querySelectorAll('[role=tabpanel]:not([hidden])')].map((pane) => pane.id)"
            self.assertEqual(self.browser.script(shown), [f"pane-{tab}"])


class Access(InspectorCase):
    def test_without_the_token_there_is_no_page(self):
        self.begin()
        self.assertNotIn("token", self.browser.script("return location.href"))
        other = Browser()
        self.addCleanup(other.close)
        parts = urlsplit(self.subject.address)
        other.open(f"{parts.scheme}://{parts.netloc}/")
        self.assertIn("The token is missing or wrong.", other.text("body"))
        other.open(self.subject.address[:-1])
        self.assertIn("The token is wrong.", other.text("body"))
        other.open(self.subject.address)
        self.assertEqual(other.text("h1"), "Headrace inspector")
        self.assertEqual(other.script("return document.cookie"), "")


if __name__ == "__main__":
    unittest.main()
