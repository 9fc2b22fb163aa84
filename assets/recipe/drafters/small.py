"""The independent draft model: an ordinary small language model with the target's tokenizer (Leviathan et al. 2023)."""
import torch

from .common import Sequence


class Small:
    taps = []

    def __init__(self, model):
        self.model, self.geometry = model, model.config

    def longest(self):
        return 15

    def begin(self, target):
        self.sequence = Sequence(self.model)

    @torch.no_grad()
    def propose(self, tokens, features, hidden, k, distribution):
        """After a fully accepted round two tokens are new to its cache, otherwise one."""
        self.sequence.crop(len(tokens) - 1)
        fresh, drafts, distributions, self.base = tokens[self.sequence.length:], [], [], []
        for _ in range(k):
            logits = self.sequence.run(fresh).logits[-1]
            self.base.append(logits)
            token, q = distribution.draw(logits)
            drafts.append(token)
            distributions.append(q)
            fresh = [token]
        return drafts, distributions
