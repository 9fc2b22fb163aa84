// Traces: publication, fold, hash, JSON Lines both ways, cut and hostile files.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "engine/base/json.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/mutate.h"
#include "tests/shared/tables.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<speclens::Run> finished(const std::string& drafter, double temperature, int top = 8) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 5, 6, 5};
    settings.drafter = drafter;
    settings.rule = judging_rule(settings.rule, drafter);
    settings.k = 3;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 24;
    settings.trace_top = top;
    auto run = std::make_unique<speclens::Run>(test::micro_models(1), settings);
    run->finish();
    return run;
}

std::string to_lines(const Trace& trace) {
    std::string lines;
    TraceWriter writer(trace);
    for (std::size_t i = 0; i < trace.size(); ++i) lines += writer.line(trace[i]) + "\n";
    return lines;
}

TEST(Trace, AReaderSeesOnlyWholeEventsWhileAWriterAppends) {
    Trace trace([](int id) { return std::to_string(id); });
    constexpr int kEvents = 20000;
    std::atomic<bool> wrong{false};
    std::thread reader([&] {
        for (std::size_t seen = 0; seen < kEvents;) {
            const std::size_t size = trace.size();
            for (; seen < size; ++seen) {
                const auto* prefill = std::get_if<Prefill>(&trace[seen]);
                if (!prefill || prefill->tokens != static_cast<int>(seen)) wrong = true;
            }
        }
    });
    for (int i = 0; i < kEvents; ++i) trace.append(Prefill{i, 0});
    reader.join();
    EXPECT_FALSE(wrong);
}

