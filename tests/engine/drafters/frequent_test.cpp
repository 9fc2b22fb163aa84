// FR-Spec: which ids a cut head keeps, that its rows are the head's own, and that a cut drafter's distribution is the
// whole one's without the other ids.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <tuple>

#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "engine/run/saved_settings.h"
#include "engine/run/session_commands.h"
#include "engine/text/id_list.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"
#include "tests/shared/said_values.h"

namespace speclens::test {
namespace {

std::shared_ptr<const FrequentIds> read_list(const ModelFolder& folder, const std::string& json) {
    write_file(folder / "frequent.json", json);
    return FrequentIds::read(folder.path(), 512, {3, 400});
}

TEST(FrequentIds, KeepTheMostFrequentAndTheStops) {
    const ModelFolder folder("micro_qwen3");
    const auto list = read_list(folder, R"({"ids": [9, 400, 5, 7, 1]})");
    EXPECT_TRUE(list->from_file());
    EXPECT_EQ(list->first(4), (std::vector<int>{3, 5, 9, 400}));
    EXPECT_EQ(list->first(3), (std::vector<int>{3, 9, 400}));
    const FrequentIds by_number(512, {3, 400});
    EXPECT_FALSE(by_number.from_file());
    EXPECT_EQ(by_number.first(6), (std::vector<int>{0, 1, 2, 3, 4, 400}));
}

TEST(FrequentIds, RefuseListsThatAreBrokenOrTooShort) {
    const ModelFolder folder("micro_qwen3");
    expect_error([&] { static_cast<void>(read_list(folder, R"({"ids": [512]})")); }, {"folder/frequent.json", "entry 512", "ids 0 to 511"});
    expect_error([&] { static_cast<void>(read_list(folder, R"({"ids": [4, 4]})")); }, {"4 twice"});
    expect_error([&] { static_cast<void>(read_list(folder, R"({"ids": 4})")); }, {"no list"});
    expect_error([&] { static_cast<void>(read_list(folder, R"([4])")); }, {"frequent.json"});
    const auto list = read_list(folder, R"({"ids": [9, 5, 7, 1]})");
    expect_error([&] { static_cast<void>(list->first(5)); }, {"more than the 4 ids of frequent.json"});
    expect_error([&] { static_cast<void>(list->first(2)); }, {"end of the text only"});
    expect_error([&] { static_cast<void>(list->first(512)); }, {"all 512 ids"});
}

TEST(FrequentIds, CutRowsAreMultipliedInThePrecisionOfTheMatrix) {
    const auto backend = make_cpu_backend({.threads = 1});
    const FrequentIds frequent(48, {});
    for (const Precision precision : {Precision::bf16, Precision::int8})
        for (const DType stored : {DType::bf16, DType::f32, DType::q8_0}) {
            const std::vector<std::byte> numbers(bytes_of(stored, 48 * 32));
            const Buffer matrix = backend->import_weight(numbers.data(), stored, 48, 32, precision);
            const auto owner = std::make_shared<int>();
            EXPECT_EQ(frequent.reduced_head(*backend, matrix.view(), owner, 21).weight.precision, precision) << name_of(stored);
        }
}

// What is at an address may be another matrix by now: the rows are those of who owns it now.
TEST(FrequentIds, CutWhatIsThereNotWhatWas) {
    const auto backend = make_cpu_backend({.threads = 1});
    const FrequentIds frequent(8, {});
    const Buffer matrix = backend->allocate_weight(DType::f32, 8, 4);
    const Buffer ids(*backend, DType::i32, 1, 1);
    const auto fill = [&](float value) {
        const std::vector<float> values(32, value);
        backend->import_weight(matrix.view(), DType::f32, values.data());
    };
    const auto first_value = [&](const OutputHead& head) {
        const Buffer row(*backend, DType::f32, 1, 4);
        const int index = 0;
        backend->upload(ids.view(), &index);
        backend->embed(head.weight, ids.view(), row.view());
        std::vector<float> values(4);
        backend->download(row.view(), values.data());
        return values.front();
    };
    auto owner = std::make_shared<int>();
    fill(3);
    const OutputHead before = frequent.reduced_head(*backend, matrix.view(), owner, 5);
    EXPECT_EQ(first_value(before), 3);
    EXPECT_EQ(frequent.reduced_head(*backend, matrix.view(), owner, 5).weight.data, before.weight.data) << "gathered twice";
    owner = std::make_shared<int>(); // freed, and the memory given to somebody else
    fill(4);
    EXPECT_EQ(first_value(frequent.reduced_head(*backend, matrix.view(), owner, 5)), 4);
    EXPECT_EQ(first_value(before), 3) << "who still has the old one keeps it";
}

// Rows of a quantised matrix stay what they are.
TEST(FrequentIds, CutAQuantisedMatrixToRowsOfItsType) {
    const auto backend = make_cpu_backend({.threads = 1});
    const FrequentIds frequent(48, {});
    std::vector<std::byte> stored(48 * 34); // Q8_0: a scale of 1, then 32 numbers: those of row i are i
    for (std::size_t row = 0; row < 48; ++row) {
        stored[row * 34 + 1] = std::byte{0x3C};
        std::fill_n(stored.begin() + static_cast<std::ptrdiff_t>(row * 34 + 2), 32, static_cast<std::byte>(row));
    }
    const Buffer matrix = backend->import_weight(stored.data(), DType::q8_0, 48, 32);
    const OutputHead head = frequent.reduced_head(*backend, matrix.view(), std::make_shared<int>(), 19);
    EXPECT_EQ(head.weight.dtype, DType::q8_0);
    ASSERT_EQ(head.weight.rows, 19);
    const Buffer ids(*backend, DType::i32, 1, 19), rows(*backend, DType::f32, 19, 32);
    std::vector<int> order(19);
    for (int i = 0; i < 19; ++i) order[static_cast<std::size_t>(i)] = i;
    backend->upload(ids.view(), order.data());
    backend->embed(head.weight, ids.view(), rows.view());
    std::vector<float> values(19 * 32);
    backend->download(rows.view(), values.data());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<float>(head.ids[i / 32])) << i;
}

TEST(FrequentIds, AreForSeveralThreads) {
    const FrequentIds frequent(8, {});
    const auto cut = [&](float value) {
        const auto backend = make_cpu_backend({.threads = 1});
        const Buffer matrix = backend->allocate_weight(DType::f32, 8, 4);
        const std::vector<float> values(32, value);
        backend->import_weight(matrix.view(), DType::f32, values.data());
        const auto owner = std::make_shared<int>();
        for (int i = 0; i < 200; ++i) {
            const OutputHead head = frequent.reduced_head(*backend, matrix.view(), owner, 2 + i % 3);
            EXPECT_EQ(head.ids.size(), static_cast<std::size_t>(2 + i % 3));
        }
    };
    std::thread other(cut, 1.0f);
    cut(2.0f);
    other.join();
}

// Logits of a cut pass are those of the whole pass (37 rows are not whole tiles, so they are summed in
// another order), and its distribution is the whole one without the other ids.
TEST(FrequentIds, ACutHeadGivesTheSameLogits) {
    for (const char* name : {"micro_qwen3", "micro_qwen2"}) {
        const auto backend = make_cpu_backend({.threads = 2});
        const ModelFolder folder(name);
        fs::remove(folder / "tokenizer.json"); // the last id is padding, which has no distribution
        const auto model = Model::load(*backend, folder.path());
        const int vocab = model->config.vocab;
        const FrequentIds frequent(vocab, {vocab - 1});
        const auto decoder = make_model_decoder(model, 32);
        const OutputHead head = decoder->reduced_head(frequent, 37);
        ASSERT_EQ(head.ids.size(), 37u);
        EXPECT_EQ(head.weight.data, decoder->reduced_head(frequent, 37).weight.data) << "gathered twice";

        const std::vector<int> tokens = {5, 17, 3, 99};
        const auto row_of = [&](const OutputHead* cut, const Sampling& sampling) {
            decoder->truncate(0);
            PassRows& rows = decoder->forward({.tokens = tokens, .logits_from = 3, .head = cut});
            return std::tuple{rows.logits(0), rows.distribution(0, sampling), rows.heads(0, sampling, 5), rows.argmax()[0]};
        };
        for (const Sampling& sampling : {Sampling{.temperature = 0.7}, Sampling{.temperature = 1, .top_k = 4}, Sampling{}}) {
            const auto [all, distribution, heads, best] = row_of(nullptr, sampling);
            const auto [some, reduced_distribution, reduced_heads, reduced_best] = row_of(&head, sampling);
            ASSERT_EQ(some.size(), static_cast<std::size_t>(vocab));
            Distribution raw(all.size());
            for (std::size_t id = 0; id < all.size(); ++id) {
                const bool kept = std::ranges::binary_search(head.ids, static_cast<int>(id));
                if (kept)
                    EXPECT_NEAR(some[id], all[id], 2e-5 * std::max(1.0f, std::abs(all[id]))) << id;
                else
                    EXPECT_EQ(some[id], -std::numeric_limits<float>::infinity()) << id;
                raw[id] = kept ? std::exp(static_cast<double>(all[id])) : 0;
            }
            const Distribution want = apply_sampling(raw, sampling);
            double largest = -1;
            for (std::size_t id = 0; id < want.size(); ++id) {
                EXPECT_NEAR(reduced_distribution[id], want[id], 1e-6) << id;
                if (reduced_distribution[id] > largest) largest = reduced_distribution[id];
            }
            EXPECT_EQ(reduced_distribution[static_cast<std::size_t>(reduced_best)], largest);
            for (const TopEntries::Entry& entry : reduced_heads.distribution.entries)
                EXPECT_NEAR(std::exp(entry.logp), reduced_distribution[static_cast<std::size_t>(entry.id)], 1e-9);
        }
    }
}

// A draw that looks at the ids of a cut head alone is the draw from its whole distribution, and a distribution that was given away is
// computed again.
TEST(FrequentIds, ADrawFromACutHeadIsOneFromItsDistribution) {
    const auto backend = make_cpu_backend({.threads = 1});
    const auto model = Model::load(*backend, golden("micro_qwen3"));
    const FrequentIds frequent(model->config.vocab, {400, 511});
    const auto decoder = make_model_decoder(model, 32);
    const OutputHead head = decoder->reduced_head(frequent, 37);
    const std::vector<int> tokens = {5, 17, 3};
    for (const OutputHead* with : {static_cast<const OutputHead*>(nullptr), &head})
        for (const Sampling& sampling :
             {Sampling{.temperature = 1}, Sampling{.temperature = 0.3, .top_k = 9}, Sampling{.temperature = 2, .top_p = 0.8}}) {
            decoder->truncate(0);
            PassRows& rows = decoder->forward({.tokens = tokens, .logits_from = 1, .head = with});
            const Distribution distribution = rows.distribution(1, sampling), other = rows.distribution(0, sampling);
            for (int i = 0; i <= 200; ++i) {
                const double u = i < 200 ? i / 200.0 : std::nextafter(1.0, 0.0);
                EXPECT_EQ(rows.draw(1, sampling, u), sample(distribution, u)) << u;
            }
            EXPECT_EQ(rows.take_distribution(1, sampling), distribution);
            EXPECT_EQ(rows.take_distribution(1, sampling), distribution) << "after it was given away";
            EXPECT_EQ(rows.distribution(0, sampling), other);
        }
}

// Whatever corrects or ranks: no drafter proposes an id that it has no row for, and each proposes its own
// best of those it has.
TEST(FrequentIds, BoundWhatEveryDrafterProposes) {
    const auto models = micro_models(1);
    for (const DrafterInfo& info : drafter_list()) {
        if (!info.reads_setting(Setting::fr_spec)) continue;
        for (const double temperature : {0.0, 1.0}) {
            RunSettings settings;
            settings.prompt.token_ids = {7, 8, 9, 7, 8};
            settings.drafter = info.name;
            settings.rule = info.tree ? "tree_topk" : "token";
            settings.sampling.temperature = temperature;
            settings.options.fr_spec = 12;
            settings.max_tokens = 30;
            settings.trace_top = -1;
            speclens::Run run(models, settings);
            run.finish();
            int drafts = 0;
            for (std::size_t i = 0; i < run.trace().size(); ++i)
                if (const auto* drafted = std::get_if<Drafted>(&run.trace()[i])) {
                    EXPECT_LT(drafted->token, 12) << info.name;
                    for (const TopEntries* top : {&drafted->top, &drafted->raw_top, &drafted->base_top})
                        for (const TopEntries::Entry& entry : top->entries) EXPECT_LT(entry.id, 12) << info.name;
                    ++drafts;
                }
            EXPECT_GT(drafts, 10) << info.name;
            EXPECT_EQ(run.trace().header()->draft_ids, 12);
            EXPECT_NE(run.trace().header()->notice.find("lowest numbers"), std::string::npos);
        }
    }
}

TEST(FrequentIds, AreRefusedWhereTheyMeanNothing) {
    DrafterOptions cut;
    cut.fr_spec = 9;
    for (const char* drafter : {"none", "lookup"}) expect_error([&] { check_options(drafter, cut, 4); }, {"--fr-spec has no meaning"});
    for (const char* drafter : {"eagle3", "eagle3_tree"})
        expect_error([&] { check_options(drafter, cut, 4); }, {"reduced vocabulary of its own"});
}

// ---- --small-ids: the same with a list, in rows of sixteen ----

IdList list_of(std::vector<int> ids) { return {.name = "some.ids", .ids = std::move(ids)}; }

std::shared_ptr<Models> micro_with(std::vector<int> always, std::vector<int> ids) {
    auto models = std::make_shared<Models>(*micro_models(1));
    models->small_ids = std::make_shared<FrequentIds>(61, std::move(always), list_of(std::move(ids)));
    return models;
}

TEST(SmallIds, AreTheListsThenTheLowestAndSomeAlways) {
    const FrequentIds ids(61, {60, 3, 3}, list_of({9, 5, 60, 44}));
    EXPECT_TRUE(ids.from_file());
    EXPECT_EQ(ids.file(), "some.ids");
    EXPECT_EQ(ids.first(4), (std::vector<int>{3, 5, 9, 60}));
    EXPECT_EQ(ids.first(9), (std::vector<int>{0, 1, 2, 3, 4, 5, 9, 44, 60}));
    expect_error([&] { (void)ids.first(2); }, {"--small-ids 2", "the end of the text and its chat only"});
    expect_error([&] { (void)ids.first(64); }, {"--small-ids 64 keeps all 61 ids"});
}

TEST(SmallIds, AreRoundedUpToWholeTiles) {
    DrafterOptions options;
    EXPECT_EQ(draft_ids(options), 0);
    options.fr_spec = 37;
    EXPECT_EQ(draft_ids(options), 37);
    options.fr_spec = 0;
    for (const auto& [asked, ranked] : {std::pair{1, 16}, {16, 16}, {17, 32}, {16384, 16384}}) {
        options.small_ids = asked;
        EXPECT_EQ(draft_ids(options), ranked);
        ASSERT_EQ(words_of(options).size(), 1U);
        const Said said = test::inner(words_of(options)[0], "words");
        EXPECT_EQ(said.id(), "settings.set.words:small_ids");
        EXPECT_EQ(test::whole(said, "value"), ranked);
    }
}

// Rows of a quantised matrix stay in its type and tiles: a logit is the one that the whole matrix has, to the bit.
TEST(SmallIds, HaveTheLogitsOfTheWholeMatrix) {
    std::mt19937 dice(3);
    for (const DType type : {DType::q8_0, DType::q6_k, DType::q5_0, DType::q4_0, DType::q4_k})
        for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
            const auto backend = make_cpu_backend({.threads = 2});
            constexpr int kRows = 64, kColumns = 256;
            std::vector<std::byte> stored(bytes_of(type, kRows * kColumns));
            for (std::byte& byte : stored) byte = static_cast<std::byte>(dice() & 0x3F); // scales that are numbers
            const Buffer matrix = backend->import_weight(stored.data(), type, kRows, kColumns, precision);
            const FrequentIds ids(kRows, {1, 63}, list_of({40, 2, 33, 17}));
            for (const int n : {16, 32, 48}) {
                const OutputHead head = ids.reduced_head(*backend, matrix.view(), std::make_shared<int>(), n);
                ASSERT_EQ(head.weight.dtype, type);
                ASSERT_EQ(head.weight.rows, n);
                for (const int rows : {1, 5}) {
                    std::vector<float> x(static_cast<std::size_t>(rows * kColumns)), whole(static_cast<std::size_t>(rows * kRows)),
                        cut(static_cast<std::size_t>(rows * n));
                    for (float& value : x) value = static_cast<float>(dice() % 2001) / 1000 - 1;
                    const Buffer input(*backend, DType::f32, rows, kColumns), all(*backend, DType::f32, rows, kRows),
                        some(*backend, DType::f32, rows, n);
                    backend->upload(input.view(), x.data());
                    backend->matmul(input.view(), std::vector<Projection>{{matrix.view(), {}, all.view()}});
                    backend->matmul(input.view(), std::vector<Projection>{{head.weight, {}, some.view()}});
                    backend->download(all.view(), whole.data());
                    backend->download(some.view(), cut.data());
                    for (int row = 0; row < rows; ++row)
                        for (int i = 0; i < n; ++i)
                            EXPECT_EQ(std::bit_cast<std::uint32_t>(cut[static_cast<std::size_t>(row * n + i)]),
                                      std::bit_cast<std::uint32_t>(
                                          whole[static_cast<std::size_t>(row * kRows + head.ids[static_cast<std::size_t>(i)])]))
                                << name_of(type) << " in " << name_of(precision) << ", row " << row << ", id "
                                << head.ids[static_cast<std::size_t>(i)];
                }
            }
        }
}

