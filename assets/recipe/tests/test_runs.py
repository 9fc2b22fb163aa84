"""A run goes on with its own settings or not at all, its files are whole, and what was stopped is finished.  Needs PyTorch."""
import io
import json
import shutil
import sys
import tempfile
import unittest
from argparse import Namespace
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import numpy as np
import torch

import ablations
import average
import data
import distill
import eval as evaluation
import evaluate_drafter
import export
import gates
import grammar_knob
import manifest
import sample_target
import train
import train_drafter
from model import PRESETS, Qwen3
from runs import curve_to, same_run, write, write_text

RECIPE = Path(__file__).resolve().parents[1]
MODELS = RECIPE.parent / "models"
PROMPTS = RECIPE.parent / "prompts" / "heldout.jsonl"


def call(program, *arguments):
    """Runs a program's main() in this process and returns what it printed."""
    with mock.patch.object(sys, "argv", [program.__name__, *map(str, arguments)]), redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
        program.main()
    return out.getvalue()


def refusal(program, *arguments):
    """What a program says when it refuses."""
    with mock.patch.object(sys, "argv", [program.__name__, *map(str, arguments)]), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
        try:
            program.main()
        except SystemExit as stop:
            return f"{stop} {said.getvalue()}"
    raise AssertionError("not refused")


def setUpModule():
    """A target with random weights, and a little text of it."""
    global HOLDER, WORK, TARGET
    HOLDER = tempfile.TemporaryDirectory()
    WORK = Path(HOLDER.name)
    TARGET = WORK / "target"
    torch.manual_seed(1)
    model = Qwen3(PRESETS["tiny"])
    torch.save({"model": model.state_dict(), "config": model.config.to_dict(), "state": {"step": 0}}, WORK / "random.pt")
    with redirect_stdout(io.StringIO()):
        export.export(WORK / "random.pt", MODELS / "target", TARGET)
    call(sample_target, "--target", TARGET, "--work", WORK, "--tokens", 20000, "--shard-tokens", 10000, "--limit", 8, "--batch", 32, "--taps", 0, 1)


def tearDownModule():
    HOLDER.cleanup()


def head(*options, program=call, name="dflash"):
    return program(train_drafter, "--target", TARGET, "--work", WORK, "--method", "dflash", "--name", name, "--layers", 1, "--rows", 2, "--micro", 2,
                   "--log-every", 1, *options)


class Heads(unittest.TestCase):
    def test_a_run_goes_on_longer_but_not_with_other_settings(self):
        first = head("--steps", 2)
        self.assertIn('"step": 2', first)
        for options, said in (((*"--steps 2 --decay 4".split(),), "--decay 7.0 (now 4.0)"), (("--steps", 2, "--block", 8), "--block 16 (now 8)"),
                              (("--steps", 2, "--muon", 0.02, "--seed", 9), "--muon 0.01 (now 0.02), --seed 5 (now 9)"),
                              (("--steps", 2, "--dpace"), "--dpace False (now True)"), (("--steps", 2, "--layers", 3), "--layers 1 (now 3)"),
                              (("--steps", 2, "--init", WORK / "dflash" / "export"), "--init None (now ")):
            with self.subTest(options=options):
                refused = head(*options, program=refusal)
                self.assertIn(said, refused)
                self.assertIn("--name", refused)
        saved = torch.load(WORK / "dflash" / "latest.pt")
        self.assertEqual((saved["args"]["decay"], saved["args"]["block"], saved["state"]["step"]), (7.0, 16, 2))
        self.assertIn("nothing to do: 2 steps", head("--steps", 2))
        self.assertIn("resumed at {'step': 2", head("--steps", 3, "--threads", 1, "--minutes", 1))
        self.assertEqual(torch.load(WORK / "dflash" / "latest.pt")["state"]["step"], 3)

    def test_a_run_does_not_go_on_with_other_text(self):
        head("--steps", 1, name="other_text")
        moved = WORK / "samples" / "shard_001.npz"
        moved.rename(WORK / "away.npz")
        try:
            self.assertIn("text tokens", head("--steps", 2, program=refusal, name="other_text"))
        finally:
            (WORK / "away.npz").rename(moved)

    def test_a_run_without_products_in_bf16(self):
        self.assertIn('"done": "f32"', head("--steps", 1, "--no-autocast", name="f32"))

    def test_taps_are_those_that_were_stored(self):
        head("--steps", 1, name="taps")
        self.assertEqual(torch.load(WORK / "taps" / "latest.pt")["args"]["taps"], [0, 1])
        self.assertIn("--taps 9", head("--steps", 1, "--taps", 9, program=refusal, name="taps_9"))

    def test_a_start_of_another_shape_is_named(self):
        head("--steps", 1, name="narrow")
        self.assertIn("another shape", head("--steps", 1, "--layers", 2, "--init", WORK / "narrow" / "export", program=refusal, name="wide"))

    def test_states_that_are_missing_are_named(self):
        for name in ("best_001.npy", "features_001.npy"):
            with self.subTest(name=name):
                path = WORK / "samples" / name
                path.rename(WORK / "away.npy")
                try:
                    self.assertIn(f"{name} is missing", head("--steps", 1, program=refusal, name="missing"))
                finally:
                    (WORK / "away.npy").rename(path)

    def test_a_step_larger_than_every_shard_ends(self):
        self.assertIn("no shard fills 4096 rows", head("--steps", 1, "--rows", 4096, "--micro", 4096, program=refusal, name="large"))
        self.assertIn("no multiple", head("--steps", 1, "--rows", 2, "--micro", 4, program=refusal, name="few"))

    def test_switches_that_would_do_nothing_are_refused(self):
        head("--steps", 1, name="plain")
        asked = ("--target", TARGET, "--prompts", PROMPTS, "--size", 1)
        self.assertIn("Domino", refusal(evaluate_drafter, *asked, "--drafter", WORK / "plain" / "export", "--base-only"))
        call(train_drafter, "--target", TARGET, "--work", WORK, "--method", "eagle3", "--steps", 1, "--rows", 2, "--micro", 2, "--test-steps", 1, "--draft-vocab", 64)
        self.assertIn("--frequent", refusal(evaluate_drafter, *asked, "--drafter", WORK / "eagle3" / "export", "--frequent", MODELS / "frequent.json"))