TEST(Trace, EventsStayWhereTheyAreWhileItGrows) {
    Trace trace([](int id) { return std::to_string(id); });
    std::vector<const Event*> places;
    for (int i = 0; i < 3000; ++i) {
        trace.append(Prefill{i, 0});
        places.push_back(&trace[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < 3000; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(&trace[at], places[at]) << i;
        ASSERT_EQ(std::get<Prefill>(trace[at]).tokens, i);
    }
    EXPECT_EQ(std::set(places.begin(), places.end()).size(), 3000u);
}

TEST(Trace, TopIsSortedAndItsRestIsTheMissingMass) {
    Distribution distribution(1000, 0.0);
    for (std::size_t i = 0; i < distribution.size(); ++i) distribution[i] = (static_cast<double>((i * 7919) % 1000) + 1) / 500500.0;
    const TopEntries top = top_of(distribution, 10);
    ASSERT_EQ(top.entries.size(), 10u);
    double mass = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_NEAR(std::exp(top.entries[i].logp), (1000.0 - static_cast<double>(i)) / 500500.0, 1e-12);
        mass += std::exp(top.entries[i].logp);
    }
    EXPECT_NEAR(top.rest, 1 - mass, 1e-12);
    EXPECT_TRUE(top_of(distribution, 0).empty());
    EXPECT_EQ(top_of(distribution, -1).entries.size(), 1000u);
    EXPECT_EQ(top_of(Distribution{0, 1, 0}, -1).entries.size(), 1u) << "ids without mass are not listed";
    const TopEntries ties = top_of(Distribution(200, 0.005), 3);
    EXPECT_EQ(ties.entries[0].id, 0);
    EXPECT_EQ(ties.entries[2].id, 2);
}

TEST(RunView, AccountsForEveryTokenWithItsOrigin) {
    const auto run = finished("small", 1);
    const RunView view = fold(run->trace(), run->trace().size());
    EXPECT_EQ(view.output_tokens, 24);
    EXPECT_EQ(static_cast<int>(view.tokens.size()), 5 + 24);
    std::vector<int> ids;
    int accepted = 0;
    for (const OutputToken& token : view.tokens) {
        ids.push_back(token.id);
        accepted += token.origin == Origin::accepted;
    }
    EXPECT_EQ(ids, run->sequence());
    EXPECT_EQ(accepted, view.accepted_drafts);
    EXPECT_EQ(view.output_tokens, view.accepted_drafts + view.rounds);
    EXPECT_EQ(view.rounds, static_cast<int>(view.round_list.size()));
    ASSERT_NE(view.stopped, nullptr);
    for (const RoundSummary& round : view.round_list) {
        bool rejected = false;
        for (const DraftSlot& slot : round.drafts) {
            if (rejected) {
                EXPECT_EQ(slot.state, DraftSlot::State::discarded);
            }
            rejected = rejected || slot.state == DraftSlot::State::rejected;
        }
    }
}

TEST(RunView, EveryPrefixFoldsAndStepBackIsTheSameFold) {
    const auto run = finished("lookup", 0.8);
    std::size_t tokens = 0;
    for (std::size_t cursor = 0; cursor <= run->trace().size(); ++cursor) {
        const RunView view = fold(run->trace(), cursor);
        EXPECT_EQ(view.events, cursor);
        EXPECT_GE(view.tokens.size(), tokens);
        tokens = view.tokens.size();
    }
    EXPECT_EQ(fold(run->trace(), 1u << 30).events, run->trace().size());
}

TEST(RunView, CursorMovesVisitCycles) {
    const auto run = finished("lookup", 1);
    const Trace& trace = run->trace();
    std::size_t cursor = 0;
    int cycles = 0;
    while (next_round_end(trace, cursor) < trace.size() && std::holds_alternative<Committed>(trace[next_round_end(trace, cursor) - 1])) {
        cursor = next_round_end(trace, cursor);
        ++cycles;
    }
    EXPECT_EQ(cycles, fold(trace, trace.size()).rounds);
    const std::size_t back = previous_round_end(trace, cursor);
    EXPECT_LT(back, cursor);
    EXPECT_EQ(next_round_end(trace, back), cursor);
    EXPECT_EQ(previous_round_end(trace, 0), 0u);
}

// Of the rounds without guesses: those that had no room for one. A drafter that found nothing was asked.
TEST(RunView, KnowsWhichRoundsHadNoRoomForAGuess) {
    const auto with = [](const char* drafter, int max_tokens, int positions) {
        RunSettings settings;
        settings.prompt.token_ids = {5, 6, 5, 6, 5};
        settings.drafter = drafter;
        settings.k = 3;
        settings.sampling.temperature = 1;
        settings.max_tokens = max_tokens;
        auto run = std::make_unique<speclens::Run>(test::micro_models(1, positions), settings);
        run->finish();
        return run;
    };
    int full = 0, silent = 0, no_room = 0;
    for (const char* drafter : {"none", "small", "lookup"})
        for (const int max_tokens : {1, 2, 7, 8, 9, 100})
            for (const int positions : {20, 21, 22, 512}) {
                const auto run = with(drafter, max_tokens, positions);
                const RunView whole = fold(run->trace(), run->trace().size());
                int left = max_tokens, room = positions - 5; // before the round: tokens, slots beside the pending one's
                for (const RoundSummary& round : whole.round_list) {
                    const bool tight = left == 1 || room == 0;
                    const bool expected = tight && std::string(drafter) != "none";
                    EXPECT_EQ(no_room_for_draft(whole, round), expected) << drafter << " " << max_tokens << " " << left;
                    if (left == 1) { // seen as soon as the round is
                        const RunView early = fold(run->trace(), round.first_event + 1);
                        EXPECT_EQ(no_room_for_draft(early, early.round_list.back()), expected) << drafter;
                    }
                    full += expected && left > 1;
                    no_room += expected;
                    silent += !tight && round.drafts.empty();
                    left -= static_cast<int>(round.commit->tokens.size());
                    room -= static_cast<int>(round.commit->tokens.size());
                }
            }
    EXPECT_GT(silent, 0) << "lookup finds nothing at times";
    EXPECT_GT(full, 0);
    EXPECT_GT(no_room, full);
}

TEST(TraceHash, IgnoresTimingsAndSeesEverythingElse) {
    const auto one = finished("small", 1), two = finished("small", 1), other = finished("small", 0.9);
    const auto hash = [](const speclens::Run& run) { return run.trace().hash(run.trace().size()); };
    EXPECT_EQ(hash(*one), hash(*two));
    EXPECT_NE(hash(*one), hash(*other));
    EXPECT_EQ(hash(*one), hash(*finished("small", 1, 0))) << "fast mode records fewer rows but the same run";
}

TEST(TraceJson, SurvivesARoundTripWithoutTheModels) {
    for (const DrafterInfo& drafter : drafter_list())
        for (double temperature : {0.0, 0.8}) {
            const auto run = finished(drafter.name, temperature);
            std::istringstream in(to_lines(run->trace()));
            std::string notice;
            const auto back = read_trace(in, "memory", &notice);
            EXPECT_TRUE(notice.empty()) << notice;
            ASSERT_EQ(back->size(), run->trace().size());
            EXPECT_EQ(back->hash(back->size()), run->trace().hash(run->trace().size())) << drafter.name;
            EXPECT_EQ(back->header()->tier, "RECORDED");
            EXPECT_EQ(back->text(run->sequence().back()), run->trace().text(run->sequence().back()));
            for (std::size_t i = 0; i < back->size(); ++i)
                if (const auto* check = std::get_if<Checked>(&(*back)[i])) {
                    EXPECT_EQ(check->top, std::get<Checked>(run->trace()[i]).top);
                }
        }
}

TEST(TraceJson, KeepsWhatStartsTheRunAgain) {
    const auto trace = std::make_shared<Trace>([](int) { return std::string(); });
    Header header;
    header.drafter = "domino";
    header.rule = "token";
    header.k = 5;
    header.prompt = {1, 2};
    header.prefill_boundary = 1;
    header.prompt_text = "<user>Hello<end>";
    header.chat = Header::Chat{"Hello", "Be brief.", true};
    header.options.correction = false;
    header.options.tap_shift = -2;
    header.options.skip_mlp = {1, 3};
    header.options.ngram_weight = 0.25;
    trace->append(header);
    std::istringstream in(to_lines(*trace));
    const auto back = read_trace(in, "memory");
    ASSERT_TRUE(back->header());
    EXPECT_EQ(back->header()->chat, header.chat);
    EXPECT_EQ(back->header()->options, header.options);
    const RunSettings settings = settings_of(*back->header());
    EXPECT_EQ(settings.prompt.text, "Hello");
    EXPECT_EQ(settings.prompt.system, "Be brief.");
    EXPECT_TRUE(settings.prompt.chat);
    EXPECT_TRUE(settings.prompt.thinking);
    EXPECT_EQ(settings.options, header.options);
    header.chat.reset(); // raw text, or a file of an earlier version
    EXPECT_EQ(settings_of(header).prompt.text, "<user>Hello<end>");
    EXPECT_FALSE(settings_of(header).prompt.chat);
}

TEST(TraceJson, KeepsWhichCoinWasSet) {
    Trace trace([](int) { return std::string(); });
    trace.append(Header{});
    for (const bool set : {false, true}) {
        Checked check;
        check.u = 0.25;
        check.set = set;
        trace.append(check);
    }
    std::istringstream in(to_lines(trace));
    const auto back = read_trace(in, "memory");
    EXPECT_FALSE(std::get<Checked>((*back)[1]).set);
    EXPECT_TRUE(std::get<Checked>((*back)[2]).set);
}

// Old files have no such field; the hash leaves it out as it does every time.
TEST(TraceJson, KeepsTheTimeOfADraftThatProposedNothing) {
    const auto with = [](double draft_ms) {
        auto trace = std::make_unique<Trace>([](int id) { return std::to_string(id); });
        trace->append(Header{});
        trace->append(Verified{0, 1, 2.5, draft_ms});
        return trace;
    };
    const auto silent = with(0.75), old = with(0);
    EXPECT_NE(to_lines(*silent).find("\"draft_ms\":0.75"), std::string::npos);
    EXPECT_EQ(to_lines(*old).find("draft_ms"), std::string::npos);
    EXPECT_EQ(silent->hash(2), old->hash(2));
    std::istringstream in(to_lines(*silent));
    EXPECT_EQ(std::get<Verified>((*read_trace(in, "memory"))[1]).draft_ms, 0.75);
    std::istringstream before(to_lines(*old));
    EXPECT_EQ(std::get<Verified>((*read_trace(before, "memory"))[1]).draft_ms, 0);
    std::string negative = to_lines(*silent);
    std::istringstream wrong(negative.replace(negative.find("0.75"), 4, "-1.0"));
    EXPECT_THROW((void)read_trace(wrong, "memory"), Error);
}

TEST(TraceJson, HasThePublicFieldsOnEveryKind) {
    const auto run = finished("small", 1);
    std::istringstream in(to_lines(run->trace()));
    std::map<std::string, std::vector<std::string>> fields{
        {"header", {"schema", "model", "drafter", "rule", "seed", "sampling", "machine", "prefill_boundary", "prompt"}},
        {"prefill", {"tokens", "ms"}},
        {"draft", {"cycle", "index", "parent", "token", "text", "q", "u", "top", "rest", "ms"}},
        {"verify", {"cycle", "rows", "ms"}},
        {"check", {"cycle", "index", "token", "p", "q", "u", "accepted", "top"}},
        {"resample", {"cycle", "from", "token", "u", "top"}},
        {"commit", {"cycle", "accepted_drafts", "tokens", "kv_before", "kv_after", "ms"}},
        {"stop", {"reason", "hash"}}};
    std::set<std::string> seen;
    for (std::string line; std::getline(in, line);) {
        const auto object = Json::parse(line);
        const std::string& kind = object["kind"].text();
        seen.insert(kind);
        for (const std::string& field : fields[kind]) EXPECT_TRUE(object.contains(field)) << kind << "." << field;
    }
    EXPECT_EQ(seen.size(), fields.size());
}

TEST(TraceJson, BytesThatAreNotTextSurvive) {
    Trace trace([](int id) { return id == 1 ? std::string("\xE4\xB8") : std::string("a\"\n"); });
    Header header;
    header.prompt = {1, 2};
    trace.append(header);
    std::istringstream in(to_lines(trace));
    const auto back = read_trace(in, "memory");
    EXPECT_EQ(back->text(1), "\xE4\xB8");
    EXPECT_EQ(back->text(2), "a\"\n");
    EXPECT_EQ(back->text(3), "<3>") << "an id the file never mentioned";
}

TEST(TraceJson, AFileCutInItsLastLineOpensUpToThere) {
    const auto run = finished("small", 1);
    const std::string lines = to_lines(run->trace());
    std::istringstream in(lines.substr(0, lines.size() - 20));
    std::string notice;
    const auto back = read_trace(in, "cut.jsonl", &notice);
    EXPECT_EQ(back->size(), run->trace().size() - 1);
    EXPECT_NE(notice.find("ends in the middle"), std::string::npos);
}

TEST(TraceJson, AFileThatWasChangedSaysSo) {
    const auto run = finished("small", 1);
    const std::string lines = to_lines(run->trace());
    const auto read = [](const std::string& text, std::string& notice) {
        std::istringstream in(text);
        notice.clear();
        return read_trace(in, "run.jsonl", &notice);
    };
    std::string notice;
    EXPECT_TRUE(read(lines, notice)->intact());
    EXPECT_EQ(notice, "");
    for (const auto& [was, is] : {std::pair{"\"accepted\":true", "\"accepted\":false"}, std::pair{"\"kv_after\":", "\"kv_after\":1"},
                                  std::pair{"\"seed\":", "\"seed\":1"}}) {
        std::string changed = lines;
        const std::size_t at = changed.find(was);
        ASSERT_NE(at, std::string::npos) << was;
        changed.replace(at, std::string(was).size(), is);
        EXPECT_FALSE(read(changed, notice)->intact()) << is;
        EXPECT_NE(notice.find("run.jsonl does not match the hash it ends with"), std::string::npos) << notice;
    }
    const std::size_t hash = lines.find("\"hash\":\"");
    std::string without = lines;
    without.replace(hash, std::string("\"hash\":\"0123456789abcdef\"").size(), "\"hash\":\"\"");
    EXPECT_TRUE(read(without, notice)->intact()) << "nothing to compare with";
}

TEST(TraceJson, BadFilesAreRefusedWithLineAndReason) {
    const auto message = [](const std::string& text) -> std::string {
        std::istringstream in(text);
        try {
            (void)read_trace(in, "bad.jsonl");
        } catch (const Error& error) {
            EXPECT_FALSE(error.remedy().empty());
            return error.what();
        }
        return "accepted";
    };
    const std::string header = to_lines(finished("none", 0)->trace()).substr(0, to_lines(finished("none", 0)->trace()).find('\n') + 1);
    EXPECT_NE(message("").find("empty"), std::string::npos);
    EXPECT_NE(message("hello\n").find("line 1"), std::string::npos);
    EXPECT_NE(message("{\"kind\":\"header\"}\n").find("schema"), std::string::npos);
    EXPECT_NE(message("[1,2]\n").find("missing"), std::string::npos);
    EXPECT_NE(message(header + "{\"kind\":\"dance\"}\n").find("dance"), std::string::npos);
    EXPECT_NE(message(header + "{\"kind\":\"draft\",\"cycle\":\"x\"}\n").find("cycle"), std::string::npos);
    EXPECT_NE(message(header + "{broken\n" + "{\"kind\":\"verify\",\"cycle\":0,\"rows\":1,\"ms\":0}\n").find("line 2"), std::string::npos);
}

TEST(TraceJson, DamagedFilesAreReadOrRefusedNeverACrash) {
    const std::string valid = to_lines(finished("small", 0.8, 3)->trace());
    const test::MutationCount count = test::replay_mutations(valid, 3000, 77, [](const std::string& text) {
        std::istringstream in(text);
        std::string notice;
        const auto trace = read_trace(in, "mutated.jsonl", &notice);
        for (std::size_t cursor = 0; cursor <= trace->size(); cursor += 7) (void)fold(*trace, cursor);
        (void)trace->hash(trace->size());
        (void)to_lines(*trace);
    });
    EXPECT_GT(count.refused, 500);
    EXPECT_GT(count.accepted, 100);
}

TEST(TraceJson, KeepsTheTimeOfPlainDecodingBesideTheEvents) {
    const test::TempFolder folder;
    const auto run = finished("small", 1);
    EXPECT_EQ(run->trace().plain_ms(), 0) << "nobody measured it";
    EXPECT_EQ(TraceWriter(run->trace()).closing_lines(), "");
    const std::uint64_t hash = run->trace().hash(run->trace().size());
    run->set_plain_ms(0.25);
    EXPECT_EQ(run->trace().hash(run->trace().size()), hash);
    save_trace(run->trace(), folder / "run.jsonl");
    const auto loaded = load_trace(folder / "run.jsonl");
    EXPECT_EQ(loaded->plain_ms(), 0.25);
    EXPECT_EQ(loaded->size(), run->trace().size());
    EXPECT_EQ(loaded->hash(loaded->size()), hash);
    for (const char* wrong : {"-1", "\"fast\"", "null"}) {
        std::istringstream in(to_lines(run->trace()) + "{\"kind\":\"plain\",\"ms_per_token\":" + wrong + "}\n");
        EXPECT_THROW((void)read_trace(in, "run.jsonl"), Error) << wrong;
    }
}

TEST(TraceJson, SavingReplacesTheFileOnlyWhenWhole) {
    const test::TempFolder folder;
    const auto run = finished("small", 1);
    save_trace(run->trace(), folder / "run.jsonl");
    EXPECT_EQ(load_trace(folder / "run.jsonl")->size(), run->trace().size());
    EXPECT_THROW(save_trace(run->trace(), folder / "missing" / "run.jsonl"), Error);
    EXPECT_THROW((void)load_trace(folder / "nothing.jsonl"), Error);
    EXPECT_THROW((void)load_trace(folder.path()), Error);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++files;
    EXPECT_EQ(files, 1u) << "no temporary file is left";
}

} // namespace
} // namespace speclens
