"""The notebook widget: what it sends and keeps, where anywidget is installed; in JupyterLab and Notebook, in a Chromium without a screen and by
nbconvert, where SPECLENS_NOTEBOOKS is set (packaging/python/try_widget.sh), with a real page."""

import base64
import contextlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

SOURCE = Path(__file__).resolve().parents[2]
MAKE = SOURCE / "packaging" / "python" / "make_widget.py"
HERE = os.environ.get("SPECLENS_NOTEBOOKS")  # a folder for what is tried there
PROMPT = "Write a short poem about the moon."
ASKED = {"chat": True, "drafter": "small", "k": 4, "temp": 0.8, "seed": 9, "max_tokens": 24}


def make_page(folder: Path) -> None:
    """Files of a page's names; what is in them is told apart."""
    (folder / "licences").mkdir(parents=True)
    (folder / "licences" / "imgui.txt").write_text("its licence")
    names = ("texts", "models", "mtp", "dflash")
    parts = [{"name": name, "first": name != "dflash", "file": f"{name}.part.gz", "exponents": f"{name}.exponents.gz"} for name in names]
    for name in ["index.html", "page.js", "isolate.js", "speclens.js.gz", "speclens.wasm.gz", "speclens_alone.js.gz", *(p[f] for p in parts for f in ("file", "exponents"))]:
        (folder / name).write_text(f"this is {name}")
    (folder / "speclens_alone.wasm.gz").write_bytes(os.urandom(2_500_000))
    (folder / "parts.json").write_text(json.dumps({"programs": {"speclens_alone": 1}, "parts": parts}))


class Wheels(unittest.TestCase):
    def make(self, page: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, str(MAKE), str(page), str(folder)], capture_output=True, text=True)

    def test_hold_the_page_with_one_thread(self) -> None:
        with tempfile.TemporaryDirectory() as work:
            page, out = Path(work) / "page", Path(work) / "out"
            make_page(page)
            for again in (False, True):
                done = self.make(page, out / str(again))
                self.assertEqual(done.returncode, 0, done.stderr)
            (one,), (two,) = (list((out / str(again)).glob("speclens_widget-*-py3-none-any.whl")) for again in (False, True))
            self.assertEqual(one.read_bytes(), two.read_bytes())
            with zipfile.ZipFile(one) as wheel:
                names = wheel.namelist()
                held = {name.rsplit("/", 1)[1] for name in names if "/page/" in name}
                first = {"texts.part.gz", "texts.exponents.gz", "models.part.gz", "models.exponents.gz"}
                self.assertEqual(held, {"index.html", "page.js", "parts.json", "speclens_alone.js.gz", "speclens_alone.wasm.gz", *first})
                listed = json.loads(wheel.read("speclens_widget/page/parts.json"))
                self.assertEqual([part["name"] for part in listed["parts"]], ["texts", "models"])
                self.assertEqual(listed["left_out"], ["mtp", "dflash"])
                self.assertLess(len(wheel.read("speclens_widget/widget.js")), 50_000)
                self.assertTrue(any(name.endswith("licenses/imgui.txt") for name in names))
                said = wheel.read(next(name for name in names if name.endswith("METADATA"))).decode()
                self.assertIn("Requires-Dist: speclens == ", said)

    def test_of_no_page_or_of_too_large_a_one_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as work:
            self.assertIn("no parts.json", self.make(Path(work) / "none", Path(work)).stderr)
            page = Path(work) / "page"
            make_page(page)
            (page / "models.part.gz").write_bytes(os.urandom(14_000_000))
            done = self.make(page, Path(work))
            self.assertIn("larger than 16 MB", done.stderr)
            self.assertNotEqual(done.returncode, 0)


