"""The Python module, with nothing but Python: pandas and pyarrow are tried where they are installed."""

import contextlib
import gc
import importlib.util
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock
from html.parser import HTMLParser
from pathlib import Path

import speclens

PROGRAM = os.environ["SPECLENS_PROGRAM"]
PROMPT = "Write a short poem about the moon."
ASKED = {"chat": True, "drafter": "small", "k": 4, "temp": 0.8, "seed": 9, "max_tokens": 24}
ENDLESS = 100_000_000


def program(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


def python(script: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)


def children() -> "set[int]":
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = speclens.open("tiny", threads=1)
        cls.trace = cls.model.run(PROMPT, **ASKED)

    def test_are_the_programs(self) -> None:
        words = [word for name, value in ASKED.items() for word in ("--" + name.replace("_", "-"), str(value)) if word != "True"]
        lines = program("run", "--prompt", PROMPT, *words, "--json", "-").stdout
        self.assertEqual(self.trace.hash, speclens.Trace(lines).hash)
        self.assertEqual(self.trace.text, speclens.Trace(lines).text)
        self.assertEqual(program("run", "--prompt", PROMPT, *words, "--text").stdout.rstrip("\n"), self.trace.text)
        self.assertEqual(speclens.version(), program("--version").stdout.split()[1])

    def test_have_rounds(self) -> None:
        self.assertGreater(len(self.trace), 2)
        self.assertEqual([one.number for one in self.trace], list(range(1, len(self.trace) + 1)))
        self.assertEqual(len(self.trace.tokens), 24)
        for one in self.trace:
            kept = [d for d in one.drafts if d.verdict == "accepted"]
            self.assertEqual(len(kept), one.accepted)
            self.assertEqual(tuple(d.id for d in kept), one.tokens[: one.accepted])
            for d in one.drafts:
                self.assertTrue(0 < d.q <= 1)
                self.assertEqual(d.verdict == "dropped", d.p is None)
                if d.p is not None:
                    self.assertAlmostEqual(d.threshold, min(1.0, d.p / d.q), places=9)
                    self.assertEqual(d.verdict == "accepted", d.coin < d.threshold)
            rejected = any(d.verdict == "rejected" for d in one.drafts)
            if one.own:
                self.assertEqual(one.own.source, "recovered" if rejected else "bonus" if one.drafts else "plain")
                self.assertEqual(one.own.id, one.tokens[-1])
            self.assertIn(f"round {one.number}: {len(one.drafts)} drafted", str(one))
        verdicts = {d.verdict for one in self.trace for d in one.drafts}
        self.assertEqual(verdicts, {"accepted", "rejected", "dropped"}, "so that all of it was looked at")

    def test_are_columns(self) -> None:
        columns = self.trace.columns()
        self.assertEqual(list(columns), ["round", "place", "token", "p", "q", "coin", "verdict", "source", "ms", "id"])
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        self.assertEqual(len(rows), sum(len(one.drafts) + bool(one.own) for one in self.trace))
        written = [row["id"] for row in rows if row["verdict"] == "accepted" or row["source"] != "draft"]
        self.assertEqual(written, self.trace.tokens)
        self.assertAlmostEqual(sum(columns["ms"]), sum(one.ms for one in self.trace))
        self.assertGreater(sum(columns["ms"]), 0)

    def test_of_trees(self) -> None:
        trace = self.model.run(PROMPT, chat=True, drafter="small_tree", seed=3, max_tokens=24)
        for one in trace:
            for d in one.drafts:
                self.assertEqual(d.place, 1 if d.parent < 0 else one.drafts[d.parent].place + 1)
            kept = [d for d in one.drafts if d.verdict == "accepted"]
            self.assertEqual([d.id for d in kept], list(one.tokens[: one.accepted]))
        self.assertEqual(len(trace.tokens), 24)

    def test_of_every_drafter(self) -> None:
        for drafter in ("none", "lookup", "eagle3", "dflash", "domino", "medusa", "mtp", "eagle3_tree"):
            trace = self.model.run(PROMPT, chat=True, drafter=drafter, seed=3, max_tokens=16)
            self.assertEqual(trace.header["drafter"], drafter)
            self.assertEqual(len(trace.tokens), 16, drafter)
        self.assertEqual({one.own.source for one in self.model.run(PROMPT, drafter="none", max_tokens=4)}, {"plain"})

    def test_are_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a b.jsonl"
            self.trace.save(file)
            self.assertEqual([one.name for one in Path(folder).iterdir()], ["a b.jsonl"])
            self.assertEqual(list(speclens.load(file)), list(self.trace))
            exported = program("export", "jsonl", str(file), "-o", str(Path(folder) / "again.jsonl"))
            self.assertEqual(exported.returncode, 0, exported.stderr)
            self.assertEqual(speclens.load(Path(folder) / "again.jsonl").hash, self.trace.hash)
            with self.assertRaises(OSError):
                self.trace.save(Path(folder) / "none" / "x.jsonl")
            for text, says in (("", "no trace"), ("{", "line 1"), ('{"kind": "header", "schema": "speclens-trace/2"}', "trace/2")):
                file.write_text(text)
                with self.assertRaises(speclens.ModelError) as caught:
                    speclens.load(file)
                self.assertIn(says, str(caught.exception))
            file.write_bytes(b"\xff\xfe")
            with self.assertRaises(speclens.ModelError):
                speclens.load(file)

    def test_outlive_the_model(self) -> None:
        model = speclens.open("tiny")
        before = children()
        trace = model.run(PROMPT, **ASKED)
        del model
        gc.collect()
        self.assertLess(len(children()), len(before), "its process has ended")
        self.assertEqual(trace.hash, self.trace.hash)
        self.assertEqual(trace.columns()["id"], self.trace.columns()["id"])
        self.assertEqual(pickle.loads(pickle.dumps(trace)).text, trace.text)

    def test_end_with_their_text(self) -> None:
        trace = self.model.run("The capital of France is", drafter="small", temp=0, max_tokens=24)
        self.assertEqual(trace.stopped, "end of text", trace.text)
        self.assertEqual(program("run", "--prompt", "The capital of France is", "--temp", "0", "--max-tokens", "24", "--text").stdout, trace.text + "\n")
        self.assertAlmostEqual(sum(trace.columns()["ms"]), sum(one.ms for one in trace), msg="the last round has no token of the target's own")

    def test_of_chats_and_options(self) -> None:
        trace = self.model.run("What is the capital of Japan?", chat=True, drafter="eagle3", k=3, rule="token", top_k=5, max_tokens=8)
        self.assertEqual(trace.header["sampling"]["top_k"], 5)
        self.assertEqual(trace.header["k"], 3)
        self.assertEqual(self.model.run("@nobody", max_tokens=2).header["prompt_text"], "@nobody")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_are_data_frames(self) -> None:
        frame = self.trace.to_pandas()
        self.assertEqual(list(frame.columns), list(self.trace.columns()))
        self.assertEqual(frame.attrs["hash"], self.trace.hash)
        self.assertEqual((frame.verdict == "accepted").sum(), sum(one.accepted for one in self.trace))
        self.assertIn("drafter", self.model.compare(PROMPT, drafters="small", max_tokens=4).to_pandas().columns)

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_are_arrow_tables(self) -> None:
        table = self.trace.to_arrow()
        self.assertEqual(table.column_names, list(self.trace.columns()))
        self.assertEqual(table.schema.metadata[b"speclens.hash"].decode(), self.trace.hash)


class Shown(HTMLParser):
    """What stands in HTML: its elements, their attributes, and text; an end without its beginning is a failure."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: "list[tuple[str, dict[str, str]]]" = []
        self.codes: "list[str]" = []
        self.text, self.open = "", []
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attributes: "list[tuple[str, str | None]]") -> None:
        self.elements.append((tag, {name: value or "" for name, value in attributes}))
        if tag not in ("input",):
            self.open.append(tag)
        if tag == "code":
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "code":
            self.codes[-1] += data
        if not self.open or self.open[-1] != "style":
            self.text += data


class Notebooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.trace = speclens.open("tiny", threads=1).run(PROMPT, **ASKED)

    def test_show_every_round(self) -> None:
        shown = Shown(self.trace._repr_html_())
        names = [what for tag, what in shown.elements if tag == "input"]
        self.assertEqual(len(names), len(self.trace))
        self.assertEqual(sum("checked" in what for what in names), 1)
        tokens = [text for one in self.trace for text in [*(d.token for d in one.drafts), *([one.own.token] if one.own else [])]]
        self.assertEqual(shown.codes, [text.replace(" ", "␣").replace("\n", "⏎") for text in tokens])
        titles = [what["title"] for tag, what in shown.elements if "title" in what]
        for one in self.trace:
            self.assertIn(f"round {one.number}: {len(one.drafts)} drafted, {one.accepted} accepted", shown.text)
            for d in one.drafts:
                self.assertIn(f"draft {d.q:.4g}", titles)
                if d.p is not None:
                    self.assertIn(f"target {d.p:.4g}", titles)
                    self.assertIn(f"coin {d.coin:.3f}, limit {d.threshold:.3f}", titles)
        self.assertIn(f"{len(self.trace.tokens)} tokens in {len(self.trace)} rounds, {self.trace.tokens_per_round:.2f} a round", shown.text)
        self.assertFalse([what for tag, what in shown.elements if tag in ("script", "link", "img")], "nothing that is fetched or runs")
        other = {what["name"] for tag, what in Shown(self.trace._repr_html_()).elements if tag == "input"}
        self.assertNotIn(names[0]["name"], other, "two outputs in one notebook do not choose each other's round")

    def test_show_tokens_as_text(self) -> None:
        lines = self.trace._lines.replace('"drafter":"small"', '"drafter":"<b>&\\"x"', 1)
        self.assertIn('<b>&"x on ', Shown(speclens.Trace(lines)._repr_html_()).text)

    def test_show_long_runs_in_part(self) -> None:
        with unittest.mock.patch("speclens._notebook.MOST_ROUNDS", 2):
            shown = Shown(self.trace._repr_html_())
        self.assertEqual(sum(tag == "section" for tag, _ in shown.elements), 2)
        self.assertIn(f"the first 2 of {len(self.trace)} rounds", shown.text)

    def test_draw_what_the_program_draws(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run, frame, page = Path(folder) / "run.jsonl", Path(folder) / "x.png", Path(folder) / "x.html"
            self.trace.save(run)
            for made, words in ((frame, ("loop",)), (page, ("loop", "--frames", "1:2"))):
                done = program("render", words[0], str(run), *words[1:], "--size", "1280x720", "--theme", "light", "-o", str(made))
                self.assertEqual(done.returncode, 0, done.stderr)
            picture = self.trace.draw("loop", theme="light")
            self.assertEqual(picture._repr_png_(), frame.read_bytes())
            shown = self.trace.show("loop", theme="light", frames="1:2")
            self.assertEqual(shown.html, page.read_text())
            ((tag, iframe),) = Shown(shown._repr_html_()).elements
            self.assertEqual((tag, iframe["srcdoc"], iframe["sandbox"]), ("iframe", shown.html, "allow-scripts"))
            picture.save(Path(folder) / "kept.png")
            shown.save(Path(folder) / "kept.html")
            self.assertEqual((Path(folder) / "kept.png").read_bytes(), frame.read_bytes())
            self.assertEqual((Path(folder) / "kept.html").read_text(), page.read_text())

    def test_say_what_cannot_be_drawn(self) -> None:
        for scene, options, says in (("nowhere", {}, "nowhere"), ("loop", {"gamma": 3}, "--gamma"), ("race", {}, "one lane")):
            with self.assertRaises(speclens.UsageError) as caught:
                self.trace.draw(scene, **options)
            self.assertIn(says, caught.exception.what)
            self.assertTrue(caught.exception.remedy)
        with unittest.mock.patch.dict(os.environ, {"SPECLENS_PROGRAM": "/no/speclens"}):
            with self.assertRaises(speclens.ModelError) as caught:
                self.trace.draw()
            self.assertIn("/no/speclens", str(caught.exception))

    def test_of_the_documents_run(self) -> None:
        notebook = json.loads((Path(__file__).parents[2] / "docs" / "notebooks" / "lesson.ipynb").read_text())
        said = io.StringIO()
        place: "dict[str, object]" = {}
        with contextlib.redirect_stdout(said):
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code" and "trace.show" not in "".join(cell["source"]):
                    exec("".join(cell["source"]), place)
        self.assertIn("rounds for", said.getvalue())
        self.assertIn("bonus → differs", said.getvalue())


class Measures(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.model = speclens.open("tiny")

    def test_compare(self) -> None:
        result = self.model.compare(PROMPT, drafters=["small", "lookup"], k=(2, 4), temp=0, max_tokens=12, repeats=1)
        self.assertEqual(result["schema"], "speclens-compare/2")
        self.assertEqual([row["drafter"] for row in result.rows], ["none", "small", "small", "lookup", "lookup"])
        self.assertTrue(all(row["same_text"] for row in result.rows))
        self.assertTrue(result.ok)
        self.assertEqual(len(result.columns()["tokens_per_round"]), 5)

    def test_sweep(self) -> None:
        result = self.model.sweep(drafters="lookup", concurrency=[1, 2], seconds=1, max_tokens=8)
        self.assertEqual({row["concurrency"] for row in result.rows}, {1, 2})

    def test_advise(self) -> None:
        result = self.model.advise(drafters="lookup", k=2, seconds=1, max_tokens=8)
        self.assertTrue(result["sentence"])
        self.assertEqual(result.ok, result["verdict"] != "none")

    def test_lossless(self) -> None:
        self.assertEqual([row["drafter"] for row in self.model.lossless(200, prompt="The", drafter="small", rule="token", max_tokens=3, k=1).rows], ["small"])
        result = speclens.lossless(20000, mistake="bonus")
        self.assertFalse(result.ok)
        self.assertEqual(result["verdict"], "differs")
        self.assertEqual([row["verdict"] for row in result.rows], ["ok", "differs"])


    def test_same(self) -> None:
        serve = f"{PROGRAM} serve --model tiny --drafter small --k {{k}} --threads 1 --port {{port}}"
        result = speclens.same(command=serve, k=[0, 2], prompt="The capital of France is", max_tokens=8)
        self.assertEqual((result["verdict"], result.ok), ("same", True), result["sentence"])
        self.assertEqual((result["groups"], len(result.rows)), ([[0, 1]], 1))
        with self.assertRaises(speclens.NetworkError):
            speclens.same("http://127.0.0.1:1", "http://127.0.0.1:2", prompt="Hi")
        with self.assertRaises(speclens.UsageError):  # one server is held against itself anyway
            speclens.same("http://127.0.0.1:1", "http://127.0.0.1:1", prompt="Hi")
        with self.assertRaises(speclens.UsageError):
            speclens.same()


class Behaves(unittest.TestCase):
    def test_errors_have_kinds(self) -> None:
        with speclens.open("tiny") as model:
            for options, says in (({"gamma": 3}, "--k"), ({"drafter": "smal"}, "small"), ({"json": "x"}, "json"), ({"threads": 2}, "threads"), ({"k": True}, "k is")):
                with self.assertRaises(speclens.UsageError) as caught:
                    model.run(PROMPT, **options)
                self.assertIn(says, str(caught.exception))
                self.assertTrue(caught.exception.remedy)
                self.assertIsInstance(caught.exception, ValueError)
            with self.assertRaises(TypeError):
                model.run(PROMPT, k=object())
            with self.assertRaises(TypeError):
                pickle.dumps(model)
        with self.assertRaises(speclens.UsageError) as caught:
            model.run(PROMPT)
        self.assertIn("closed", str(caught.exception))
        self.assertIn("closed", repr(model))
        with self.assertRaises(speclens.ModelError) as caught:
            speclens.open("/no/such/model")
        self.assertIn("/no/such/model", str(caught.exception))
        self.assertIsInstance(pickle.loads(pickle.dumps(caught.exception)), speclens.ModelError)
        with self.assertRaises(speclens.UsageError):
            speclens.open("tiny", k=3)

    def test_a_missing_library_says_so(self) -> None:
        done = python("import os, speclens; os.environ['SPECLENS_LIBRARY'] = '/no/lib.so'\ntry: speclens.version()\nexcept speclens.ModelError as e: print(e)")
        self.assertIn("/no/lib.so", done.stdout, done.stderr)

    def test_threads_share_a_model(self) -> None:
        found: "list[object]" = []
        with speclens.open("tiny") as model:
            expected = model.run(PROMPT, **ASKED).hash
            threads = [threading.Thread(target=lambda: found.append(model.run(PROMPT, **ASKED).hash)) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(found, [expected] * 6)

    def test_closing_while_others_call(self) -> None:
        model, found = speclens.open("tiny"), []

        def call() -> None:
            try:
                found.append(model.run(PROMPT, **ASKED).hash)
            except speclens.UsageError as error:
                found.append(str(error))

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        model.close()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        with speclens.open("tiny") as other:
            expected = other.run(PROMPT, **ASKED).hash
        for one in found:
            self.assertTrue(one == expected or "closed" in one, one)

    def test_a_forked_child_is_refused(self) -> None:
        model = speclens.open("tiny")
        child = os.fork()
        if child == 0:
            try:
                model.run(PROMPT)
            except speclens.ForkedError:
                model.close()
                os._exit(0)
            finally:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(model.run(PROMPT, max_tokens=4).hash, "the parent goes on")

    def test_an_interrupt_ends_a_call_soon(self) -> None:
        taken = []
        with speclens.open("tiny") as model:
            for _ in range(5):
                sent = []

                def interrupt() -> None:
                    time.sleep(0.2)
                    sent.append(time.monotonic())
                    os.kill(os.getpid(), signal.SIGINT)

                thread = threading.Thread(target=interrupt)
                thread.start()
                with self.assertRaises(KeyboardInterrupt):
                    model.lossless(ENDLESS)
                taken.append(time.monotonic() - sent[0])
                thread.join()
            self.assertLess(min(taken), 0.5, taken)  # the least: other programs may hold the cores
            self.assertTrue(model.run(PROMPT, max_tokens=4).hash, "the model goes on")

    def test_progress_is_told_and_may_end_a_call(self) -> None:
        seen = []

        def progress(now: speclens.Progress) -> None:
            seen.append(now)
            if now.total:
                raise RuntimeError("enough")

        with speclens.open("tiny") as model:
            with self.assertRaisesRegex(RuntimeError, "enough"):
                model.lossless(ENDLESS, progress=progress)
            self.assertEqual(seen[-1].unit, "texts")
            self.assertTrue(model.run(PROMPT, max_tokens=4).hash)

    def test_an_engine_that_is_killed_is_an_error(self) -> None:
        before = children()
        model = speclens.open("tiny")
        (engine,) = children() - before
        os.kill(engine, signal.SIGKILL)
        for _ in range(2):
            with self.assertRaises(speclens.EndedError):
                model.run(PROMPT)
        self.assertTrue(speclens.open("tiny").run(PROMPT, max_tokens=4).hash)

    def test_nothing_is_written(self) -> None:
        done = python(
            """
            import speclens
            with speclens.open("tiny") as model:
                trace = model.run("The", drafter="medusa", k=60, max_tokens=8)
                assert "60" in trace.notices[0], trace.notices
                model.compare("One", drafters="small", max_tokens=4, repeats=1)
                model.lossless(100, prompt="The", drafter="small", rule="token", max_tokens=3, k=1)
                for options in ({"gamma": 3}, {"drafter": "smal"}):
                    try: model.run("The", **options)
                    except speclens.UsageError: pass
            kept = speclens.open("tiny") # ends with the process
            """
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_the_first_lines_of_the_documents(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            trace = speclens.open("tiny").run("The capital of France is", drafter="small", seed=9)
            print(trace[0])
        self.assertIn("round 1:", said.getvalue())


if __name__ == "__main__":
    unittest.main()
