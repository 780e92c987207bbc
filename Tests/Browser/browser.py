"""A headless browser with waits for conditions."""

import pathlib
import tempfile

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 20


class Browser:
    """A browser. Each wait has a condition, and a failed wait names its condition."""

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
        """Sets the size of the window, and the colour scheme of the page."""
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
        """Returns the text content of an element, or None if there is no such element."""
        return self.script("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def wait(self, condition, what, seconds=PATIENCE):
        """Waits until `condition()` is true, and returns its value."""
        try:
            return WebDriverWait(
                self.driver, seconds, poll_frequency=0.05, ignored_exceptions=[NoSuchElementException, StaleElementReferenceException]
            ).until(lambda _: condition())
        except TimeoutException:
            raise AssertionError(f"Timeout after {seconds} seconds. Expected: {what}") from None

    def wait_text(self, selector, text, seconds=PATIENCE):
        """Waits until an element has exactly this text."""
        try:
            self.wait(lambda: self.text(selector) == text, selector, seconds)
        except AssertionError:
            raise AssertionError(f"'{selector}' is {self.text(selector)!r} and not {text!r}") from None

    def point(self, x, y):
        """Moves the pointer to a place in the window."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    def press(self, x, y):
        """Clicks at a place in the window, to which the pointer has been moved."""
        for type in ("mousePressed", "mouseReleased"):
            event = {"type": type, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def thread_time(self):
        """Returns the time of the processor that the main thread of the page has used, in seconds."""
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")

    def click(self, selector):
        """Clicks an element when it exists. If it is replaced meanwhile, the new element is clicked."""
        self.wait(lambda: self.find(selector).click() or True, f"'{selector}' can be clicked")

    def type(self, selector, *keys):
        """Types into an element when it exists."""
        self.wait(lambda: self.find(selector).send_keys(*keys) or True, f"'{selector}' can be typed into")

    def errors(self):
        """Returns the errors of the console since the previous call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def focused(self):
        """Returns the focused element."""
        return self.driver.switch_to.active_element

    def of_focused(self, what):
        """Returns the current value of a property or an attribute of the focused element."""
        return self.script("const one = document.activeElement; return one[arguments[0]] ?? one.getAttribute(arguments[0])", what)

    def picture(self, path):
        """Saves a screenshot as a PNG file."""
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))