@unittest.skipUnless(importlib.util.find_spec("anywidget"), "anywidget is not installed")
class Widgets(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        import speclens
        import speclens_widget

        cls.folder = Path(tempfile.mkdtemp())
        make_page(cls.folder / "page")
        cls.before = os.environ.get("SPECLENS_PAGE")
        os.environ["SPECLENS_PAGE"] = str(cls.folder / "page")
        cls.speclens, cls.module = speclens, speclens_widget
        cls.module.page.cache_clear()
        cls.trace = speclens.open("tiny", threads=1).run(PROMPT, **ASKED)

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)
        os.environ.pop("SPECLENS_PAGE")
        if cls.before:
            os.environ["SPECLENS_PAGE"] = cls.before
        cls.module.page.cache_clear()

    def asked(self, widget: Any, name: Any) -> "tuple[list[dict[str, Any]], bytes]":
        sent: "list[tuple[dict[str, Any], list[bytes]]]" = []
        widget.send = lambda said, buffers=(): sent.append((said, list(buffers)))
        widget._handle_custom_msg({"want": name}, [])
        return [said for said, _ in sent], b"".join(piece for _, pieces in sent for piece in pieces)

    def test_send_files_of_the_page_in_pieces_and_nothing_else(self) -> None:
        widget = self.module.show(self.trace)
        said, data = self.asked(widget, "speclens_alone.wasm.gz")
        self.assertEqual(data, (self.folder / "page" / "speclens_alone.wasm.gz").read_bytes())
        self.assertEqual(said, [{"file": "speclens_alone.wasm.gz", "part": i, "of": 3} for i in range(3)])
        self.assertEqual(self.asked(widget, "dflash.part.gz")[1], b"this is dflash.part.gz")
        for name in ("isolate.js", "../page/page.js", "/etc/passwd", "none", None, 3):
            (answer,), data = self.asked(widget, name)
            self.assertIn("no file of the page", answer["error"])
            self.assertEqual(data, b"")

    def test_send_the_run(self) -> None:
        said, data = self.asked(self.module.show(self.trace), "run")
        self.assertEqual((said, data), ([{"file": "run", "part": 0, "of": 1}], self.trace._lines.encode()))

    def test_are_two_outputs_of_which_one_is_a_picture(self) -> None:
        widget = self.module.show(self.trace, "accept-rule", theme="dark")
        shown: "list[dict[str, Any]]" = []
        handle = unittest.mock.Mock()

        def display(data: "dict[str, Any]", raw: bool, metadata: object = None, display_id: bool = False) -> Any:
            shown.append(data)
            return handle if display_id else None

        with unittest.mock.patch.object(self.module, "display", display):
            widget._ipython_display_()
        picture, frame = shown
        self.assertEqual(base64.b64decode(picture["image/png"]), self.trace.draw("accept-rule", theme="dark").png)
        self.assertEqual(frame["application/vnd.jupyter.widget-view+json"]["model_id"], widget.model_id)
        self.assertNotIn("image/png", frame, "it would be seen twice where nothing runs")
        widget._handle_custom_msg({"shown": "in words"}, [memoryview(b"what was looked at since")])
        (said,), how = handle.update.call_args
        self.assertEqual((base64.b64decode(said["image/png"]), said["text/plain"], how), (b"what was looked at since", "in words", {"raw": True}))

    def test_say_what_is_shown(self) -> None:
        shown = self.module.show(self.trace, "accept-rule:3", theme="dark", language="de", height=500)
        self.assertEqual((shown.link, shown.query, shown.height), ("accept-rule/3", "one&theme=dark&language=de", 500))
        with tempfile.TemporaryDirectory() as folder:
            self.trace.save(Path(folder) / "x.jsonl")
            self.assertEqual(self.asked(self.module.show(Path(folder) / "x.jsonl"), "run")[1], self.trace._lines.encode())
            race = Path(folder) / "x.race.json"
            words = ["describe", "race", "--drafters", "small,lookup", "--max-tokens", "8", "--json", str(race)]
            done = subprocess.run([os.environ["SPECLENS_PROGRAM"], *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            widget = self.module.show(race)
            self.assertEqual((widget.link, self.asked(widget, "run")[1]), ("race", race.read_bytes()))
        for wrong in ("nowhere", "race"):
            with self.assertRaises(self.speclens.UsageError):
                self.module.show(self.trace, wrong)

    def test_live_is_the_pages_engine_for_the_built_in_model(self) -> None:
        with self.speclens.open("tiny") as model:
            widget = self.module.live(model, "A & B=c", drafter="eagle3", seed=3, max_tokens=8, top_k=5)
            self.assertEqual(self.asked(widget, "run")[1], b"")
            told = "loop?drafter=eagle3&temp=0.8&seed=3&k=4&prompt=A%20%26%20B%3Dc&max-tokens=8&top-k=5"
            self.assertEqual(widget.link, told)
            race = self.module.live(model, PROMPT, "race", drafters=["small", "lookup"], max_tokens=8)
            self.assertTrue(race.link.startswith("race?drafters=small%2Clookup&prompt="), race.link)
            self.assertNotIn("temp", race.link, "a race has its own")
            describe = [os.environ["SPECLENS_PROGRAM"], "describe", "--no-timing"]
            for link in (widget.link, race.link):
                done = subprocess.run([*describe, "speclens://" + link], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_live_without_a_prompt_has_rounds_to_step_through(self) -> None:
        with self.speclens.open("tiny") as model:
            link = self.module.live(model, drafter="small", seed=9, max_tokens=24).link
            prompt, _, options = link.partition("&prompt=")[2].partition("&")
            self.assertEqual((prompt, options), ("Write%20a%20short%20poem%20about%20the%20moon.", "max-tokens=24&chat"))
            self.assertGreater(len(model.run(PROMPT, **ASKED)), 3, "as plain text it ends at once")
            self.assertNotIn("chat", self.module.live(model, PROMPT, drafter="small", seed=9, max_tokens=24).link)

    def test_live_is_a_run_of_the_kernels_for_any_other(self) -> None:
        with self.speclens.open("tiny", precision="bf16") as model:
            widget = self.module.live(model, PROMPT, **ASKED)
            with self.assertRaises(self.speclens.UsageError):
                self.module.live(model, PROMPT, "race")
        run = self.speclens.Trace(self.asked(widget, "run")[1].decode())
        self.assertEqual(run.header["precision"], "bf16")
        self.assertEqual(widget.link, "loop")
        listed = self.folder / "page" / "parts.json"
        told = listed.read_text()
        listed.write_text(json.dumps({**json.loads(told), "left_out": ["mtp"]}))
        self.module.page.cache_clear()
        try:
            lacking = self.module.live(None, PROMPT, drafter="mtp", max_tokens=8)
            self.assertIn(b'"drafter":"mtp"', self.asked(lacking, "run")[1])
            self.assertEqual(self.asked(self.module.live(None, PROMPT, drafter="eagle3", max_tokens=8), "run")[1], b"")
        finally:
            listed.write_text(told)
            self.module.page.cache_clear()

    def test_without_a_page_say_so(self) -> None:
        self.module.page.cache_clear()
        os.environ["SPECLENS_PAGE"] = str(self.folder)
        try:
            with self.assertRaises(self.speclens.ModelError) as caught:
                self.module.show(self.trace)
            self.assertIn("holds no page", caught.exception.what)
        finally:
            os.environ["SPECLENS_PAGE"] = str(self.folder / "page")
            self.module.page.cache_clear()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Browser:
    """Chromium without a screen, by way of chromedriver."""

    def __init__(self) -> None:
        port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}", "--silent"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}"
        shown = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader"]
        shown += ["--enable-unsafe-swiftshader", "--window-size=1400,1000", "--lang=en-US"]
        options = {"args": shown}
        until(lambda: self.ask("GET", "/status") is not None, 30)
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
        self.address += "/session/" + made["sessionId"]

    def ask(self, method: str, path: str, body: "Optional[dict[str, Any]]" = None) -> Any:
        data = json.dumps(body or {}).encode() if method == "POST" else None
        try:
            with urllib.request.urlopen(urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method), timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:600]}") from None
        except (urllib.error.URLError, ConnectionError):
            return None

    def close(self) -> None:
        self.ask("DELETE", "")
        self.driver.terminate()
        self.driver.wait()

    def open(self, address: str) -> None:
        self.ask("POST", "/url", {"url": address})

    def value(self, expression: str) -> Any:
        return self.ask("POST", "/execute/sync", {"script": f"return {expression}", "args": []})

    def promised(self, expression: str) -> Any:
        script = f"const done = arguments[0]; Promise.resolve({expression}).then(done, (why) => done('' + why))"
        return self.ask("POST", "/execute/async", {"script": script, "args": []})

    def becomes(self, expression: str, seconds: float = 60) -> None:
        until(lambda: self.value(expression), seconds, expression)

    def press(self, keys: str) -> None:
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def press_with_control(self, key: str) -> None:
        actions = [("keyDown", "\ue009"), ("keyDown", key), ("keyUp", key), ("keyUp", "\ue009")]
        told = [{"type": kind, "value": value} for kind, value in actions]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": told}]})

    def click(self, selector: str) -> None:
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        self.ask("POST", f"/element/{next(iter(found.values()))}/click")

    def keep(self, name: str) -> None:
        assert HERE
        (Path(HERE) / f"{name}.png").write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))


