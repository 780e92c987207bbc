"""The sign-in of a server with users, in a real browser."""

import pathlib
import tempfile
import unittest

from ledger_page import LedgerPageCase
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

TOKEN = "token-of-ada-0001-of-tests"


class SignIn(LedgerPageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="tokens-")
        cls.addClassCleanup(folder.cleanup)
        tokens = pathlib.Path(folder.name, "tokens")
        tokens.write_text(f"ada:{TOKEN}\n", encoding="utf-8")
        tokens.chmod(0o600)
        cls.arguments = ("--token-file", str(tokens))

    def ask(self):
        """Opens the page, and waits until it asks for the token."""
        self.browser.open(self.server.address)
        self.browser.wait(lambda: self.browser.find("#token").is_displayed(), "the page asks for the token")

    def sign_in(self):
        self.browser.type("#token", TOKEN, Keys.ENTER)
        self.page.wait_live()

    def test_the_page_shows_nothing_before_the_sign_in(self):
        self.ask()
        self.assertEqual(self.browser.focused(), self.browser.find("#token"))
        self.assertEqual(self.browser.errors(), [])
        self.browser.type("#token", "wrong", Keys.ENTER)
        self.browser.wait_text("#sign-in-refusal", "The token is wrong. To fix, correct it.")
        self.browser.type("#token", Keys.ESCAPE)
        self.assertTrue(self.browser.find("#token").is_displayed())
        self.assertEqual(self.browser.text("#count"), "")
        self.browser.script("document.getElementById('token').value = ''")
        self.sign_in()
        self.browser.wait_text("#user-name", "ada")
        self.page.post("2026-01-02", "One", ("expenses:tea", "3 EUR"), ("assets:bank", None))
        self.page.wait_balance("expenses:tea", "3 EUR")
        # A script of the page can't read the cookie.
        self.assertEqual(self.browser.script("return document.cookie"), "")

    def test_escape_does_not_close_the_sign_in_however_often_it_is_pressed(self):
        self.ask()
        for _ in range(3):
            ActionChains(self.browser.driver).send_keys(Keys.ESCAPE).perform()
        self.browser.wait(lambda: self.browser.find("#token").is_displayed(), "the page asks for the token")
        self.sign_in()
        self.assertFalse(self.browser.find("#token").is_displayed())

    def test_a_sign_out_ends_the_other_tabs(self):
        self.ask()
        self.sign_in()
        first = self.browser.driver.current_window_handle
        self.browser.driver.switch_to.new_window("tab")
        self.browser.open(self.server.address)
        self.page.wait_live()
        self.browser.click("#sign-out")
        self.browser.wait(lambda: self.browser.find("#token").is_displayed(), "the page asks for the token")
        self.browser.driver.close()
        self.browser.driver.switch_to.window(first)
        self.browser.wait(lambda: self.browser.find("#token").is_displayed(), "the other page asks for the token")
        self.assertEqual(self.browser.text("#count"), "")

    def test_a_server_that_refuses_its_own_session_is_asked_once_more_only(self):
        self.ask()
        self.sign_in()
        self.page.intercept("/api/income-statement?", """window.requestCount = (window.requestCount ?? 0) + 1;
            return Response.json({ detail: "The session is unknown." }, { status: 401 })""")
        self.browser.script("document.getElementById('period').dispatchEvent(new Event('change', { bubbles: true }))")
        self.browser.wait_text("#income-empty", "The session is unknown.")
        self.assertEqual(self.browser.script("return window.requestCount"), 2)

    def test_a_session_that_has_ended_is_renewed_without_losing_the_input(self):
        self.ask()
        self.sign_in()
        self.page.fill("2026-01-02", "Kept", ("expenses:tea", "3 EUR"), ("assets:bank", None))
        self.browser.driver.delete_all_cookies()
        # The live page may ask for the token before the click, and then its dialog covers the button.
        self.browser.script("document.getElementById('submit').click()")
        self.browser.wait(lambda: self.browser.find("#token").is_displayed(), "the page asks for the token")
        self.browser.type("#token", TOKEN, Keys.ENTER)
        self.browser.wait_text("#outcome", "Posted.")
        self.page.wait_balance("expenses:tea", "3 EUR")

    def test_after_the_sign_out_the_page_asks_again(self):
        self.ask()
        self.sign_in()
        self.browser.click("#sign-out")
        self.browser.wait(lambda: self.browser.find("#token").is_displayed(), "the page asks for the token")
        self.assertEqual(self.browser.text("#count"), "")

    def test_the_sign_in_fits_a_phone(self):
        self.browser.look(390, 740, "dark")
        self.ask()
        self.assertEqual(self.page.wide(), 0)


if __name__ == "__main__":
    unittest.main()