class Targets(unittest.TestCase):
    def shards(self, folder, tokens=9000):
        tok = data.tokenizer_of(MODELS / "target")
        folder.mkdir()
        np.savez(folder / "shard_000.npz", **data.build_shard(tok, 1, 0, tokens))
        return folder

    def test_a_run_goes_on_longer_but_not_with_other_settings(self):
        work = self.shards(WORK / "train")
        tiny = ("--preset", "tiny", "--work", work, "--no-compile")
        call(train, *tiny, "--steps", 1)
        for options, said in ((("--init", TARGET), "--init None"), (("--rate", 0.6), "--rate 1.0 (now 0.6)"), (("--seed", 2), "--seed 1 (now 2)")):
            self.assertIn(said, refusal(train, *tiny, "--steps", 2, *options))
        self.assertIn("nothing to do", call(train, *tiny, "--steps", 1))
        self.assertIn("resumed at {'step': 1", call(train, *tiny, "--steps", 2))
        self.assertIn("started from", call(train, *tiny, "--steps", 1, "--init", TARGET, "--name", "again"))
        self.assertTrue((work / "again" / "final.pt").exists())

    def test_shards_that_are_missing_or_too_small_end_a_run(self):
        empty = WORK / "empty"
        empty.mkdir()
        self.assertIn("data.py", refusal(train, "--preset", "tiny", "--work", empty, "--no-compile", "--steps", 1))
        work = self.shards(WORK / "small_shard", 200)
        self.assertIn("large enough", refusal(train, "--preset", "tiny", "--work", work, "--no-compile", "--steps", 1))
        with self.assertRaisesRegex(SystemExit, "large enough"):
            next(distill.endless(sorted(work.glob("*.npz")), np.random.default_rng(1), work))

    def test_a_bundle_of_another_size_is_distilled_and_described(self):
        work = self.shards(WORK / "m")
        (work / "small-m").mkdir()
        models = work / "models"
        shutil.copytree(TARGET, models / "target")
        shutil.copytree(TARGET, models / "small")
        shutil.copytree(WORK / "samples", work / "samples")
        model = Qwen3(PRESETS["small-m"])
        torch.save({"model": model.state_dict(), "config": model.config.to_dict(), "state": {"step": 5, "tokens": 6, "seconds": 7.0},
                    "args": {"seed": 12}}, work / "small-m" / "final.pt")
        (work / "small-m" / "curve.jsonl").write_text(json.dumps({"step": 5, "tokens": 6, "answer_loss": 1.5, "rate": 0.5}) + "\n")
        with redirect_stdout(io.StringIO()):
            distill.train(Namespace(target=TARGET, work=work, preset="small-m", minutes=1, steps=1, seed=1, device="cpu", compile=False))
        shutil.copytree(work / "small-m", work / "target-m")
        call(manifest, "--models", models, "--work", work, "--machine", "here", "--bundle", "M")
        written = json.loads((models / "MANIFEST.json").read_text())
        self.assertEqual((written["bundle"], written["small"]["distillation steps"], written["small"]["seed"]), ("M", 1, 12))
        self.assertEqual(written["target"]["curve step/tokens/answer loss"], [[5, 6, 1.5]])
        self.assertIn("Muon 0.01 ", written["target"]["optimiser"])
        with self.assertRaisesRegex(SystemExit, "train.py --preset small"):
            distill.train(Namespace(target=TARGET, work=work, preset="small", device="cpu"))

    def test_a_manifest_without_a_small_model_is_written(self):
        work, models = WORK / "alone", WORK / "alone" / "models"
        shutil.copytree(TARGET, models / "target")
        (work / "target").mkdir()
        shutil.copy(WORK / "random.pt", work / "target" / "final.pt")
        saved = torch.load(work / "target" / "final.pt")
        trained = {"step": 1, "tokens": 2, "seconds": 60.0}
        torch.save({**saved, "state": {**trained, "averaged": [{"step": 0, "tokens": 0, "seconds": 0.0, "exported": "abc"}, trained]}},
                   work / "target" / "final.pt")
        call(manifest, "--models", models, "--work", work, "--machine", "here")
        written = json.loads((models / "MANIFEST.json").read_text())
        self.assertNotIn("small", written)
        self.assertEqual(written["target"]["mean of the weights of"],
                         [{"exported": "abc"}, {"steps": 1, "tokens": 2, "minutes": 1.0, "after": {}}])


