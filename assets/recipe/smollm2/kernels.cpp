// What a decoding step of sample.py does between its matrix products, on one thread of a CPU: torch needs as long for it as for
// the products (attention of one query row over 16 texts of 300 tokens 1.0 ms a layer, here 0.38), because each of its operators
// goes through memory and three query rows are too few for its own products. kernels.py builds and calls it.
//
// Every matrix is row-major and bfloat16 (uint16_t) unless it says float. n: texts, one row each.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

float wide(std::uint16_t x) {
    const std::uint32_t bits = std::uint32_t{x} << 16;
    float out;
    std::memcpy(&out, &bits, sizeof out);
    return out;
}

std::uint16_t narrow(float x) { // to nearest, ties to even, as torch rounds
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

void rotate(const std::uint16_t* in, const float* cos, const float* sin, int half, float* out) {
    for (int i = 0; i < half; ++i) {
        const float a = wide(in[i]), b = wide(in[half + i]);
        out[i] = a * cos[i] - b * sin[i];
        out[half + i] = b * cos[i] + a * sin[i];
    }
}

constexpr int kGroup = 3, kDim = 64, kTokens = 16;

std::size_t key_place(int token, int d) {
    return std::size_t(token / kTokens) * kTokens * kDim + std::size_t(d / 2) * kTokens * 2 + (token % kTokens) * 2 + d % 2;
}

// Three queries over `count` keys and values of one head; scores (3, room). Unwritten keys of the last block give scores that nobody reads.
void one_head(const float (&query)[kGroup][kDim], const std::uint16_t* keys, const std::uint16_t* values, int count, float* scores,
              int room, std::uint16_t* out) {
    const float scale = 1 / std::sqrt(static_cast<float>(kDim));
    for (int from = 0; from < count; from += kTokens) {
        const std::uint16_t* block = keys + std::size_t(from) * kDim;
        float dot[kGroup][kTokens] = {};
        for (int pair = 0; pair < kDim / 2; ++pair) {
            std::uint32_t both[kTokens];
            std::memcpy(both, block + pair * kTokens * 2, sizeof both);
            for (int g = 0; g < kGroup; ++g)
                for (int t = 0; t < kTokens; ++t)
                    dot[g][t] += wide(static_cast<std::uint16_t>(both[t])) * query[g][2 * pair] +
                                 wide(static_cast<std::uint16_t>(both[t] >> 16)) * query[g][2 * pair + 1];
        }
        for (int g = 0; g < kGroup; ++g) std::copy_n(dot[g], kTokens, scores + std::size_t(g) * room + from);
    }
    for (int g = 0; g < kGroup; ++g) {
        float* p = scores + std::size_t(g) * room;
        float top = -1e30F, total = 0;
        for (int t = 0; t < count; ++t) top = std::max(top, p[t]);
        for (int t = 0; t < count; ++t) {
            p[t] = std::exp((p[t] - top) * scale);
            total += p[t];
        }
        for (int t = 0; t < count; ++t) p[t] /= total;
    }
    float sum[kGroup][kDim] = {};
    for (int t = 0; t < count; ++t) {
        const std::uint16_t* v = values + std::size_t(t) * kDim;
        for (int g = 0; g < kGroup; ++g) {
            const float p = scores[std::size_t(g) * room + t];
            for (int d = 0; d < kDim; ++d) sum[g][d] += p * wide(v[d]);
        }
    }
    for (int g = 0; g < kGroup; ++g)
        for (int d = 0; d < kDim; ++d) out[g * kDim + d] = narrow(sum[g][d]);
}

} // namespace

