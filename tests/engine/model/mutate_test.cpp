// Damaged files of every kind that engine/ reads: thousands of seeded mutations each, never a crash.
#include <algorithm>
#include <span>
#include <sstream>

#include "engine/model/gguf_model.h"
#include "engine/model/table_json.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer_parts.h"
#include "engine/text/vocabulary_table.h"
#include "tests/shared/gguf_writer.h"
#include "tests/shared/model_support.h"
#include "tests/shared/mutate.h"

namespace speclens {
namespace {

using namespace test;

constexpr int kMutations = 4000;
constexpr int kFileMutations = 400; // where each one is written to disk

// Both outcomes must occur, or the mutations test nothing.
void expect_both(const MutationCount& count) {
    EXPECT_GT(count.refused, (count.refused + count.accepted) / 20);
    EXPECT_GT(count.accepted, 0);
}

TEST(Mutations, Safetensors) {
    // every byte of an accepted tensor is read, so that a wrong range would be seen by the address sanitizer
    const auto load = [](const std::string& text) {
        std::vector<std::byte> image(text.size());
        std::ranges::copy(std::as_bytes(std::span(text)), image.begin());
        const Safetensors file = Safetensors::parse(std::move(image), "mutated.safetensors");
        unsigned sum = 0;
        for (const auto& [name, tensor] : file.tensors())
            for (const std::byte byte : file.read(tensor)) sum += std::to_integer<unsigned>(byte);
        EXPECT_NE(sum, 1u);
    };
    std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},)"
                         R"("b":{"dtype":"F32","shape":[4],"data_offsets":[12,28]},"c":{"dtype":"U8","shape":[],"data_offsets":[28,29]}})";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    std::string valid(8, '\0');
    valid[0] = static_cast<char>(header.size() & 0xFF);
    expect_both(replay_mutations(valid + header + std::string(29, 'x'), kMutations, 1, load));
}

TEST(Mutations, Gguf) {
    // A file of its own with all parts and little of each: a mutation hits the header more often than the numbers.
    GgufWriter file;
    file.text("general.architecture", "llama");
    for (const auto& [key, value] : {std::pair{"llama.block_count", 1u},
                                     {"llama.embedding_length", 32u},
                                     {"llama.feed_forward_length", 32u},
                                     {"llama.attention.head_count", 2u},
                                     {"llama.attention.head_count_kv", 1u},
                                     {"llama.context_length", 64u},
                                     {"tokenizer.ggml.eos_token_id", 2u}})
        file.u32(key, value);
    file.f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    file.text("tokenizer.ggml.model", "gpt2");
    file.text("tokenizer.ggml.pre", "smollm");
    file.texts("tokenizer.ggml.tokens", {"a", "b", "<|end|>", "ab"});
    file.array<std::int32_t>("tokenizer.ggml.token_type", 5, {1, 1, 3, 1});
    file.texts("tokenizer.ggml.merges", {"a b"});
    file.text("tokenizer.chat_template", "{% for m in messages %}{{ m.content }}{% endfor %}");
    const auto tensor = [&](const std::string& name, const std::vector<std::int64_t>& shape, DType dtype) {
        std::int64_t values = 1;
        for (const std::int64_t size : shape) values *= size;
        file.tensor(name, shape, dtype, std::vector<std::byte>(bytes_of(dtype, values), std::byte{1}));
    };
    tensor("token_embd.weight", {4, 32}, DType::q4_0);
    tensor("output_norm.weight", {32}, DType::f32);
    for (const auto& [name, rows] :
         {std::pair{"attn_q", 32}, {"attn_k", 16}, {"attn_v", 16}, {"attn_output", 32}, {"ffn_gate", 32}, {"ffn_up", 32}, {"ffn_down", 32}})
        tensor(std::string("blk.0.") + name + ".weight", {rows, 32}, DType::q8_0);
    for (const char* name : {"blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"}) tensor(name, {32}, DType::f32);
    const auto backend = make_cpu_backend({.threads = 1});
    const TempFolder folder;
    const auto load = [&](const std::string& text) {
        Gguf gguf = parse_gguf(text);
        const ModelConfig config = gguf_config(gguf);
        const RowTensors rows(gguf, gguf_tensors(gguf, config, [](const StoredTensor&) { return DType::bf16; }));
        unsigned sum = 0;
        for (const auto& [name, one] : rows.tensors())
            for (const std::byte byte : rows.read(one)) sum += std::to_integer<unsigned>(byte);
        EXPECT_NE(sum, 1u);
        const auto tokenizer = Tokenizer::of_table(take_gguf_vocabulary(gguf), gguf.name());
        EXPECT_LE(tokenizer->encode("ab a <|end|>").size(), 12u);
        (void)chat_format_of(gguf.text("tokenizer.chat_template"), gguf.name(), *tokenizer);
    };
    load(file.bytes());
    expect_both(replay_mutations(file.bytes(), kMutations, 11, load));
    // And whole models: what loads also runs.
    const auto run = [&](const std::string& text) {
        write_file(folder / "toy.gguf", text);
        for (const WeightForm form : {WeightForm::by_default, WeightForm::keep}) {
            const auto decoder = make_model_decoder(Model::load(*backend, folder / "toy.gguf", {}, form), 1);
            decoder->forward({.tokens = std::vector<int>{0}});
        }
    };
    run(file.bytes());
    expect_both(replay_mutations(file.bytes(), kFileMutations, 12, run));
}

