"""EAGLE-3's layer, solved for before it is trained: a linear recurrence over the target's final states.

`fc` makes of the taps what comes nearest to the final state at the same token (least squares with a ridge, over the tokens of answers), at unit scale; the layer makes of that state and
of the next token's embedding what comes nearest to the next final state. So its own output can stand for a state, and later guesses begin as right as they can be. The map goes
through the attention: its heads look at their own column alone, by queries and keys that are all the same vector, whose product is largest at distance 0 because of the rotary
positions; what is always read stands for the 1 that such a vector needs (constant() of train.py). One key/value head in seven stays free and begins as the target's layer, unheard.
The MLP has that layer's neurons that say most, and their outputs are solved for as well: what is missing of the next state. Minutes of training are so done in seconds of processor.
"""
import numpy as np
import torch
import torch.nn.functional as F

from data import ANSWER

FAST = 4                             # rotary frequencies that tell a column from its neighbours
PEAK = 24.0                          # a head's score of its own column; the next one's is a fifth less
RIDGE = 0.02                         # of the mean square of what is read


def solved(x, y, ridge=RIDGE):
    """W (p, q) with x W near y, for x (n, p) and y (n, q)."""
    gram = x.T @ x
    gram.diagonal().add_(ridge * gram.diagonal().mean())
    return torch.linalg.solve(gram, x.T @ y)


def columns(folders, hidden, scale, most=100_000):
    """Of states in `folders`, for tokens that an answer's token follows: the taps one token before, at unit scale (n, width), and the final states there (n, hidden), the tokens (n),
    their final states (n, hidden), and whether the next row is the next token (n)."""
    found = [[], [], [], [], []]
    paths = [path for folder in folders for path in sorted(folder.glob("shard_*.npz"))]
    share = min(1, most / sum(int((np.load(path)["flags"] == ANSWER).sum()) for path in paths))     # of each shard: some 100 KB a token are held at once
    for path in paths:
        shard = np.load(path)
        stored = np.load(path.with_name(path.name.replace("shard_", "features_").replace(".npz", ".npy")), mmap_mode="r")
        piece, answer = np.repeat(np.arange(len(shard["lengths"])), shard["lengths"]), shard["flags"] == ANSWER
        at = np.flatnonzero((piece[:-2] == piece[2:]) & answer[2:]) + 1
        at = at[:round(len(at) * share)]

        def floats(rows, part):
            rows = np.ascontiguousarray(stored[rows].reshape(len(rows), -1)[:, part])
            return torch.from_numpy(rows.view(np.int16)).view(torch.bfloat16).float()

        taps, last = floats(at - 1, slice(len(scale))), slice(-hidden, None)
        size = taps.norm(dim=1)
        usual = (size < 5 * size.median()).numpy()                 # not behind the first token of a text
        at, taps = at[usual], taps[usual]
        for kind, value in zip(found, (taps / scale, floats(at - 1, last), torch.from_numpy(shard["ids"][at].astype(np.int64)), floats(at, last),
                                       torch.from_numpy(np.append(np.diff(at) == 1, False)))):
            kind.append(value)
    return [torch.cat(kind) for kind in found]


def begin(head, target, like, scale, folders, held=0.1):
    """Begins `head` as said above. Prints and returns how often its first guess is the target's likeliest of its ids, on the last `held` of the tokens, which are not solved for: by the linear
    map, with the MLP; and how often the second one is behind it."""
    from heads.train import attention_of, constant, unit, widest
    s, m, kv_heads = target.shape, head.midlayer, head.geometry.num_key_value_heads
    group, theirs, first = s.heads // kv_heads, target.layers[like], target.layers[0]
    own = kv_heads - kv_heads // 7
    rank = own * s.head_dim
    with torch.no_grad():
        taps, before, tokens, finals, follows = columns(folders, s.hidden, scale)
        cut = round(len(taps) * (1 - held))
        wanted, embedded = unit(finals / target.norm, s.eps), unit(target.embedding[tokens].float(), s.eps)
        fc = solved(taps[:cut], unit(before / target.norm, s.eps)[:cut]).T
        feature = taps @ fc.T
        read = torch.cat((embedded, unit(feature, s.eps)), 1)
        linear = solved(read[:cut], (wanted - feature)[:cut]).T
        spread = torch.linalg.cholesky(read.T @ read / len(read) + 1e-3 * torch.eye(2 * s.hidden))       # of the map what is read most, where heads are few
        left, sizes, right = torch.linalg.svd(linear @ spread, full_matrices=False)
        values = torch.linalg.solve_triangular(spread.T, right[:rank].T, upper=True).T
        values, outputs = values * sizes[:rank, None].sqrt(), left[:, :rank] * sizes[:rank].sqrt()

        head.fc.weight.copy_(fc)
        always, off = constant(read)
        pattern = torch.zeros(s.head_dim)
        pattern[:FAST] = (PEAK / FAST * s.head_dim ** 0.5) ** 0.5
        same = pattern[:, None] * always
        (tq, tk, tv), (fq, fk, fv) = attention_of(first, s, kv_heads)[0], attention_of(theirs, s, kv_heads)[0]
        q, k, v = (torch.cat(pair, 1) for pair in ((tq, fq), (tk, fk), (tv, fv)))
        q[:own * group * s.head_dim], k[:rank], v[:rank] = same.repeat(own * group, 1), same.repeat(own, 1), values
        o = torch.zeros(s.hidden, s.heads, s.head_dim)
        o[:, :own * group:group] = outputs.view(s.hidden, own, s.head_dim)
        for name, value in (("q_proj", q), ("k_proj", k), ("v_proj", v), ("o_proj", o.flatten(1))):
            getattr(m.self_attn, name).weight.copy_(value)

        x = feature + read @ values.T @ outputs.T
        kept = widest(theirs, unit(x, s.eps), m.mlp.up_proj.weight.shape[0])
        gate, up = (part[kept].float() for part in theirs["gate_up"].chunk(2))

        def neurons(x):
            weighed = unit(x, s.eps) * theirs["before_mlp"]
            return F.silu(weighed @ gate.T) * (weighed @ up.T)

        said = neurons(x)
        size = said[:cut].pow(2).mean(0).sqrt().clamp(min=1e-4)
        down = (solved(said[:cut] / size, (wanted - x)[:cut]) / size[:, None]).T
        for name, value in (("gate_proj", gate), ("up_proj", up), ("down_proj", down)):
            getattr(m.mlp, name).weight.copy_(value)
        m.post_attention_layernorm.weight.copy_(theirs["before_mlp"])
        head.norm.weight.copy_(target.norm)

        best = (finals[cut:] @ head.lm_head.weight.T).argmax(1)
        y = x[cut:] + said[cut:] @ down.T
        second = y + torch.cat((embedded[cut:].roll(-1, 0), unit(y, s.eps)), 1) @ values.T @ outputs.T
        second = second + neurons(second) @ down.T
        right = [((unit(guess, s.eps) * target.norm) @ head.lm_head.weight.T).argmax(1).eq(wish) for guess, wish in ((x[cut:], best), (y, best), (second, best.roll(-1, 0)))]
        shares = [float(part.float().mean()) for part in (right[0], right[1], right[2][right[1] & follows[cut:]])]
        print(f"solved for over {cut} tokens; guesses right of {len(best)} others: {shares[0]:.3f} by the linear map, {shares[1]:.3f} with the MLP, and the next one behind a right one "
              f"{shares[2]:.3f}; what stands for 1 is off by {off:.3f}", flush=True)
    return shares
