"""What is noted about a study belongs to that study alone."""
import json
import tempfile
import unittest
from pathlib import Path

from ablations import record, tell


class Notes(unittest.TestCase):
    def test_a_study_that_is_repeated_leaves_the_others_where_and_when_they_were(self):
        results = {"about": {"modes": {"machine": "an older machine", "date": "2026-01-02"}}}
        tell(results, "domino", "two cores")
        self.assertEqual(results["about"]["modes"], {"machine": "an older machine", "date": "2026-01-02"})
        self.assertEqual(results["about"]["domino"]["machine"], "two cores")
        self.assertRegex(results["about"]["domino"]["date"], r"^\d{4}-\d\d-\d\d$")

    def test_a_record_keeps_curve_and_served_runs_without_what_depends_on_the_machine(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            row = {"step": 20, "positions": 100, "seconds": 3.5, "loss": 2.0, "norm": 1.0, "per_cpu_second": 99}
            (folder / "curve.jsonl").write_text(json.dumps(row) + "\n")
            served = folder / "eval.json"
            served.write_text(json.dumps({"runs": [{"temperature": 0.0, "all": {"rounds": 5}, "facts": {}}]}))
            run = record(folder, "dflash", ["--decay", "4"], 11, 20, {"drafts 15": served})
        self.assertEqual(run["curve"], [{"step": 20, "positions": 100, "seconds": 3.5, "loss": 2.0}])
        self.assertEqual(run["served"], {"drafts 15": [{"temperature": 0.0, "all": {"rounds": 5}}]})
        self.assertEqual((run["method"], run["seed"], run["steps"]), ("dflash", 11, 20))


if __name__ == "__main__":
    unittest.main()