TEST(Mutations, SafetensorsIndex) {
    const ModelFolder folder("micro_qwen2_tied");
    fs::rename(folder / "model.safetensors", folder / "part.safetensors");
    std::string map;
    const Safetensors part = Safetensors::open(folder / "part.safetensors");
    for (const auto& [name, tensor] : part.tensors()) map += (map.empty() ? "\"" : ",\"") + name + "\":\"part.safetensors\"";
    expect_both(
        replay_mutations("{\"metadata\":{\"total_size\":1},\"weight_map\":{" + map + "}}", kFileMutations, 2, [&](const std::string& text) {
            write_file(folder / "model.safetensors.index.json", text);
            static_cast<void>(Safetensors::open_folder(folder.path()));
        }));
}

TEST(Mutations, Config) {
    const ModelFolder folder("micro_qwen2_tied");
    expect_both(replay_mutations(read_file(folder / "config.json"), kFileMutations, 3, [&](const std::string& text) {
        write_file(folder / "config.json", text);
        static_cast<void>(read_config(folder.path()));
    }));
}

TEST(Mutations, WholeModelsWithADamagedConfigOrWeights) {
    const ModelFolder folder("micro_qwen2_tied");
    const auto backend = make_cpu_backend({.threads = 1});
    const auto load = [&](const std::string& name) {
        return [&backend, &folder, name](const std::string& text) {
            write_file(folder / name, text);
            const auto model = Model::load(*backend, folder.path());
            const auto decoder = make_model_decoder(model, 1);
            decoder->forward({.tokens = std::vector<int>{0}});
        };
    };
    const std::string config = read_file(folder / "config.json");
    replay_mutations(config, 200, 4, load("config.json"));
    write_file(folder / "config.json", config);
    replay_mutations(read_file(folder / "model.safetensors"), 200, 5, load("model.safetensors"));
}

TEST(Mutations, Tokenizer) {
    const std::string valid = read_file(golden("micro_qwen3") / "tokenizer.json");
    const auto count = replay_mutations(valid, kMutations, 6, [](const std::string& text) {
        const auto tokenizer = make_tokenizer(parse_tokenizer_json(text, "mutated.json"));
        const std::vector<int> ids = tokenizer->encode("Hello <think> wor\xffld 123\r\n  x");
        static_cast<void>(tokenizer->decode(ids, true));
    });
    expect_both(count);
}

