// What the lens must leave alone, and what of it survives a file.
#include <algorithm>
#include <sstream>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "tests/engine/drafters/drafter_goldens.h"
#include "tests/shared/micro.h"

namespace speclens::test {
namespace {

RunSettings settings_for(const std::string& drafter, bool internals) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = drafter;
    settings.k = 5;
    settings.sampling.temperature = 0.8;
    settings.max_tokens = 20;
    settings.timing = false;
    settings.internals = internals;
    return settings;
}

std::string lines_of(const Trace& trace) {
    std::string lines;
    TraceWriter writer(trace);
    for (std::size_t i = 0; i < trace.size(); ++i) lines += writer.line(trace[i]) + "\n";
    return lines;
}

TEST(Internals, ChangesNoTokenAndNoHash) {
    const auto models = micro_models(1);
    for (const char* drafter : {"domino", "dflash", "dspark", "eagle3", "eagle3_tree", "small", "lookup"}) {
        SCOPED_TRACE(drafter);
        RunSettings settings = settings_for(drafter, false);
        settings.rule = judging_rule(settings.rule, drafter);
        speclens::Run plain(models, settings);
        plain.finish();
        settings.internals = true;
        speclens::Run seen(models, settings);
        seen.finish();
        EXPECT_EQ(plain.trace().hash(plain.trace().size()), seen.trace().hash(seen.trace().size()));
        EXPECT_EQ(lines_of(plain.trace()).find("\"lens\""), std::string::npos);
    }
}

// Selecting what a trace shows of a distribution is no part of drafting: it is timed apart.
TEST(Recording, IsTimedApartFromDrafting) {
    const auto models = micro_models(1);
    const std::vector<int> text = {5, 6, 7, 8, 9};
    for (const char* name : {"small", "skip", "eagle3", "dflash", "domino", "dspark", "medusa"})
        for (const int entries : {0, 8}) {
            SCOPED_TRACE(name + std::to_string(entries));
            const auto target = make_model_decoder(models->target, 128);
            const DrafterInfo* info = find_drafter(name);
            const auto drafter = info->make(
                {*target, info->needs_draft_model() ? make_model_decoder(models->draft, 128) : nullptr, models->network(name), {}});
            drafter->begin(text);
            target->prefill(std::span(text).first(4), drafter->taps(), [&](int first, const Tensor& features) {
                drafter->observe({.sequence = text, .first = first, .prompt = true, .features = features});
            });
            const Draft draft = drafter->draft({.sequence = text,
                                                .k = 3,
                                                .nodes = 0,
                                                .sampling = {.temperature = 1},
                                                .coin = [](int) { return 0.5; },
                                                .entries = entries});
            ASSERT_FALSE(draft.nodes.empty());
            for (const DraftNode& node : draft.nodes) {
                EXPECT_EQ(node.record_ms > 0, entries > 0);
                EXPECT_GE(node.ms, 0);
                EXPECT_GE(node.head_ms, 0);
            }
        }
}

TEST(Internals, SurvivesTheFile) {
    const auto models = micro_models(1);
    for (const char* drafter : {"domino", "eagle3"}) {
        SCOPED_TRACE(drafter);
        speclens::Run run(models, settings_for(drafter, true));
        run.finish();
        const std::string lines = lines_of(run.trace());
        std::istringstream in(lines);
        const auto back = read_trace(in, "lens", nullptr);
        ASSERT_EQ(back->size(), run.trace().size());
        int drafts = 0, commits = 0;
        for (std::size_t i = 0; i < back->size(); ++i) {
            if (const auto* drafted = std::get_if<Drafted>(&(*back)[i])) {
                EXPECT_EQ(drafted->internals, std::get<Drafted>(run.trace()[i]).internals);
                drafts += !drafted->internals.empty();
            } else if (const auto* commit = std::get_if<Committed>(&(*back)[i])) {
                EXPECT_EQ(commit->internals, std::get<Committed>(run.trace()[i]).internals);
                commits += !commit->internals.empty();
            }
        }
        EXPECT_GT(drafts, 4);
        EXPECT_EQ(commits > 0, std::string(drafter) == "eagle3");
        EXPECT_EQ(back->hash(back->size()), run.trace().hash(run.trace().size()));
    }
}

TEST(Internals, RefusesWhatIsNoLens) {
    const std::string header =
        R"({"schema":"speclens-trace/1","kind":"header","model":"m","drafter":"domino","rule":"token","k":1,"seed":7,)"
        R"("max_tokens":4,"vocab":9,"prefill_boundary":0,"timing":true,"prompt":[1]})"
        "\n";
    const auto with = [&](const std::string& internals) {
        std::istringstream in(header + R"({"kind":"draft","cycle":0,"index":0,"parent":-1,"token":2,"q":-1.0,"ms":0,"lens":)" + internals +
                              "}\n\n");
        return read_trace(in, "a file", nullptr);
    };
    EXPECT_EQ(with("{}")->size(), 2u);
    EXPECT_EQ(with(R"({"numbers":[{"name":"x","value":1}]})")->size(), 2u);
    expect_error([&] { (void)with("7"); }, {"line 2", "lens"});
    expect_error([&] { (void)with(R"({"strips":[7]})"); }, {"line 2", "strips"});
    expect_error([&] { (void)with(R"({"strips":[{"name":"s","values":4,"low":0,"high":1,"cells":[]}]})"); }, {"line 2", "cells"});
    expect_error([&] { (void)with(R"({"movers":[{"token":-1,"base_logit":0,"final_logit":0,"base_logp":-1,"final_logp":-1}]})"); },
                 {"line 2", "token"});
    expect_error([&] { (void)with(R"({"numbers":[{"name":"x","value":"y"}]})"); }, {"line 2", "value"});
}

TEST(Correction, OffDraftsWhatTheBaseLogitsSay) {
    const auto models = micro_models(1);
    RunSettings settings = settings_for("domino", true);
    settings.sampling.temperature = 0;
    settings.options.correction = false;
    speclens::Run run(models, settings);
    run.finish();
    settings.options.correction = true;
    speclens::Run with(models, settings);
    with.finish();
    int drafts = 0;
    for (std::size_t i = 0; i < run.trace().size(); ++i)
        if (const auto* drafted = std::get_if<Drafted>(&run.trace()[i])) {
            EXPECT_TRUE(drafted->base_top.empty());
            EXPECT_EQ(drafted->internals.strip("state"), nullptr);
            ++drafts;
        }
    EXPECT_GT(drafts, 4);
    for (std::size_t i = 0; i < with.trace().size(); ++i) // the first cycle starts from the same block
        if (const auto* drafted = std::get_if<Drafted>(&with.trace()[i]); drafted && drafted->round == 0 && !drafted->base_top.empty()) {
            const auto& base = std::get<Drafted>(run.trace()[i]);
            EXPECT_EQ(base.token, drafted->base_top.entries.front().id);
        }
    EXPECT_EQ(run.sequence(), with.sequence());
    settings.drafter = "dflash";
    settings.options.correction = false;
    expect_error([&] { speclens::Run refused(models, settings); }, {"--no-correction", "dflash"});
}

} // namespace
} // namespace speclens::test