extern "C" {

// residual (n, width, float) += delta (n, width) if given; out (n, width) = RMSNorm of it times weight (float).
void normalise(float* residual, const std::uint16_t* delta, const float* weight, float eps, int n, int width, std::uint16_t* out) {
    for (int r = 0; r < n; ++r) {
        float* x = residual + std::size_t(r) * width;
        float sum = 0;
        if (delta != nullptr)
            for (int i = 0; i < width; ++i) x[i] += wide(delta[std::size_t(r) * width + i]);
        for (int i = 0; i < width; ++i) sum += x[i] * x[i];
        const float scale = 1 / std::sqrt(sum / width + eps);
        for (int i = 0; i < width; ++i) out[std::size_t(r) * width + i] = narrow(x[i] * scale * weight[i]);
    }
}

// out (n, ffn) = SiLU(gate) * up of gate_up (n, 2 ffn).
void swiglu(const std::uint16_t* gate_up, int n, int ffn, std::uint16_t* out) {
    for (int r = 0; r < n; ++r) {
        const std::uint16_t *gate = gate_up + std::size_t(r) * 2 * ffn, *up = gate + ffn;
        for (int i = 0; i < ffn; ++i) {
            const float g = wide(gate[i]);
            out[std::size_t(r) * ffn + i] = narrow(g / (1 + std::exp(-g)) * wide(up[i]));
        }
    }
}

// One token of each text: qkv (n, (heads + 2 kv_heads) dim), row r at position `length[r]` of the text in slot `slot[r]`.
// Puts its key and value into keys, values (slots, kv_heads, room, dim) and attends to all of that text; out (n, heads dim).
// cos, sin (positions, dim / 2, float). Keys lie in blocks of 16 tokens, (room / 16, dim / 2, 16, 2), so that sixteen scores are
// summed beside each other; values lie token by token. 1 for other heads than three queries of 64 a key.
int attend(const std::uint16_t* qkv, const float* cos, const float* sin, std::uint16_t* keys, std::uint16_t* values,
           const std::int64_t* slot, const std::int64_t* length, int n, int heads, int kv_heads, int dim, int room, std::uint16_t* out) {
    if (heads != kGroup * kv_heads || dim != kDim || room % kTokens != 0) return 1;
    const int width = (heads + 2 * kv_heads) * kDim;
    static thread_local std::vector<float> scores;
    scores.resize(std::size_t(kGroup) * room);
    for (int r = 0; r < n; ++r) {
        const std::uint16_t* row = qkv + std::size_t(r) * width;
        const int at = static_cast<int>(length[r]);
        const float *c = cos + std::size_t(at) * kDim / 2, *s = sin + std::size_t(at) * kDim / 2;
        for (int h = 0; h < kv_heads; ++h) {
            const std::size_t start = (std::size_t(slot[r]) * kv_heads + h) * room * kDim;
            float key[kDim], query[kGroup][kDim];
            rotate(row + (heads + h) * kDim, c, s, kDim / 2, key);
            for (int d = 0; d < kDim; ++d) keys[start + key_place(at, d)] = narrow(key[d]);
            std::copy_n(row + (heads + kv_heads + h) * kDim, kDim, values + start + std::size_t(at) * kDim);
            for (int g = 0; g < kGroup; ++g) rotate(row + (h * kGroup + g) * kDim, c, s, kDim / 2, query[g]);
            one_head(query, keys + start, values + start, at + 1, scores.data(), room, out + (std::size_t(r) * heads + h * kGroup) * kDim);
        }
    }
    return 0;
}

// The next token of each row: the likeliest where temperature (float) is 0, else the one that uniform (float, in [0, 1))
// picks from softmax(logits / temperature). logits (n, vocab) are rounded to bfloat16, up to 1/16 wrong: those within `exact`
// of the best are computed again, in float, from hidden (n, width) and the output matrix (vocab, width).
void pick(const std::uint16_t* logits, const std::uint16_t* hidden, const std::uint16_t* matrix, const float* temperature,
          const float* uniform, float exact, int n, int vocab, int width, std::int64_t* out) {
    constexpr int kBlock = 512;
    static thread_local std::vector<float> p, blocks;
    p.resize(vocab);
    blocks.resize(vocab / kBlock + 1);
    for (int r = 0; r < n; ++r) {
        const std::uint16_t *row = logits + std::size_t(r) * vocab, *x = hidden + std::size_t(r) * width;
        float top = -1e30F;
        for (int i = 0; i < vocab; ++i) {
            p[i] = wide(row[i]);
            top = std::max(top, p[i]);
        }
        int best = 0;
        float highest = -1e30F;
        const float floor = top - exact;
        for (int from = 0; from < vocab; from += kBlock) {
            const int to = std::min(vocab, from + kBlock);
            float block = -1e30F;
            for (int i = from; i < to; ++i) block = std::max(block, p[i]);
            if (block < floor) continue;
            for (int i = from; i < to; ++i) {
                if (p[i] < floor) continue;
                float dot = 0;
                const std::uint16_t* w = matrix + std::size_t(i) * width;
                for (int d = 0; d < width; ++d) dot += wide(w[d]) * wide(x[d]);
                p[i] = dot;
                if (dot > highest) highest = dot, best = i;
            }
        }
        out[r] = best;
        if (temperature[r] == 0) continue;
        float total = 0;
        for (int b = 0; b * kBlock < vocab; ++b) {
            float sum = 0;
            for (int i = b * kBlock; i < std::min(vocab, (b + 1) * kBlock); ++i) {
                p[i] = std::exp((p[i] - highest) / temperature[r]);
                sum += p[i];
            }
            blocks[b] = sum;
            total += sum;
        }
        float left = uniform[r] * total;
        int b = 0;
        while ((b + 1) * kBlock < vocab && left >= blocks[b]) left -= blocks[b++];
        const int end = std::min(vocab, (b + 1) * kBlock);
        int i = b * kBlock;
        while (i + 1 < end && left >= p[i]) left -= p[i++];
        out[r] = i;
    }
}

} // extern "C"