class Words(unittest.TestCase):
    def test_what_was_typed_wrong_is_said(self):
        with redirect_stderr(io.StringIO()):
            for text in ("8", "8:4", ":", "a:b", "4:4"):
                with self.assertRaises(data.argparse.ArgumentTypeError):
                    data.span(text)
        self.assertEqual(data.span("0:8"), (0, 8))
        with self.assertRaisesRegex(SystemExit, "nowhere/tokenizer.json is missing"):
            data.tokenizer_of(Path("nowhere"))
        self.assertIn("at least one", refusal(evaluation, "--model", TARGET, "--size", 0))
        self.assertIn("layers 0 to 1", refusal(sample_target, "--target", TARGET, "--work", WORK / "x", "--taps", 1, 5, 9))


class Files(unittest.TestCase):
    def test_a_file_that_cannot_be_finished_leaves_the_old_one(self):
        path = WORK / "kept.txt"
        write_text(path, "old")

        def half(part):
            part.write_text("ne")
            raise OSError("no space left")
        with self.assertRaises(OSError):
            write(path, half)
        self.assertEqual(path.read_text(), "old")
        self.assertEqual([p.name for p in WORK.glob("part_*")], [])

    def test_the_programs_write_that_way(self):
        state = {"step": 1}
        tiny = Qwen3(PRESETS["tiny"])
        torch.save({"model": tiny.state_dict(), "config": tiny.config.to_dict(), "state": state}, WORK / "one.pt")
        mean = WORK / "mean.pt"
        mean.write_text("old")

        def full(content, path):
            Path(path).write_text("half")
            raise OSError("no space left")
        with mock.patch.object(torch, "save", full), self.assertRaises(OSError):
            call(average, "--out", mean, WORK / "one.pt", WORK / "one.pt")
        self.assertEqual(mean.read_text(), "old")

    def test_weights_come_last(self):
        """Whoever takes model.safetensors for a finished folder is right."""
        out = WORK / "unfinished"
        with mock.patch.object(export.shutil, "copyfile", side_effect=OSError), self.assertRaises(OSError):
            export.export(WORK / "random.pt", MODELS / "target", out)
        self.assertFalse((out / "model.safetensors").exists())

    def test_a_curve_never_runs_backwards(self):
        path = WORK / "curve.jsonl"
        path.write_text("".join(json.dumps({"step": s}) + "\n" for s in (20, 40, 60)) + '{"step": 8')
        with curve_to(path, 40) as curve:
            curve.write('{"step": 60}\n')
        self.assertEqual([json.loads(line)["step"] for line in path.read_text().splitlines()], [20, 40, 60])
        curve_to(path, 0).close()
        self.assertEqual(path.read_text(), "")

    def test_a_run_that_was_killed_continues_its_curve(self):
        head("--steps", 2, name="killed")
        folder = WORK / "killed"
        with open(folder / "curve.jsonl", "a") as curve:           # two more steps, and then the end before a checkpoint
            curve.write('{"step": 3}\n{"step": 4}\n')
        head("--steps", 3, name="killed")
        self.assertEqual([json.loads(line)["step"] for line in (folder / "curve.jsonl").read_text().splitlines()], [1, 2, 3])

    def test_older_checkpoints_are_compared_in_what_they_know(self):
        same_run({}, {"decay": 4}, "W", "--name")
        same_run({"init": "a/../b"}, {"init": str(Path("b").resolve())}, "W", "--name")
        with self.assertRaises(SystemExit):
            same_run({"decay": 7}, {"decay": 4}, "W", "--name")


