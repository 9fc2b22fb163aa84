// States of a corpus: those of the forward pass, in files that numpy reads, the same however often it was stopped.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "engine/base/json.h"
#include "engine/corpus/corpus_sampling.h"
#include "engine/corpus/corpus_states.h"
#include "engine/model/decoder.h"
#include "engine/model/fingerprint.h"
#include "kernels/bf16.h"
#include "kernels/quant.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

// Four texts in two blocks.
void write_block(const Models& models, const fs::path& folder, int number, int texts) {
    CorpusBlock block;
    block.source = {
        .model = "micro", .fingerprint = fingerprint(*models.target), .weights = "", .precision = "f32", .vocab = models.vocab()};
    for (int i = 0; i < texts; ++i) {
        CorpusText text{.number = 10 * number + i, .tokens = {}, .prompt = 3 + i, .domain = "a"};
        for (int t = 0; t < 20 + 7 * i + number; ++t) text.tokens.push_back((5 + t * (i + 2) + number) % models.vocab());
        block.texts.push_back(text);
    }
    write_corpus(corpus_file(folder, number), block);
}

struct Npy {
    std::string header, data;
    [[nodiscard]] bool says(const std::string& words) const { return header.find(words) != std::string::npos; }
    template <class T>
    [[nodiscard]] std::vector<T> numbers() const {
        std::vector<T> out(data.size() / sizeof(T));
        std::memcpy(out.data(), data.data(), data.size());
        return out;
    }
};
Npy npy(const fs::path& file) {
    const std::string bytes = test::read_file(file);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((10 + length) % 64, 0u);
    EXPECT_EQ(bytes[9 + length], '\n');
    return {bytes.substr(10, length), bytes.substr(10 + length)};
}

class States : public ::testing::Test {
  protected:
    States() {
        write_block(*models_, folder_.path(), 0, 3);
        write_block(*models_, folder_.path(), 1, 1);
    }
    [[nodiscard]] StatesPlan plan(const std::string& folder) const {
        StatesPlan plan;
        plan.blocks = corpus_files(folder_.path());
        plan.folder = folder_ / folder;
        plan.taps = {0, 3, kTapEmbedding, models_->layers()};
        plan.part_tokens = 50;
        return plan;
    }
    static void finish(const std::shared_ptr<const Models>& models, const StatesPlan& plan) {
        CorpusStates states(models, plan);
        while (states.step()) {
        }
    }
    [[nodiscard]] std::map<std::string, std::string> files_of(const std::string& folder) const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder_ / folder))
            files[entry.path().filename().string()] = test::read_file(entry.path());
        return files;
    }
    std::shared_ptr<const Models> models_ = test::micro_models(2);
    test::TempFolder folder_;
};

TEST_F(States, AreThoseOfAPass) {
    for (const DType form : {DType::bf16, DType::f16}) {
        StatesPlan asked = plan(name_of(form));
        asked.form = form;
        finish(models_, asked);
        const fs::path out = asked.folder;
        const Json facts = Json::parse(test::read_file(out / "000-00.json"));
        EXPECT_EQ(facts["schema"], "speclens-states/1");
        EXPECT_EQ(facts["tokens"], 47);
        EXPECT_EQ(facts["form"], name_of(form));
        EXPECT_EQ(facts["taps"], Json({0, 3, -1, models_->layers()}));
        EXPECT_TRUE(fs::exists(out / "000-01.json"));
        EXPECT_TRUE(fs::exists(out / "001-00.json"));
        EXPECT_FALSE(fs::exists(out / "000-02.json"));

        const CorpusBlock block = read_corpus(folder_ / "000.corpus");
        const int hidden = models_->target->config.hidden;
        const Npy states = npy(out / "000-00.states.npy");
        EXPECT_TRUE(states.says("'shape': (47,4," + std::to_string(hidden) + ",)")) << states.header;
        EXPECT_TRUE(states.says(form == DType::f16 ? "'<f2'" : "'<u2'"));
        const std::vector<std::uint16_t> bits = states.numbers<std::uint16_t>();
        ASSERT_EQ(bits.size(), 47u * 4u * static_cast<std::size_t>(hidden));
        std::vector<std::int32_t> ids;
        std::size_t at = 0;
        for (int t = 0; t < 2; ++t) { // in one pass each
            const CorpusText& text = block.texts[t];
            ids.insert(ids.end(), text.tokens.begin(), text.tokens.end());
            const auto decoder = make_model_decoder(models_->target, 64);
            decoder->forward({.tokens = text.tokens, .logits_from = static_cast<int>(text.tokens.size()), .taps = asked.taps});
            for (const float value : test::download(*models_->backend, decoder->features()))
                EXPECT_EQ(bits[at++], form == DType::f16 ? narrow_f16(value) : narrow_bf16(value));
        }
        EXPECT_EQ(at, bits.size());
        EXPECT_EQ(npy(out / "000-00.ids.npy").numbers<std::int32_t>(), ids);
        EXPECT_TRUE(npy(out / "000-00.ids.npy").says("'<i4'"));
        EXPECT_EQ(npy(out / "000-00.texts.npy").numbers<std::int32_t>(), (std::vector<std::int32_t>{3, 17, 4, 23}));
        EXPECT_TRUE(npy(out / "000-00.texts.npy").says("'shape': (2,2,)"));
    }
}