// The mechanism is one: with the same ids the same coins fall on the same tokens.
TEST(SmallIds, DrawWhatFrSpecDraws) {
    std::vector<int> lowest(61);
    std::iota(lowest.begin(), lowest.end(), 0);
    const auto models = micro_with({}, lowest);
    for (const char* drafter : {"small", "small_tree"})
        for (const double temperature : {0.0, 0.8}) {
            RunSettings settings;
            settings.prompt.token_ids = {7, 8, 9, 7, 8};
            settings.drafter = drafter;
            settings.rule = judging_rule("token", drafter);
            settings.sampling.temperature = temperature;
            settings.max_tokens = 30;
            RunSettings by_list = settings;
            settings.options.fr_spec = 16;
            by_list.options.small_ids = 9;
            speclens::Run one(models, settings), other(models, by_list);
            one.finish();
            other.finish();
            EXPECT_EQ(one.sequence(), other.sequence());
            const auto drafts = [](const speclens::Run& run) {
                std::vector<std::pair<int, double>> all;
                for (std::size_t i = 0; i < run.trace().size(); ++i)
                    if (const auto* drafted = std::get_if<Drafted>(&run.trace()[i]))
                        all.emplace_back(drafted->token, drafted->u.value_or(-1));
                return all;
            };
            EXPECT_EQ(drafts(one), drafts(other));
            EXPECT_GT(drafts(one).size(), 10u);
            const Header& header = *other.trace().header();
            EXPECT_EQ(header.draft_ids, 16);
            EXPECT_EQ(header.draft_ids_are.size(), 16u);
            EXPECT_EQ(header.notice, "");
            EXPECT_EQ(one.trace().header()->draft_ids_are, "");
        }
}