def until(what: "Callable[[], Any]", seconds: float, says: str = "") -> None:
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {says}")
        time.sleep(0.02)


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "id": f"c{i}", "metadata": {}, "execution_count": None, "outputs": [], "source": cell} for i, cell in enumerate(cells)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": made})


CELLS = (
    f"import speclens, speclens_widget\nmodel = speclens.open('tiny')\ntrace = model.run({PROMPT!r}, chat=True, drafter='small', k=4, temp=0.8, seed=9, max_tokens=24)\nprint(trace.hash)",
    "speclens_widget.show(trace)",
    "speclens_widget.show(trace, 'accept-rule')",
    f"speclens_widget.live(model, {PROMPT!r}, chat=True, drafter='small', k=4, temp=0.8, seed=9, max_tokens=24)",
)


@contextlib.contextmanager
def server(kind: str, folder: Path, kernels: bool = True) -> "Iterator[str]":
    port = free_port()
    app = {"lab": "LabApp", "notebook": "JupyterNotebookApp"}[kind]
    words = ["jupyter", kind, "--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token=", f"--{app}.expose_app_in_browser=True"]
    words += [f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0"]
    if not kernels:
        words += ["--KernelSpecManager.allowed_kernelspecs=none", "--KernelSpecManager.ensure_native_kernel=False"]
    with (folder / f"{kind}.log").open("a") as log:
        running = subprocess.Popen(words, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            return bool(urllib.request.urlopen(address + "/api").status == 200)
        return False

    try:
        until(answers, 60, "the server of " + kind)
        yield address + {"lab": "/lab/tree/", "notebook": "/notebooks/"}[kind]
    finally:
        running.terminate()
        running.wait()


def speclens_hash(lines: str) -> "Optional[str]":
    return next((one.get("hash") for one in map(json.loads, lines.splitlines()) if one["kind"] == "stop"), None)


def outputs(cell: int) -> str:
    return f"document.querySelectorAll('.jp-CodeCell')[{cell}].querySelector('.jp-OutputArea')"


@unittest.skipUnless(HERE, "SPECLENS_NOTEBOOKS is not set")
class Frontends(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        assert HERE
        cls.folder = Path(HERE)

    def run_cell(self, browser: Browser, cell: int) -> float:
        browser.value(f"(document.querySelectorAll('.jp-CodeCell')[{cell}].scrollIntoView(), 1)")
        begun = time.monotonic()
        browser.value(f"(jupyterapp.shell.currentWidget.content.activeCellIndex = {cell}, jupyterapp.commands.execute('notebook:run-cell'), 1)")
        return begun

    def frame(self, cell: int) -> str:
        return f"{outputs(cell)}.querySelector('iframe')"

    def shows(self, browser: Browser, cell: int) -> "tuple[float, float]":
        """Seconds to the picture and to the page's own frame."""
        begun = self.run_cell(browser, cell)
        browser.becomes(f"({outputs(cell)}?.querySelector('img')?.naturalWidth ?? 0) > 300")
        pictured = time.monotonic()
        browser.becomes(f"{self.frame(cell)}?.contentWindow.Module?.page?.began === true", 120)
        return pictured - begun, time.monotonic() - begun

    def words(self, browser: Browser, cell: int) -> str:
        return str(browser.value(f"{self.frame(cell)}.contentWindow.Module.page.words"))

    def play(self, kind: str) -> None:
        file = self.folder / f"{kind}.ipynb"
        file.write_text(notebook(*CELLS))
        browser = Browser()
        try:
            with server(kind, self.folder) as address:
                browser.open(address + file.name)
                browser.becomes("document.querySelectorAll('.jp-CodeCell').length === 4")
                browser.becomes("jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'")
                self.run_cell(browser, 0)
                browser.becomes(f"/^[0-9a-f]{{16}}/.test({outputs(0)}.textContent)")
                made = str(browser.value(f"{outputs(0)}.textContent")).strip()
                for cell in (1, 2, 3):
                    picture, live = self.shows(browser, cell)
                    print(f"{kind}, output {cell}: picture after {picture:.2f} s, frame after {live:.2f} s")
                    browser.becomes(f"{self.frame(cell)}.contentWindow.Module.page.words.length > 40")
                    browser.keep(f"{kind}-{cell}")
                self.assertIn("RECORDED", self.words(browser, 1))
                self.assertNotIn("RECORDED", self.words(browser, 3))
                for cell in (1, 2, 3):
                    with self.inside(browser, cell):
                        self.assertEqual(browser.value("[crossOriginIsolated, typeof PThread, location.href].join()"), "false,undefined,about:srcdoc")
                        self.assertEqual(browser.value("document.getElementById('cover').hidden"), True)
                        self.assertEqual(browser.value("navigator.serviceWorker?.controller ?? null"), None)
                        browser.click("canvas")
                        time.sleep(1)  # whatever it pressed
                        seen = str(browser.value("Module.page.words"))
                        browser.press("\ue014")  # right: Next
                        browser.becomes(f"Module.page.words !== {json.dumps(seen)}")
                with self.inside(browser, 3):  # the page's engine made the kernel's own run
                    for _ in range(60):  # a run that still goes on is saved as far as it is
                        browser.value("(Module.page.saved = null, 1)")
                        browser.press_with_control("s")
                        browser.becomes("Module.page.saved?.name.endsWith('.jsonl')")
                        lines = str(browser.value("Module.FS.readFile(Module.page.saved.path, { encoding: 'utf8' })"))
                        if speclens_hash(lines):
                            break
                    self.assertEqual(speclens_hash(lines), made)
                for cell in (1, 2, 3):  # the frame's picture took the place of the program's
                    browser.becomes(f"{outputs(cell)}.querySelector('img').naturalWidth !== 1280")
                    self.assertEqual(browser.value(f"{outputs(cell)}.querySelector('img').offsetParent"), None, "the frame stands in its place")
                with self.inside(browser, 1):  # what one frame likes is not another's
                    browser.press_with_control("=")
                    browser.becomes("Object.keys(Module.FS.lookupPath('/home/config/speclens').node.contents).includes('preferences.json')")
                self.assertEqual(browser.value("Object.keys(localStorage).filter((key) => key.startsWith('speclens:'))"), [])
                seen = [self.words(browser, cell) for cell in (1, 2, 3)]
                for cell in (1, 2, 3):
                    told = f"jupyterapp.shell.currentWidget.content.widgets[{cell}].model.outputs.get(0).data['text/plain']"
                    browser.becomes(f"{told} === {json.dumps(seen[cell - 1])}")
                browser.keep(f"{kind}-stepped")
                browser.promised("jupyterapp.commands.execute('docmanager:save')")
            held = json.loads(file.read_text())
            for cell, words in zip((1, 2, 3), seen):
                picture, frame = held["cells"][cell]["outputs"]
                self.assertEqual(base64.b64decode(picture["data"]["image/png"])[:4], b"\x89PNG")
                self.assertEqual("".join(picture["data"]["text/plain"]), words)
                self.assertIn("application/vnd.jupyter.widget-view+json", frame["data"])
        finally:
            browser.close()
        self.reopen(kind, file)

    @contextlib.contextmanager
    def inside(self, browser: Browser, cell: int) -> "Iterator[None]":
        browser.value(f"({self.frame(cell)}.scrollIntoView(), 1)")
        browser.ask("POST", "/frame", {"id": browser.value(self.frame(cell))})
        yield
        browser.ask("POST", "/frame", {"id": None})

    def reopen(self, kind: str, file: Path) -> None:
        """Without a kernel its last round is a picture."""
        browser = Browser()
        try:
            with server(kind, self.folder, kernels=False) as address:
                browser.open(address + file.name)
                browser.becomes("document.querySelectorAll('.jp-CodeCell').length === 4")
                for cell in (1, 2, 3):
                    browser.becomes(f"({outputs(cell)}?.querySelector('img')?.naturalWidth ?? 0) > 300")
                    self.assertNotEqual(browser.value(f"{outputs(cell)}.querySelector('img').offsetParent"), None)
                self.assertEqual(browser.value("document.querySelectorAll('.jp-OutputArea iframe').length"), 0)
                browser.keep(f"{kind}-reopened")
        finally:
            browser.close()

    def test_jupyterlab(self) -> None:
        self.play("lab")

    def test_notebook(self) -> None:
        self.play("notebook")

    def test_nbconvert(self) -> None:
        file = self.folder / "converted.ipynb"
        file.write_text(notebook(*CELLS))
        for form in ("notebook", "html"):
            done = subprocess.run(["jupyter", "nbconvert", "--execute", "--to", form, "--output", f"made-{form}", str(file)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        held = json.loads((self.folder / "made-notebook.ipynb").read_text())
        for cell in (1, 2, 3):
            picture, _ = held["cells"][cell]["outputs"]
            self.assertEqual(base64.b64decode(picture["data"]["image/png"])[:4], b"\x89PNG")
        self.assertEqual((self.folder / "made-html.html").read_text().count('src="data:image/png'), 3)
        states = held["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]["state"].values()
        self.assertEqual(sum("link" in one["state"] for one in states), 3)
        self.assertLess((self.folder / "made-notebook.ipynb").stat().st_size, 3_000_000, "the page is not in it")


if __name__ == "__main__":
    unittest.main()