TEST_F(States, WhoStopsAndGoesOnGetsTheSameBytes) {
    finish(models_, plan("whole"));
    int starts = 0;
    for (bool done = false; !done && starts < 20; ++starts) {
        CorpusStates states(models_, plan("parts"));
        for (int texts = 0; texts < 2 && !done; ++texts) done = !states.step();
    }
    EXPECT_GT(starts, 1);
    EXPECT_EQ(files_of("parts"), files_of("whole"));
    CorpusStates again(models_, plan("whole"));
    EXPECT_EQ(again.progress().parts_there, 3);
    EXPECT_FALSE(again.step());
    EXPECT_EQ(again.progress().tokens, 0);
    fs::remove(folder_ / "whole" / "000-01.states.npy"); // somebody took it away
    finish(models_, plan("whole"));
    EXPECT_EQ(files_of("parts"), files_of("whole"));
}

TEST_F(States, OfSomethingElseAreRefused) {
    finish(models_, plan("there"));
    const auto before = files_of("there");
    const auto refused = [&](const std::function<void(StatesPlan&)>& change, const std::string& words) {
        StatesPlan other = plan("there");
        change(other);
        test::expect_error([&] { finish(models_, other); }, {words});
        EXPECT_EQ(files_of("there"), before);
    };
    refused([](StatesPlan& p) { p.taps = {1}; }, "another corpus, model, precision or list of layers");
    refused([](StatesPlan& p) { p.form = DType::f16; }, "another form");
    refused([](StatesPlan& p) { p.taps = {99}; }, "no layer 99");
    refused([](StatesPlan& p) { p.part_tokens = 20; }, "a text of 34 tokens");
    refused([](StatesPlan& p) { p.part_tokens = kMostBlockTokens + 1; }, "a part has");
    refused([](StatesPlan& p) { p.blocks.clear(); }, "no corpus");
    test::expect_error([&] { finish(test::precise_models(1, Precision::f32), plan("other")); }, {"was written by micro"});
}

TEST(StatesTaps, AreThoseOfThreeLayersAndTheEnd) {
    EXPECT_EQ(usual_taps(24), (std::vector<int>{1, 11, 20, 24}));
    EXPECT_EQ(usual_taps(30), (std::vector<int>{1, 14, 26, 30}));
    EXPECT_EQ(usual_taps(6), (std::vector<int>{3, 6}));
}

// Of processes that are gone; nothing else, whatever it is called.
TEST_F(States, TakeAwayWhatKilledOnesLeft) {
    const pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    ASSERT_GT(gone, 0);
    ::waitpid(gone, nullptr, 0);
    const StatesPlan asked = plan("states");
    const fs::path out = asked.folder;
    fs::create_directories(out);
    const std::string dead = std::to_string(gone), alive = std::to_string(::getpid());
    const std::vector<std::string> left = {"000-00.states.npy." + dead + ".part", "000-00.json." + dead + "-12.part"};
    const std::vector<std::string> kept = {"000-00.states.npy." + alive + ".part",
                                           "notes.part",
                                           "a." + dead + "x.part",
                                           "a." + dead + "-.part",
                                           "a." + dead,
                                           "a.-" + dead + ".part",
                                           "." + dead + ".part.txt",
                                           dead + ".part"};
    for (const std::string& name : left) test::write_file(out / name, "x");
    for (const std::string& name : kept) test::write_file(out / name, "x");
    fs::create_directories(out / ("folder." + dead + ".part"));
    finish(models_, asked);
    for (const std::string& name : left) EXPECT_FALSE(fs::exists(out / name)) << name;
    for (const std::string& name : kept) EXPECT_TRUE(fs::exists(out / name)) << name;
    EXPECT_TRUE(fs::exists(out / ("folder." + dead + ".part")));
}

} // namespace
} // namespace speclens
