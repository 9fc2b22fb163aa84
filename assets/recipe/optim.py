"""Muon for the hidden matrices, AdamW for the embedding and the norms.

Muon (momentum, then an orthogonalised update by five Newton-Schulz steps; Keller Jordan, 2024) in a form that is
quick on a CPU: matrices of one shape are stacked, so the products are batched.
"""
import torch


def orthogonalise(g, steps=5, dtype=torch.bfloat16):
    """g (n, rows, cols) -> the nearest matrices with singular values near 1."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.to(dtype)
    flip = x.shape[-2] > x.shape[-1]
    if flip:
        x = x.transpose(-1, -2)
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(-1, -2)
        gram = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
        x = torch.baddbmm(x, gram, x, beta=a)
    return (x.transpose(-1, -2) if flip else x).float()


class Muon:
    def __init__(self, parameters, momentum=0.95, weight_decay=0.05, dtype=torch.bfloat16):
        self.momentum, self.weight_decay, self.dtype = momentum, weight_decay, dtype
        self.groups = {}
        for p in parameters:
            self.groups.setdefault(tuple(p.shape), []).append(p)
        self.buffers = {shape: torch.zeros(len(ps), *shape, device=ps[0].device) for shape, ps in self.groups.items()}

    @torch.no_grad()
    def step(self, lr):
        for shape, ps in self.groups.items():
            g = torch.stack([p.grad for p in ps])
            buffer = self.buffers[shape].mul_(self.momentum).add_(g)
            update = orthogonalise(g + self.momentum * buffer, dtype=self.dtype)
            scale = lr * max(1.0, shape[0] / shape[1]) ** 0.5
            for p, u in zip(ps, update):
                p.mul_(1 - lr * self.weight_decay).add_(u, alpha=-scale)


class Optimiser:
    """Both optimisers behind one step(factor), where factor scales every learning rate (warm-up, decay)."""

    clip = 1.0

    def __init__(self, model, muon_lr=0.02, embed_lr=3e-3, norm_lr=1e-3):
        named = list(model.named_parameters())
        embed = [p for n, p in named if "embed" in n]
        norms = [p for n, p in named if p.dim() == 1]
        self.muon = Muon([p for n, p in named if p.dim() == 2 and "embed" not in n])
        self.adam = torch.optim.AdamW([dict(params=embed, lr=embed_lr, base=embed_lr), dict(params=norms, lr=norm_lr, base=norm_lr)],
                                      betas=(0.9, 0.95), weight_decay=0.0)
        self.muon_lr, self.parameters = muon_lr, [p for _, p in named]

    def step(self, factor):
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, self.clip)
        self.muon.step(self.muon_lr * factor)
        for group in self.adam.param_groups:
            group["lr"] = group["base"] * factor
        self.adam.step()
        for p in self.parameters:
            p.grad = None
        return float(norm)

    def state(self):
        return {"adam": self.adam.state_dict(), "muon": self.muon.buffers}

    def load(self, state):
        self.adam.load_state_dict(state["adam"])
        self.muon.buffers = state["muon"]
