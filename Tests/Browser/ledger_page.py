"""Actions of a user on the ledger's page, and a test case with a server of its own."""

import pathlib
import sys
import tempfile
import unittest
from urllib.parse import urlencode

from browser import Browser
from selenium.webdriver.common.by import By

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".ci/served"))
from ledger import Ledger  # noqa: E402


class LedgerPage:
    """The page in a browser."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address

    def open(self, account=None):
        """Opens the page, and waits until it shows the accounts."""
        query = "" if account is None else "?" + urlencode({"account": account})
        self.browser.open(f"{self.address}/{query}")
        self.wait_live()
        return self

    def wait_live(self):
        self.browser.wait_text("#connection", "Live")

    def balance(self, account):
        """Returns the amounts beside an account in the tree, or None if the tree doesn't show the account."""
        return self.browser.script(
            """const link = [...document.querySelectorAll("#accounts a")].find((one) => one.dataset.account === arguments[0]);
               if (!link) return null;
               return [...link.querySelectorAll(".amount")].map((one) => one.textContent).join(", ")""",
            account,
        )

    def wait_balance(self, account, text, seconds=20):
        try:
            self.browser.wait(lambda: self.balance(account) == text, account, seconds)
        except AssertionError:
            raise AssertionError(f"'{account}' shows {self.balance(account)!r} and not {text!r}") from None

    def choose(self, account):
        """Clicks an account."""
        self.browser.click(f"#accounts a[title='{account}']")
        self.browser.wait_text("#account-title", account)

    def register(self):
        """Returns the visible lines of the register: day, description, amounts, and balance."""
        return self.browser.script(
            """return [...document.querySelectorAll("#lines tr.line")].map((row) => [...row.cells].map((cell) => {
                 const amounts = [...cell.querySelectorAll(".amount")].map((one) => one.textContent);
                 return amounts.length > 0 ? amounts.join(", ") : cell.textContent;
               }))"""
        )

    def fill(self, date, description, *postings):
        """Fills in the form with pairs of an account and an amount."""
        browser = self.browser
        # A date field expects the day, the month, and the year in the order of the browser's language.
        browser.script("document.getElementById('date').value = arguments[0]", date)
        field = browser.find("#description")
        field.clear()
        field.send_keys(description)
        while len(browser.find_all("#postings .posting")) < len(postings):
            browser.find("#add-posting").click()
        for row, (account, amount) in zip(browser.find_all("#postings .posting"), postings):
            for selector, text in (("input.account", account), ("input.number", amount or "")):
                field = row.find_element(By.CSS_SELECTOR, selector)
                field.clear()
                field.send_keys(text)

    def submit(self):
        self.browser.find("#submit").click()

    def post(self, date, description, *postings):
        """Posts a transaction with the form."""
        self.fill(date, description, *postings)
        self.submit()
        self.browser.wait_text("#outcome", "Posted.")

    def intercept(self, part, code):
        """Runs `code` in place of each request whose path contains `part`. It can call `send(path, options)`."""
        # The page's security policy forbids functions that are made of texts later.
        self.browser.script(
            """const part = arguments[0];
               const send = window.fetch.bind(window);
               const intercepted = async (path, options) => { %s };
               window.fetch = (path, options) => String(path).includes(part) ? intercepted(path, options) : send(path, options)"""
            % code,
            part,
        )

    def begin_import(self, path):
        """Selects a file, and starts its import."""
        self.browser.find("#file").send_keys(str(path))
        self.browser.find("#start-import").click()

    def wait_import(self, state, seconds=60):
        """Waits until the newest import has the given state."""
        self.browser.wait(
            lambda: self.browser.script("return document.querySelector('#imports li')?.dataset.state") == state,
            f"the import is {state}",
            seconds,
        )

    def wide(self):
        """Returns the number of pixels by which the page is wider than the window."""
        return self.browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")


class LedgerPageCase(unittest.TestCase):
    """A test case with its own server and an empty ledger. The tests of a class share a browser."""

    arguments = ()  # of the server, besides the database and the port

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ledger-")))
        self.server = self.enterContext(Ledger(self.folder / "books.sqlite", *self.arguments))
        self.page = LedgerPage(self.browser, self.server.address)
        self.browser.look(1280, 900)
        self.browser.errors()
        # Otherwise the browser would keep its stream to the stopped server of the last test.
        self.addCleanup(self.browser.open, "about:blank")

    def post(self, date, description, *postings):
        """Posts a transaction without the page."""
        answer = self.server.post(date, description, *postings)
        self.assertEqual(answer.status, 201, answer)

    def journal(self, name, text):
        """Writes a journal, and returns its path."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path