// What goes on from a run has its ids again, or says that they are others here.
TEST(SmallIds, AForkSaysWhereTheListIsAnotherOne) {
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9, 7, 8};
    settings.drafter = "small";
    settings.options.small_ids = 16;
    settings.max_tokens = 12;
    const auto models = micro_with({3}, {9, 5, 60, 44});
    speclens::Run base(models, settings);
    base.finish();
    RunSettings back = settings_of(*base.trace().header());
    back.prompt = settings.prompt; // ids
    EXPECT_EQ(back.options, settings.options) << "not as FR-Spec's";
    const Fork fork{.round = 1};
    EXPECT_EQ(speclens::Run(models, back, base.trace(), fork).trace().header()->notice, "");
    speclens::Run other(micro_with({3}, {9, 5, 60, 45}), back, base.trace(), fork);
    EXPECT_NE(other.trace().header()->notice.find("its list is another one here"), std::string::npos);
}

TEST(SmallIds, AreRefusedWhereTheyMeanNothing) {
    DrafterOptions cut;
    cut.small_ids = 32;
    for (const char* drafter : {"none", "lookup", "medusa", "skip", "eagle3"})
        expect_error([&] { check_options(drafter, cut, 4); }, {"--small-ids has no meaning"});
    cut.fr_spec = 9;
    expect_error([&] { check_options("small", cut, 4); }, {"--fr-spec and --small-ids"});
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9};
    settings.drafter = "small";
    settings.options.small_ids = 32;
    const auto models = micro_models(1); // no list
    expect_error([&] { speclens::Run run(models, settings); }, {"--small-ids", "no list", "micro target"});
}

} // namespace
} // namespace speclens::test
