#!/usr/bin/env python3
"""Checks pages in headless Chromium, through chromedriver:

- at most 3 MB; no browser message, and no request other than for the page itself;
- one h1, no skipped heading level, unique ids, no dead links, a name for every field and image;
- text contrast of WCAG 2 AA in light and dark mode, by our own measure and, with --axe, by axe-core, which also checks
  names, roles and keyboard access; nothing wider than a phone;
- the first tab stop is the skip link, and closed details open with the keyboard;
- the filter finds a rule, is part of the address, and can be reset; a text for copying has a button; without scripts the
  page shows everything except filter and buttons;
- a report prints as one page, and with all details on request.

Screenshots of each page go to --shots: desktop, dark, phone, print. Exit status 1 if a check fails.
"""

import argparse
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

LARGEST = 3_000_000
PHONE, DESKTOP = (400, 844), (1280, 1600)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

STRUCTURE = """
const found = [];
const levels = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((item) => Number(item.tagName[1]));
if (levels.filter((level) => level === 1).length !== 1) found.push('not one h1');
levels.forEach((level, at) => { if (at > 0 && level > levels[at - 1] + 1) found.push('a heading skips a level: ' + at); });
const ids = new Set();
for (const item of document.querySelectorAll('[id]')) {
  if (ids.has(item.id)) found.push('duplicate id: #' + item.id);
  ids.add(item.id);
}
for (const link of document.querySelectorAll('a')) {
  const to = link.getAttribute('href');
  if (to.startsWith('#') ? !ids.has(to.slice(1)) : !(to.startsWith('logs/') || to.endsWith('/report.html'))) found.push('dead link: ' + to);
}
for (const field of document.querySelectorAll('input,select,textarea')) {
  if (!field.labels || field.labels.length === 0) found.push('a field without a label: ' + field.id);
}
for (const item of document.querySelectorAll('button,a,summary')) {
  if (item.textContent.trim() === '') found.push('no text in a ' + item.tagName);
}
for (const item of document.querySelectorAll('svg:not([aria-hidden]),[role=img],[role=region]')) {
  if (!item.getAttribute('aria-label')) found.push('a ' + item.tagName + ' without a name');
}
for (const item of document.querySelectorAll('[aria-labelledby]')) {
  if (!ids.has(item.getAttribute('aria-labelledby'))) found.push('aria-labelledby without a target');
}
for (const table of document.querySelectorAll('table')) {
  if (!table.querySelector('th[scope]')) found.push('a table without headings');
}
if (!document.documentElement.lang || !document.title) found.push('no language or no title');
return found;
"""

CONTRAST = """
const parse = (text) => {
  const parts = (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  // A mixed color has parts from 0 to 1.
  return text.startsWith('color(srgb') ? parts.map((part, at) => at < 3 ? part * 255 : part) : parts;
};
const over = (top, under) => {
  const alpha = top.length > 3 ? top[3] : 1;
  return [0, 1, 2].map((part) => top[part] * alpha + under[part] * (1 - alpha));
};
const light = (color) => {
  const [r, g, b] = color.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
const canvas = dark ? [18, 18, 18] : [255, 255, 255];
const found = new Map();
let looked = 0;
for (const item of [...document.querySelectorAll('body *')].slice(0, 20000)) {
  if (![...item.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || item.closest('option,select,script,style,title')) continue;
  const grounds = [];
  for (let up = item; up; up = up.parentElement) grounds.push(parse(getComputedStyle(up).backgroundColor));
  const ground = grounds.reverse().reduce((under, top) => over(top, under), canvas);
  const style = getComputedStyle(item);
  const color = over(parse(item.closest('svg') ? style.fill : style.color), ground);
  const [a, b] = [light(color), light(ground)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  looked += 1;
  if (ratio < 4.5) found.set(item.tagName + '.' + item.className, ratio.toFixed(2));
}
return {looked, found: [...found].map(([name, ratio]) => name + ' ' + ratio)};
"""


AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then((answer) => done(answer.violations.map((found) =>
  found.id + ': ' + found.nodes.length + ' times, as in ' + found.nodes[0].html.slice(0, 120))), (error) => done([String(error)]));
