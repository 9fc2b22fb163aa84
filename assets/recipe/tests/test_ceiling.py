"""The ideal drafters: a causal one gains on a text with crossed modes, and nothing where there are none."""
import unittest

from ceiling import Answer, causal, parallel, rounds
from tests.test_train import TOKENIZER
from tokenizers import Tokenizer

TAILS = [["In", "a"]] * 40 + [["Once", "upon"]] * 33 + [["Once", "there"]] * 27


class Ceiling(unittest.TestCase):
    def test_a_parallel_guess_mixes_crossed_modes(self):
        self.assertEqual(parallel(TAILS, 2), ["Once", "a"])
        self.assertEqual(causal(TAILS, 2), ["Once", "upon"])

    def test_without_modes_both_need_the_same_rounds(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        for seed in range(4):
            answer = Answer(tok, "words", False, seed, 30)
            if answer.d.prompt_end:
                self.assertEqual(rounds(answer, parallel, 16)[:2], rounds(answer, causal, 16)[:2])

    def test_samples_agree_with_the_text_so_far(self):
        tok = Tokenizer.from_file(str(TOKENIZER))
        answer = Answer(tok, "chat", True, 3, 20)
        t = answer.first + 5
        self.assertGreaterEqual(len(answer.futures(t)), 12)
        self.assertTrue(all(len(f) <= 16 for f in answer.futures(t)))


if __name__ == "__main__":
    unittest.main()