// Of every kind: steps, behaviours, options of added tokens, SentencePiece.
TEST(Mutations, TokenizersOfOtherKinds) {
    for (const char* kind : {"options", "llama2", "llama3"}) {
        const std::string valid = read_file(golden("tokenizers") / (std::string(kind) + ".json"));
        expect_both(replay_mutations(valid, kMutations / 4, 20, [](const std::string& text) {
            const auto tokenizer = make_tokenizer(parse_tokenizer_json(text, "mutated.json"));
            const std::vector<int> ids = tokenizer->encode("Hello <think> wor\xffld 123 == \r\n  [MASK] x<|user|> ");
            static_cast<void>(tokenizer->decode(ids, true));
        }));
    }
}

// The lists of a GGUF vocabulary as lines: model, pre-type, ids; a token each with type and score; the
// merges.
TEST(Mutations, VocabularyTables) {
    const auto table_of = [](const std::string& text) {
        std::istringstream in(text);
        VocabularyTable table;
        std::string line;
        in >> table.model >> table.pre >> table.bos >> table.unknown;
        std::getline(in, line);
        while (std::getline(in, line) && !line.empty()) {
            std::istringstream fields(line);
            table.types.push_back(0);
            table.scores.push_back(0);
            fields >> table.types.back() >> table.scores.back();
            fields.ignore();
            std::getline(fields, table.tokens.emplace_back());
        }
        while (std::getline(in, line)) table.merges.push_back(line);
        return table;
    };
    const std::string tokens = "1 0 a\n1 0 b\n1 -1 ab\n3 0 <|end|>\n4 0 <tool>\n5 0 [PAD]\n2 0 <unk>\n";
    const std::string bytes = "6 0 <0x0A>\n1 -2 \xe2\x96\x81\n1 -3 \xe2\x96\x81"
                              "ab\n";
    for (const std::string& valid :
         {"gpt2 llama-bpe 3 -1\n" + tokens + "\na b\n", "gpt2 qwen2 -1 -1\n" + tokens + "\na b\n", "llama default 3 6\n" + tokens + bytes})
        expect_both(replay_mutations(valid, kMutations / 2, 30, [&](const std::string& text) {
            const auto tokenizer = Tokenizer::of_table(table_of(text), "mutated.gguf");
            const std::vector<int> ids = tokenizer->encode("ab b\n<|end|> a<tool>\xff<unk>");
            static_cast<void>(tokenizer->decode(ids, true));
        }));
}

TEST(Mutations, TextGivenToAValidTokenizer) {
    const auto tokenizer = Tokenizer::load(golden("micro_qwen3") / "tokenizer.json");
    const MutationCount count =
        replay_mutations("Hello <|im_start|> caf\xc3\xa9 \xe6\x97\xa5 1,000\r\n don't", kMutations, 7, [&](const std::string& text) {
            for (const int id : tokenizer->encode(text)) EXPECT_FALSE(tokenizer->bytes_of(id).empty());
        });
    EXPECT_EQ(count.refused, 0);
}

TEST(Mutations, Tables) {
    const std::string valid = R"({"schema":"speclens-table/1","vocab":3,"texts":["a","b","c"],"stops":[2],)"
                              R"("target":{"":[0.5,0.25,0.25],"0,1":[0,1,0]},"draft":{"":[0.25,0.25,0.5]}})";
    expect_both(replay_mutations(valid, kMutations, 8, [](const std::string& text) {
        const TablePair pair = parse_table(text, "mutated.json");
        const auto decoder = make_table_decoder(pair.target, 0);
        static_cast<void>(decoder->forward({.tokens = std::vector<int>{0}}).distribution(0, {.temperature = 1}));
    }));
}

TEST(Mutations, OracleCases) {
    replay_mutations(read_file(golden("oracles_public.json")), 1000, 9,
                     [](const std::string& text) { static_cast<void>(parse_oracle_cases(text, "mutated.json")); });
}

} // namespace
} // namespace speclens
