"""A browser without a window, and waiting in it for what is to come true."""

import pathlib
import tempfile

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 20


class Browser:
    """One browser; what waits in it waits for conditions, and says what did not come true."""

    def __init__(self, width=1280, height=900):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        self._profile = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        for argument in (
            "--headless=new",
            "--no-sandbox",  # needed where root runs it
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            f"--user-data-dir={self._profile.name}",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(30)
        self.look(width, height)

    def close(self):
        self.driver.quit()
        self._profile.cleanup()

    def look(self, width, height, mode="light", motion="no-preference"):
        """Has the window be so large, and the page light or dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        features = [
            {"name": "prefers-color-scheme", "value": mode},
            {"name": "prefers-reduced-motion", "value": motion},
        ]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, address):
        self.driver.get(address)

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """Gives the text of an element as the page has it, or None where there is no such element."""
        return self.script("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def wait(self, condition, what, seconds=PATIENCE):
        """Waits until `condition()` is true and gives what it gave."""
        try:
            return WebDriverWait(
                self.driver, seconds, poll_frequency=0.05, ignored_exceptions=[NoSuchElementException, StaleElementReferenceException]
            ).until(lambda _: condition())
        except TimeoutException:
            raise AssertionError(f"This did not come true within {seconds} seconds: {what}") from None

    def wait_text(self, selector, text, seconds=PATIENCE):
        """Waits until an element has exactly this text."""
        try:
            self.wait(lambda: self.text(selector) == text, selector, seconds)
        except AssertionError:
            raise AssertionError(f"'{selector}' is {self.text(selector)!r} and not {text!r}") from None

    def click(self, selector):
        """Clicks an element once it is there; one that is being replaced is looked for again."""
        self.wait(lambda: self.find(selector).click() or True, f"'{selector}' can be clicked")

    def type(self, selector, *keys):
        """Types into an element once it is there."""
        self.wait(lambda: self.find(selector).send_keys(*keys) or True, f"'{selector}' can be typed into")

    def errors(self):
        """Gives what the console has complained of since this was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def focused(self):
        """Gives the element that has the focus."""
        return self.driver.switch_to.active_element

    def of_focused(self, what):
        """Gives a property or an attribute of the element that has the focus, as it is at this moment."""
        return self.script("const one = document.activeElement; return one[arguments[0]] ?? one.getAttribute(arguments[0])", what)

    def picture(self, path):
        """Writes what the window shows as a PNG file."""
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))