"""


class Browser:
    """A session of chromedriver."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        self.folder = tempfile.TemporaryDirectory()
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--allow-file-access-from-files",
                     f"--user-data-dir={self.folder.name}"]
        wanted = {"goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}, "goog:chromeOptions": {"args": arguments}}
        # axe-core needs minutes for a page with hundreds of failures.
        wanted["timeouts"] = {"script": 300_000, "pageLoad": 300_000}
        self.base += "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=330) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{path}: {error.read().decode()[:500]}") from error

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, script):
        return self.ask("POST", "/execute/async", {"script": script, "args": []})

    def command(self, name, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def keys(self, text):
        press = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": press}]})

    def size(self, size, phone=False):
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=phone)

    def media(self, media="", scheme="light"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=media, features=features)

    def shot(self, path, whole=False):
        """The visible part; with `whole`, also the page below it, as far as a person would scroll."""
        parameters = {"format": "png"}
        if whole:
            height = min(self.run("return document.documentElement.scrollHeight"), 2400)
            width = self.run("return innerWidth")
            parameters |= {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
        path.write_bytes(base64.b64decode(self.command("Page.captureScreenshot", **parameters)["data"]))

    def close(self):
        self.ask("DELETE", "")
        self.folder.cleanup()


def look(browser, path, shots, axe):
    """Returns the mistakes of a page."""
    found = []
    url = path.resolve().as_uri()
    size = path.stat().st_size
    if size > LARGEST:
        found.append(f"{size} bytes")
    # The start page of the browser is not part of the test.
    browser.open("about:blank")
    browser.log("browser"), browser.log("performance")
    browser.size(DESKTOP), browser.media()
    browser.open(url)
    found += browser.run(STRUCTURE)
    found += contrast(browser, "light")
    browser.shot(shots / "desktop.png", whole=True)
    found += by_axe(browser, axe, "light")
    browser.media(scheme="dark")
    found += contrast(browser, "dark")
    found += by_axe(browser, axe, "dark")
    browser.shot(shots / "dark.png")
    browser.media()
    browser.size(PHONE, phone=True)
    browser.open(url)
    wide = browser.run("return document.scrollingElement.scrollWidth - innerWidth")
    if wide > 0:
        found.append(f"{wide} pixels wider than a phone")
    browser.shot(shots / "phone.png", whole=True)
    browser.size(DESKTOP)
    found += keyboard(browser, url)
    if browser.run("return document.getElementById('filters') !== null"):
        found += filtered(browser, url, shots)
        found += without_script(browser, url)
    found += printed(browser, url, shots)
    found += [f"browser message: {entry['message']}" for entry in browser.log("browser")]
    requests = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    requests = [entry["params"]["request"]["url"] for entry in requests if entry["method"] == "Network.requestWillBeSent"]
    others = sorted({request for request in requests if request.split("#")[0] != url and not request.startswith("chrome:")})
    if not requests:
        found.append("no request was recorded, not even for the page; other requests are unknown")
    found += [f"a request for {other}" for other in others]
    return found


def contrast(browser, scheme):
    answer = browser.run(CONTRAST)
    found = [f"contrast in {scheme}: {text}" for text in answer["found"]]
    return found if answer["looked"] > 10 else found + ["no text was checked"]


def by_axe(browser, axe, scheme):
    """The violations that axe-core finds. The script runs through the driver, which the page's policy does not stop."""
    if axe is None:
        return []
    browser.run(axe)
    return [f"axe in {scheme}: {found}" for found in browser.wait(AXE)]


def keyboard(browser, url):
    browser.open(url)
    skip = browser.run("return document.querySelector('.skip') !== null")
    browser.keys("\ue004")
    found = []
    if skip and browser.run("return document.activeElement.className") != "skip":
        found.append("the first tab stop is not the skip link")
    if browser.run("return document.querySelector('details:not([open])') === null"):
        return found
    browser.run("document.querySelector('details:not([open]) > summary').focus()")
    focus = "const item = document.activeElement; window.looked = item.parentElement; return getComputedStyle(item).outlineStyle"
    if browser.run(focus) == "none":
        found.append("the focused element is not marked")
    browser.keys("\ue007")
    if not browser.run("return window.looked.open"):
        found.append("closed details do not open with the keyboard")
    return found


ROWS = "[...document.querySelectorAll('tr[data-rule]')]"
FOUND = f"{ROWS}.filter((row) => !row.hidden).length"
VISIBLE = f"{ROWS}.filter((row) => row.offsetHeight > 0).length"


def filtered(browser, url, shots):
    browser.open(url)
    found = []
    everything = browser.run(f"return {FOUND}")
    first = browser.run(f"return {ROWS}[0].dataset.rule")
    browser.run("document.getElementById('text').focus()")
    browser.keys(first)
    some = browser.run(f"return {FOUND}")
    told = browser.run("return document.getElementById('shown').textContent")
    if not 0 < some < everything or not told.startswith(f"{some} of {everything} "):
        found.append(f"the filter shows {some} of {everything} rules for {first}, and reports {told}")
    if browser.run(f"return {VISIBLE}") != some:
        found.append("the filter does not open what it found")
    address = browser.run("return location.href")
    browser.run("document.getElementById('filters').scrollIntoView()")
    browser.shot(shots / "filtered.png")
    browser.run("document.querySelector('button[type=reset]').click()")
    time.sleep(0.2)
    if browser.run(f"return {FOUND}") != everything:
        found.append("resetting the filter does not show all rules")
    browser.open("about:blank")
    browser.open(address)
    if browser.run(f"return {FOUND}") != some:
        found.append(f"the address {address} does not filter")
    if browser.run("return document.querySelectorAll('[data-copy]').length !== document.querySelectorAll('button.copy').length"):
        found.append("a text for copying has no button")
    target = browser.run("const link = document.querySelector('a[href^=\"#rule-\"]'); return link && link.getAttribute('href')")
    if target:
        browser.open(url + target)
        if not browser.run("return document.getElementById(decodeURIComponent(location.hash.slice(1))).open"):
            found.append(f"the link to {target} does not open it")
    return found


def without_script(browser, url):
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url)
    # chromedriver needs scripts for queries, so this queries the DOM tree.
    browser.command("DOM.enable")
    root = browser.command("DOM.getDocument", depth=0)["root"]["nodeId"]

    def shown(selector):
        node = browser.command("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        if node == 0:
            return None
        browser.command("CSS.enable")
        style = browser.command("CSS.getComputedStyleForNode", nodeId=node)["computedStyle"]
        return next(entry["value"] for entry in style if entry["name"] == "display") != "none"

    found = []
    if shown("#filters"):
        found.append("without scripts, a filter without effect is visible")
    if shown("tr[data-rule]") is not True:
        found.append("without scripts, no rules are visible")
    browser.command("CSS.disable"), browser.command("DOM.disable")
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    return found


def printed(browser, url, shots):
    browser.open(url)
    browser.media(media="print")
    browser.shot(shots / "print.png", whole=True)
    report = browser.run("return document.getElementById('whole') !== null")
    found = []
    if report:
        browser.run("document.getElementById('whole').checked = true")
        hidden = browser.run(
            "return [...document.querySelectorAll('details[data-rule] > *:not(summary)')].filter((item) => "
            "!item.checkVisibility({contentVisibilityAuto: true})).length")
        found += [f"{hidden} elements in closed details are not printed on request"] if hidden else []
        browser.run("document.getElementById('whole').checked = false")
    browser.media()
    if not report:
        return found
    pdf = base64.b64decode(browser.ask("POST", "/print", {"page": {"width": 21.0, "height": 29.7}}))
    (shots / "print.pdf").write_bytes(pdf)
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))
    return found if pages == 1 else found + [f"the summary has {pages} printed pages"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--shots", type=pathlib.Path, required=True, metavar="DIR")
    options.add_argument("--axe", type=pathlib.Path, metavar="FILE", help="axe.min.js")
    options.add_argument("pages", nargs="+", type=pathlib.Path)
    options = options.parse_args()
    axe = options.axe.read_text() if options.axe else None
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        port = next(found[1] for line in driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))
        browser = Browser(port)
        failed = 0
        for page in options.pages:
            name = page.parent.name if page.name == "report.html" else page.stem
            shots = options.shots / name
            shots.mkdir(parents=True, exist_ok=True)
            found = look(browser, page, shots, axe)
            failed += bool(found)
            print(f"{name}: {page.stat().st_size} bytes, {'FAILED' if found else 'ok'}; screenshots in {shots}")
            for complaint in found[:20]:
                print(f"    {complaint}")
        browser.close()
    finally:
        driver.terminate()
        driver.wait()
    print(f"{len(options.pages) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