class Studies(unittest.TestCase):
    ARGS = dict(target=None, prompts=PROMPTS, device="cpu", tokenizer=MODELS / "target")

    def test_the_grammar_knob_finishes_what_was_stopped_while_sampling(self):
        work = WORK / "knob"
        (work / "samples").mkdir(parents=True)                        # begun, then stopped
        shutil.copytree(TARGET, work / "target")
        called = []
        with mock.patch.object(grammar_knob, "execute", lambda script, *rest: called.append(script)):
            grammar_knob.target(Namespace(**self.ARGS, sample_tokens=1000), work, True)
        self.assertEqual(called, ["sample_target.py"])

    def test_other_settings_have_other_folders(self):
        base = dict(**self.ARGS, work=WORK, shard_tokens=1, target_steps=2, sample_tokens=3)
        folders = {grammar_knob.folder_of(Namespace(**{**base, **change}), "modes") for change in
                   ({}, {"shard_tokens": 5}, {"target_steps": 5}, {"sample_tokens": 5}, {"tokenizer": TARGET})}
        self.assertEqual(len(folders), 4)                             # the tokenizer is the same file

        names = []

        def execute(script, *rest):
            rest = list(map(str, rest))
            if script == "train_drafter.py":
                names.append(rest[rest.index("--name") + 1])
                folder = WORK / names[-1]
                (folder / "export").mkdir(parents=True)
                (folder / "export" / "model.safetensors").write_text("")
                (folder / "curve.jsonl").write_text("")
                torch.save({"state": {"step": 7}}, folder / "latest.pt")
            else:
                names.append(Path(rest[rest.index("--json") + 1]).name)
                Path(rest[rest.index("--json") + 1]).write_text(json.dumps({"runs": [{"temperature": 0, "all": {}, "per_prompt": {"facts": [[8, 2]]}}]}))

        args = Namespace(**{**self.ARGS, "target": TARGET}, work=WORK, steps=2, size=1)
        with mock.patch.object(ablations, "execute", execute):
            run = ablations.arm(args, "dflash", ["--decay", "4"], [15], 11)
            self.assertEqual(len(names), 2)
            ablations.arm(args, "dflash", ["--decay", "4"], [15], 11)
            self.assertEqual(len(names), 2, "finished: not repeated")
            args.size = 2
            ablations.arm(args, "dflash", ["--decay", "4"], [15], 11)
            self.assertEqual(len(set(names)), 3, "other prompts: evaluated again")
            args.target = MODELS / "target"
            ablations.arm(args, "dflash", ["--decay", "4"], [15], 11)
            self.assertEqual(len(set(names)), 4, "another target: trained again")
        self.assertEqual(run["steps"], 7, "of the checkpoint, not of the command")
        self.assertEqual(run["served"]["drafts 15"][0]["per_prompt"], {"facts": [[8, 2]]})

    def test_a_rehearsal_starts_from_nothing(self):
        used = WORK / "used"
        used.mkdir()
        (used / "something").write_text("")
        done = ablations.subprocess.run(["sh", "rehearse.sh", str(TARGET), str(used)], cwd=RECIPE, capture_output=True, text=True, env={"PYTHON": "false", "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("not empty", done.stderr)


class Gates(unittest.TestCase):
    def setUp(self):
        self.models, self.out = WORK / "gated", WORK / "gated" / "gates.json"
        shutil.rmtree(self.models, ignore_errors=True)
        shutil.copytree(TARGET, self.models / "target")
        shutil.copytree(TARGET, self.models / "small")                # a drafter as good as its target
        head("--steps", 1, name="gated_dflash")
        shutil.copytree(WORK / "gated_dflash" / "export", self.models / "dflash")

    def gates(self, program=call, size=1):
        return program(gates, "--models", self.models, "--prompts", PROMPTS, "--size", size, "--limit", 3, "--out", self.out)

    def test_what_is_finished_outlives_a_stop(self):
        self.gates()
        whole = json.loads(self.out.read_text())
        self.assertIn("small 4 T=0.7", whole["runs"])
        self.assertTrue(whole["runs"]["small 4 T=0.7, likeliest drafts"]["likeliest"])
        config = self.models / "dflash" / "config.json"
        config.write_text(config.read_text() + " ")                   # dflash has to be judged again, and is stopped
        with mock.patch.object(gates, "evaluate", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.gates()
        self.assertEqual(json.loads(self.out.read_text()), whole)
        done, real = [], gates.evaluate

        def once(*arguments, **more):
            if done:
                raise KeyboardInterrupt
            done.append(1)
            return real(*arguments, **more)
        with mock.patch.object(gates, "evaluate", once), self.assertRaises(KeyboardInterrupt):
            self.gates()
        stopped = json.loads(self.out.read_text())
        self.assertEqual({k: v for k, v in stopped["runs"].items() if k.startswith("small")}, {k: v for k, v in whole["runs"].items() if k.startswith("small")})
        self.assertIn("dflash 15 T=0.0", stopped["runs"])
        self.assertNotIn("dflash 7 T=0.0", stopped["runs"], "of the config before")
        self.assertTrue(manifest.gates(self.out))
        self.assertIn("dflash 7 T=0.0", self.gates())
        self.assertEqual({**json.loads(self.out.read_text())["runs"]}.keys(), whole["runs"].keys())
        self.assertNotIn("tokens_per_round", self.gates(), "nothing is judged twice")
        self.assertIn("--size 1", self.gates(refusal, size=2))

    def test_open_text_is_judged_on_likeliest_drafts(self):
        rates = {"json": 7.0, "facts": 5.0, "code": 5.5, "math": 6.0, "chat": 3.4}
        run = {"domains": {d: {"tokens_per_round": [v, v, v]} for d, v in rates.items()}, "per_prompt": {d: [[16, 2]] for d in rates}}
        runs = {f"{name} 7 {group}": run for name in ("dflash", "domino", "eagle3") for group in gates.GROUPS}
        verdicts = {group: gates.judge(runs, group)["G5"] for group in gates.GROUPS}
        self.assertEqual([v["pass"] for v in verdicts.values()], [True, None, True])
        self.assertEqual([v["eagle3 7"]["chat"] for v in verdicts.values()], [3.4] * 3)
        run["domains"]["chat"]["tokens_per_round"][0] = 3.6                   # more than half of JSON
        self.assertEqual([gates.judge(runs, group)["G5"]["pass"] for group in gates.GROUPS], [False, None, False])

    def test_the_shipped_results_are_still_known(self):
        stored = json.loads((MODELS / "drafter_gates.json").read_text())
        wanted = gates.listed(MODELS, [("facts", [1])], [("chat", [2])])
        held = [key for key, (*_, needs) in wanted.items() if key in stored["runs"] and gates.holds(stored["runs"][key], needs)]
        self.assertEqual(len(held), 30)                               # all but those of the chat prompts, which are different ones now

    def test_prompts_are_different_ones(self):
        tok = data.tokenizer_of(MODELS / "target")
        ids = [tuple(i) for _, i in gates.chat_prompts(tok, 200)]
        self.assertEqual(len(set(ids)), 200)
        self.assertEqual(len({evaluation.prompt_of(d) for d in evaluation.test_documents("chat", 200)}), 200)
        for group, count in zip(evaluation.easy_sums(200), (200, 61)):
            self.assertEqual((len(group), len(set(group))), (count, count))
            self.assertTrue(all(pair in evaluation.written_sums().p for pair in group))


if __name__ == "__main__":
    unittest.main()
