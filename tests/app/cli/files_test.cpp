// What is made from runs, links and lectures: exported traces, animated pictures, handouts.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

TEST(Export, RefusesATraceThatDoesNotMatchItsHash) {
    const std::filesystem::path folder = fresh_folder();
    const std::string trace = folder / "run.jsonl", copy = folder / "copy.jsonl";
    ASSERT_EQ(speclens({"run", "--model", table_file(), "--no-timing", "--json", trace}).code, 0);
    ASSERT_EQ(speclens({"export", "jsonl", trace, "-o", copy}).code, 0);
    std::string text = read_file(trace);
    const std::size_t at = text.find("\"threshold\":");
    ASSERT_NE(at, std::string::npos);
    text.insert(at + 12, "0.125,\"was\":");
    write_file(trace, text);
    const Outcome outcome = speclens({"export", "csv", trace, "-o", copy});
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_NE(outcome.err.find("does not match the hash"), std::string::npos) << outcome.err;
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const Outcome shown = speclens({"describe", "loop", trace});
    EXPECT_EQ(shown.code, 0);
    EXPECT_NE(shown.err.find("does not match the hash"), std::string::npos) << shown.err;
}

TEST(Render, SaysThatAPictureShowsAPart) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const auto drawn = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {"render", "loop", "--model", table_file(), "-o", folder / "loop.svg"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = speclens(words);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.err;
    };
    EXPECT_NE(drawn({"--zoom", "2", "--size", "1600x1000"}).find("needs --size 2000x1384"), std::string::npos);
    EXPECT_NE(drawn({"--size", "640x480"}).find("part of the scene"), std::string::npos);
    for (const char* size : {"2200x1384", "3200x2000"})
        EXPECT_EQ(drawn({"--zoom", "2", "--size", size}).find("part of"), std::string::npos) << size;
    EXPECT_EQ(drawn({}).find("part of"), std::string::npos);
}

// A round may keep more than the text took: what nobody wrote is marked.
TEST(Export, WritesAsManyTokensAsTheTextHas) {
    const std::filesystem::path folder = fresh_folder();
    int cut = 0;
    for (const char* drafter : {"small", "small_tree", "lookup"})
        for (const char* prompt : {"What is the capital of Japan?", "Repeat after me: Paris"}) {
            const std::string trace = folder / "run.jsonl";
            ASSERT_EQ(speclens({"run", "--drafter", drafter, "--k", "8", "--temp", "0", "--chat", "--prompt", prompt, "--no-timing",
                                "--json", trace})
                          .code,
                      0);
            std::size_t written = 0, kept_rows = 0;
            for (const Json& event : lines_of(read_file(trace)))
                if (event["kind"] == "commit") written += event["tokens"].size();
            const Outcome outcome = speclens({"export", "csv", trace, "-o", "-"});
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            std::istringstream lines(outcome.out);
            std::string line;
            ASSERT_TRUE(std::getline(lines, line));
            const int behind = line.ends_with(",parent") ? 3 : 2; // cells behind the verdict
            while (std::getline(lines, line)) {
                for (int i = 0; i < behind; ++i) line.resize(line.rfind(','));
                const std::string verdict = line.substr(line.rfind(',') + 1);
                for (const char* kept : {"accepted", "residual", "bonus", "target"}) kept_rows += verdict == kept;
                cut += verdict == "cut";
            }
            EXPECT_EQ(kept_rows, written) << drafter << "\n" << outcome.out;
        }
    EXPECT_GT(cut, 0) << "no round was cut: these prompts test nothing";
}

TEST(Export, WritesCsvPerfettoAndTheTraceAgain) {
    const std::filesystem::path folder = fresh_folder();
    const std::string trace = folder / "run.jsonl";
    ASSERT_EQ(speclens({"run", "--model", table_file(), "--json", trace}).code, 0);
    const auto exported = [&](const char* format) {
        const std::string file = folder / (std::string("out.") + format);
        const Outcome outcome = speclens({"export", format, trace, "-o", file});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return read_file(file);
    };
    const std::string csv = exported("csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')), "cycle,index,role,token,text,q_draft,p_target,threshold,u,verdict,ms,head_ms");
    EXPECT_NE(csv.find(",rejected,"), std::string::npos);
    const std::string tree = folder / "tree.jsonl";
    ASSERT_EQ(speclens({"run", "--model", table_file(), "--drafter", "small_tree", "--json", tree}).code, 0);
    ASSERT_EQ(speclens({"export", "csv", tree, "-o", folder / "tree.csv"}).code, 0);
    const std::string nodes = read_file(folder / "tree.csv");
    EXPECT_NE(nodes.substr(0, nodes.find('\n')).find(",parent"), std::string::npos);
    const Json perfetto = Json::parse(exported("perfetto"));
    std::map<std::string, int> kinds;
    int fed = 0;
    for (const Json& event : lines_of(read_file(trace))) fed += event["kind"] == "prefill" ? event["tokens"].get<int>() : 0;
    for (const Json& event : perfetto["traceEvents"]) {
        ++kinds[event["ph"].get<std::string>()];
        if (event["name"] == "prefill") {
            EXPECT_EQ(event["args"]["tokens"], fed);
        }
    }
    for (const char* kind : {"X", "M", "C", "s", "f"}) EXPECT_GT(kinds[kind], 0) << kind;
    EXPECT_EQ(kinds["s"], kinds["f"]);
    const Json rounds = Json::parse(exported("rounds"))["rounds"];
    std::size_t at = 0, rejected = 0;
    for (const Json& event : lines_of(read_file(trace))) { // what each round wrote, from what it kept and what the target added
        if (event["kind"] != "commit") continue;
        ASSERT_LT(at, rounds.size());
        const Json& round = rounds[at++];
        const std::size_t kept = round["nAccepted"].get<std::size_t>();
        EXPECT_EQ(kept + (round.contains("target") ? 1 : 0), event["tokens"].size());
        ASSERT_LE(kept, round["drafted"].size());
        rejected += round["drafted"].size() - kept;
    }
    EXPECT_EQ(at, rounds.size());
    EXPECT_GT(rejected, 0U);
    for (const Json& event : lines_of(read_file(trace)))
        if (event["kind"] == "draft" && event["cycle"] == 0 && event["index"] == 0) {
            EXPECT_EQ(rounds[0]["drafted"][0], event["text"]);
        }
    EXPECT_EQ(lines_of(exported("jsonl")).size(), lines_of(read_file(trace)).size());
    EXPECT_EQ(speclens({"export", "excel", trace, "-o", "x"}).code, 2);
    Start piped;
    piped.arguments = {"export", "csv", "-", "-o", folder / "piped.csv"};
    piped.input = read_file(trace);
    const Outcome outcome = speclens(piped);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_file(folder / "piped.csv"), csv);
    piped.arguments = {"export", "csv", "/dev/stdin", "-o", "-"};
    EXPECT_EQ(speclens(piped).out, csv) << "a pipe with a name, as of <(…), is read once as well";
    piped.arguments = {"export", "csv", "-", "-o", folder / "piped.csv"};
    piped.input = "hello\n";
    EXPECT_EQ(speclens(piped).code, 3);
    piped.input = "";
    EXPECT_EQ(speclens(piped).code, 3);
}

// A profile goes out as options of servers and comes back as it was.
TEST(Export, WritesAcceptanceAsOptionsOfServersAndReadsThemBack) {
    const std::filesystem::path folder = fresh_folder();
    const std::string options = folder / "options.txt", profile = folder / "p.json";
    write_file(options, "llama-server -m t.gguf --draft-max 3 --spec-synth-rates 0.8,0.5,0.25\n");
    const Outcome made = speclens({"export", "profile", options, "-o", profile});
    ASSERT_EQ(made.code, 0) << made.err;
    const Json json = Json::parse(read_file(profile));
    EXPECT_EQ(json["num_speculative_tokens"], 3);
    EXPECT_EQ(json["mean_accept_length"], 2.55);
    EXPECT_EQ(speclens({"export", "llamacpp", profile, "-o", "-"}).out, "--draft-max 3 --spec-synth-rates 0.8,0.5,0.25\n");
    const Outcome vllm = speclens({"export", "vllm", profile, "-o", "-"});
    EXPECT_EQ(Json::parse(vllm.out)["synthetic_acceptance_rates"], (Json{0.8, 0.5, 0.25}));
    write_file(options, vllm.out);
    ASSERT_EQ(speclens({"export", "profile", options, "-o", folder / "again.json"}).code, 0);
    EXPECT_EQ(read_file(folder / "again.json"), read_file(profile));
    write_file(options, "--draft-max 3\n");
    const Outcome refused = speclens({"export", "profile", options, "-o", profile});
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_NE(refused.err.find("options.txt"), std::string::npos) << refused.err;
    EXPECT_EQ(Json::parse(read_file(profile))["num_speculative_tokens"], 3) << "what was there stays";
}

TEST(Export, WritesAHeadAsItsReleaseHasIt) {
    const std::string head = std::string(SPEC_SOURCE_DIR) + "/tests/engine/golden/micro_domino";
    const std::filesystem::path folder = fresh_folder(), official = folder / "official";
    const Outcome outcome = speclens({"export", "head", head, "-o", official});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_file(official / "config.json"), read_file(head + "/config.json"));
    EXPECT_GT(std::filesystem::file_size(official / "model.safetensors"), 10'000U);
    const auto refused = [&](const std::string& from, const std::string& to, const char* why) {
        const Outcome refusal = speclens({"export", "head", from, "-o", to});
        EXPECT_NE(refusal.code, 0);
        EXPECT_NE(refusal.err.find(why), std::string::npos) << refusal.err;
    };
    refused(head, official, "is there, and not empty");
    refused(head, "-", "one stream");
    refused(folder / "nothing", folder / "more", "config.json");
}

// transformers' names and one level of keys; what that layout cannot hold is refused by what it is.
TEST(Export, WritesADFlashHeadAsTransformersOpensIt) {
    const std::filesystem::path folder = fresh_folder();
    const std::string assets = std::string(SPEC_SOURCE_DIR) + "/assets/models/";
    const auto written = [&](const std::string& head, const std::string& to) {
        return speclens({"export", "head", head, "--layout", "transformers", "-o", folder / to});
    };
    ASSERT_EQ(written(assets + "dflash", "assistant").code, 0);
    const Json config = Json::parse(read_file(folder / "assistant" / "config.json"));
    EXPECT_EQ(config["architectures"], (Json{"MuseGlimmerAssistantModel"}));
    EXPECT_EQ(config["model_type"], "muse_glimmer_assistant");
    EXPECT_EQ(config["block_size"], 16);
    EXPECT_EQ(config["mask_token_id"], 4081);
    EXPECT_EQ(config["target_layer_ids"], (Json{1, 5, 9}));
    EXPECT_EQ(config["rope_parameters"]["rope_theta"], 10000.0);
    EXPECT_FALSE(config.contains("dflash_config"));
    const auto text = [&](const std::string& head) {
        const Outcome outcome =
            speclens({"run", "--model", "tiny", "--drafter", "dflash=" + head, "--chat", "--prompt", "Write a poem about the sea.",
                      "--temp", "0.8", "--seed", "3", "--max-tokens", "24", "--json", (folder / "trace.jsonl").string()});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        std::string drafts;
        for (const Json& event : lines_of(read_file(folder / "trace.jsonl")))
            if (event["kind"] == "draft") drafts += std::to_string(event["token"].get<int>()) + " " + event["q"].dump() + "\n";
        return drafts;
    };
    const std::string drafts = text(assets + "dflash");
    EXPECT_GT(drafts.size(), 100U);
    EXPECT_EQ(text((folder / "assistant").string()), drafts);
    const auto refused = [&](const std::string& head, const char* why) {
        const Outcome outcome = written(head, "refused");
        EXPECT_NE(outcome.code, 0);
        EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
        EXPECT_FALSE(std::filesystem::exists(folder / "refused" / "model.safetensors"));
    };
    refused(assets + "smollm2/dflash", "draft_vocab_size is 8192");
    for (const char* other : {"domino", "eagle3", "dspark"}) refused(assets + other, "is not a DFlash head in z-lab's layout");
    const Outcome wrong = speclens({"export", "head", assets + "dflash", "--layout", "vllm", "-o", folder / "refused"});
    EXPECT_EQ(wrong.code, 2) << wrong.err;
    EXPECT_NE(wrong.err.find("transformers"), std::string::npos) << wrong.err;
    EXPECT_EQ(speclens({"export", "csv", folder / "trace.jsonl", "--layout", "official", "-o", "-"}).code, 2);
}

// Heads are part of drafting: what is exported of a round adds up to what the round took.
// A cascade asks for a distribution even where no guess fits: that time is not a search that found nothing.
TEST(Export, NamesTheDraftThatHadNoRoomForAGuess) {
    const std::filesystem::path folder = fresh_folder();
    const std::string trace = folder / "run.jsonl";
    for (const bool room : {false, true}) {
        ASSERT_EQ(
            speclens({"run", "--model", table_file(), "--rule", "cascade_tokenV3", "--temp", "1", "--max-tokens", "1", "--json", trace})
                .code,
            0);
        std::string lines;
        for (Json event : lines_of(read_file(trace))) {
            if (event["kind"] == "header" && room) event["max_tokens"] = 2;
            if (event["kind"] == "verify") event["draft_ms"] = 1.5;
            lines += event.dump() + "\n";
        }
        write_file(trace, lines);
        const std::string out = speclens({"export", "perfetto", trace, "-o", "-"}).out;
        EXPECT_EQ(out.find("no room for a guess") != std::string::npos, !room) << out;
        EXPECT_EQ(out.find("nothing to propose") != std::string::npos, room) << out;
    }
}

TEST(Export, AnInterruptedPipeIsNotItsEnd) {
    const std::filesystem::path folder = fresh_folder();
    const std::filesystem::path file = folder / "rounds.csv";
    write_file(file, "old");
    const std::string run = speclens({"run", "--model", table_file(), "--json", "-"}).out;
    Start start;
    start.arguments = {"export", "csv", "-", "-o", file.string()};
    start.input = run.substr(0, run.rfind('\n', run.size() / 2) + 1);
    start.input_goes_on = true;
    start.interrupt_when_read = true;
    EXPECT_EQ(speclens(start).code, 130);
    EXPECT_EQ(read_file(file), "old");
}

TEST(Export, KeepsTheTimeOfHeads) {
    const std::filesystem::path folder = fresh_folder();
    for (const auto& [drafter, more] :
         {std::pair<std::string, std::string>{"domino", "--k=7"}, {"dart", "--k=5"}, {"dspark", "--confidence=0.9"}, {"small", "--k=3"}}) {
        const std::string trace = folder / (drafter + ".jsonl");
        ASSERT_EQ(speclens({"run", "--drafter", drafter, more, "--prompt", "Once upon a time", "--max-tokens", "24", "--temp", "0.8",
                            "--json", trace})
                      .code,
                  0);
        std::map<int, double> rounds;
        double heads = 0;
        const std::vector<Json> saved = lines_of(read_file(trace));
        // The run was timed again and again: those times take the place of the events' own.
        const auto times = std::ranges::find_if(saved, [](const Json& line) { return line["kind"] == "times"; });
        ASSERT_NE(times, saved.end());
        for (std::size_t i = 0; i < saved.size(); ++i) {
            if (!saved[i].contains("cycle")) continue;
            const Json& quiet = (*times)["events"][i];
            rounds[saved[i]["cycle"].get<int>()] += quiet[0].get<double>() + quiet[1].get<double>();
            heads += saved[i]["kind"] == "draft" ? quiet[1].get<double>() : 0;
        }
        ASSERT_GT(rounds.size(), 1u) << drafter;
        EXPECT_EQ(heads > 0, drafter != "small") << drafter;

        std::map<int, double> csv, spans;
        std::istringstream lines(speclens({"export", "csv", trace, "-o", "-"}).out);
        std::string line;
        std::getline(lines, line);
        const bool tree = line.ends_with(",parent");
        while (std::getline(lines, line)) {
            if (tree) line.resize(line.rfind(','));
            const std::size_t head = line.rfind(','), ms = line.rfind(',', head - 1);
            csv[std::stoi(line)] += std::stod(line.substr(ms + 1)) + std::stod(line.substr(head + 1));
        }
        double inside = 0, last_end = 0;
        const Json perfetto = Json::parse(speclens({"export", "perfetto", trace, "-o", "-"}).out);
        for (const Json& event : perfetto["traceEvents"]) {
            if (event["ph"] != "X" || !event["args"].contains("cycle")) continue;
            const auto start = event["ts"].get<double>(), length = event["dur"].get<double>();
            if (event["args"].contains("part")) {
                inside += length / 1000;
                EXPECT_LE(start + length, last_end + 1e-3) << drafter << ": inside its guess";
                continue;
            }
            spans[event["args"]["cycle"].get<int>()] += length / 1000;
            last_end = start + length;
        }
        EXPECT_NEAR(inside, heads, 1e-6) << drafter;
        for (const auto& [round, ms] : rounds) {
            EXPECT_NEAR(csv[round], ms, 1e-6) << drafter << " round " << round;
            EXPECT_NEAR(spans[round], ms, 1e-6) << drafter << " round " << round;
        }
    }
}

TEST(Render, AnimatesARoundAsGif) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::string file = (fresh_folder() / "round.gif").string();
    const Outcome out =
        speclens({"render", "loop", "--frames", "2:4", "--frame-ms", "300", "--size", "640x400", "--no-timing", "-o", file});
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_EQ(out.out, "");
    const std::string bytes = read_file(file);
    EXPECT_EQ(bytes.substr(0, 6), "GIF89a");
    EXPECT_EQ(bytes.back(), ';'); // the trailer
    struct Case {
        std::vector<std::string> arguments;
        const char* word;
    };
    for (const Case& c :
         {Case{{"loop", "--frames", "4:2", "-o", file}, "--frames"}, Case{{"loop", "--frames", "1:999", "-o", file}, "the scene has "},
          Case{{"loop:2", "-o", file}, "no beat of its own"}, Case{{"loop", "--frames", "all", "-o", "x.png"}, "FILE.gif"},
          Case{{"loop", "--frame-ms", "5", "-o", file}, "--frame-ms"}}) {
        std::vector<std::string> arguments{"render", "--no-timing"};
        arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
        const Outcome wrong = speclens(arguments);
        EXPECT_EQ(wrong.code, 2) << wrong.err;
        EXPECT_NE(wrong.err.find(c.word), std::string::npos) << wrong.err;
    }
    EXPECT_EQ(read_file(file), bytes) << "a refusal leaves the old file";
}

// An encoder that is none: it notes what it is told and how much it is sent, and does as it is told here. Returns a PATH with it.
std::string fake_encoder(const std::filesystem::path& folder, const std::string& then) {
    std::filesystem::create_directories(folder);
    const std::filesystem::path program = folder / "ffmpeg";
    write_file(program, "#!/bin/sh\necho \"$@\" > '" + folder.string() + "/told'\nfor file; do :; done\nwc -c > '" + folder.string() +
                            "/sent'\n" + then + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return folder.string() + ":" + std::getenv("PATH");
}

Outcome filmed(const std::string& file, const std::string& path) {
    Start start;
    start.arguments = {"render", "loop",   "--model",  table_file(),  "--frames", "2:4", "--frame-ms",
                       "200",    "--size", "1281x720", "--no-timing", "-o",       file};
    start.environment["PATH"] = path;
    return speclens(start);
}

TEST(Render, WritesAFilmWithTheEncoderOfTheMachine) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const std::string file = (folder / "round.mp4").string();
    const Outcome good = filmed(file, fake_encoder(folder / "good", "echo film > \"$file\""));
    ASSERT_EQ(good.code, 0) << good.err;
    EXPECT_EQ(read_file(file), "film\n");
    const std::string told = read_file(folder / "good" / "told");
    for (const char* words : {"-video_size 1281x720", "-pixel_format rgba", "-framerate 25", "-i pipe:0", "-f mp4"})
        EXPECT_NE(told.find(words), std::string::npos) << told;
    EXPECT_EQ(told.find(file + "\n"), std::string::npos) << "written beside it first: " << told;
    EXPECT_EQ(std::stol(read_file(folder / "good" / "sent")), 1281L * 720 * 4 * (3 * 200 / 40)) << "as long as the frames stay";

    const Outcome bad = filmed(file, fake_encoder(folder / "bad", "echo 'no such codec' >&2; exit 1"));
    EXPECT_EQ(bad.code, 1);
    EXPECT_NE(bad.err.find("the encoder gave up: no such codec"), std::string::npos) << bad.err;
    EXPECT_EQ(read_file(file), "film\n") << "a failure leaves the old file";
    const Outcome gone = filmed(file, fake_encoder(folder / "gone", "exit 0"));
    EXPECT_EQ(gone.code, 1) << "nothing was written";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

TEST(Render, SaysWhatAFilmNeedsBeforeItLoadsAnything) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const Outcome out = filmed((folder / "x.webm").string(), folder.string());
    EXPECT_EQ(out.code, 1);
    EXPECT_NE(out.err.find("ffmpeg"), std::string::npos) << out.err;
    EXPECT_NE(out.err.find(".gif"), std::string::npos) << out.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "x.webm"));
}

// ---- numbers ----

// The columns of a table, by name.
std::map<std::string, std::vector<std::string>> columns_of(const std::string& csv) {
    std::map<std::string, std::vector<std::string>> columns;
    std::vector<std::string> names;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells(1);
        bool quoted = false;
        for (const char c : line) {
            if (c == '"') quoted = !quoted;
            if (c == ',' && !quoted)
                cells.emplace_back();
            else if (c != '"')
                cells.back() += c;
        }
        if (names.empty()) {
            names = cells;
            continue;
        }
        EXPECT_EQ(cells.size(), names.size()) << line;
        for (std::size_t i = 0; i < std::min(cells.size(), names.size()); ++i) columns[names[i]].push_back(cells[i]);
    }
    return columns;
}

// What Vega-Lite 5 needs of a layered view: marks that it knows, and fields that the values have.
void expect_specification(const Json& spec) {
    EXPECT_EQ(spec["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
    EXPECT_FALSE(spec["title"].get<std::string>().empty());
    ASSERT_FALSE(spec["data"]["values"].empty());
    ASSERT_FALSE(spec["layer"].empty());
    std::set<std::string> drawn;
    for (const Json& layer : spec["layer"]) {
        const std::string mark = layer["mark"]["type"].get<std::string>();
        EXPECT_TRUE((std::set<std::string>{"line", "point", "bar", "rule"}).contains(mark)) << mark;
        const Json& filter = layer["transform"][0]["filter"];
        EXPECT_EQ(filter["field"], "mark");
        drawn.insert(filter["equal"].get<std::string>());
        EXPECT_TRUE(layer["encoding"].contains("x") && layer["encoding"].contains("y")) << layer.dump();
        for (const auto& [channel, how] : layer["encoding"].items()) {
            EXPECT_TRUE((std::set<std::string>{"x", "y", "x2", "y2", "color", "xOffset", "yOffset"}).contains(channel)) << channel;
            const std::string type = how.value("type", std::string("nominal"));
            EXPECT_TRUE((std::set<std::string>{"quantitative", "nominal", "ordinal"}).contains(type)) << type;
            const std::string field = how["field"].get<std::string>();
            EXPECT_TRUE(std::ranges::any_of(spec["data"]["values"], [&](const Json& row) { return row.contains(field); })) << field;
        }
    }
    for (const Json& row : spec["data"]["values"])
        EXPECT_TRUE(drawn.contains(row["mark"].get<std::string>())) << "nothing draws " << row.dump();
}

TEST(Render, WritesTheNumbersOfItsPlots) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const std::string trace = SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl";
    for (const std::string scene : {"speedup", "loop", "systems"}) {
        const std::filesystem::path out = folder / scene;
        const Outcome outcome = speclens({"render", scene, trace, "--data", out, "-o", folder / "x.png"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(read_file(folder / "x.png").substr(1, 3), "PNG") << "of the same picture";
        std::istringstream names(outcome.out);
        int count = 0;
        for (std::string name; std::getline(names, name); ++count) {
            if (name.ends_with(".csv")) continue;
            ASSERT_TRUE(name.ends_with(".vl.json")) << name;
            const Json spec = Json::parse(read_file(name));
            expect_specification(spec);
            const auto columns = columns_of(read_file(name.substr(0, name.size() - 8) + ".csv"));
            ASSERT_EQ(columns.at("series").size(), spec["data"]["values"].size());
            for (const auto& [column, cells] : columns) // the same numbers in both
                for (std::size_t i = 0; i < cells.size(); ++i) {
                    const Json& row = spec["data"]["values"][i];
                    const bool words = column == "series" || column == "label";
                    EXPECT_EQ(row.contains(column), !cells[i].empty()) << column;
                    if (words && row.contains(column)) {
                        EXPECT_EQ(row[column], cells[i]);
                    } else if (row.contains(column)) {
                        EXPECT_EQ(row[column].get<double>(), std::stod(cells[i])) << column;
                    }
                }
        }
        EXPECT_GE(count, 2) << scene;
    }
    // Called as the heading above it, not as what stands beside the stage.
    const Json rows = Json::parse(read_file(folder / "systems" / "systems-1.vl.json"));
    EXPECT_TRUE(rows["title"].get<std::string>().starts_with("Cache rows by round")) << rows["title"];
    EXPECT_EQ(Json::parse(read_file(folder / "speedup" / "speedup-1.vl.json"))["title"], "Tokens per round");
    // What a curve is of, and its numbers: a formula that is known.
    const auto tokens = columns_of(read_file(folder / "speedup" / "speedup-1.csv"));
    int checked = 0;
    for (std::size_t i = 0; i < tokens.at("series").size(); ++i)
        if (tokens.at("series")[i] == "α .50" && (tokens.at("x")[i] == "2.0" || tokens.at("x")[i] == "8.0")) {
            EXPECT_EQ(tokens.at("y")[i], tokens.at("x")[i] == "2.0" ? "1.75" : "1.99609375") << "with all digits";
            ++checked;
        }
    EXPECT_EQ(checked, 2) << read_file(folder / "speedup" / "speedup-1.csv");
    EXPECT_EQ(speclens({"render", "loop", trace, "--data", folder / "y", "--share", folder / "z"}).code, 2);
    EXPECT_EQ(speclens({"render", "loop", trace, "--data", folder / "y", "-o", folder / "z.gif"}).code, 2);
    const Outcome none = speclens({"render", "numbers", trace, "--data", folder / "y"});
    EXPECT_NE(none.code, 0);
    EXPECT_NE(none.err.find("plots no numbers"), std::string::npos) << none.err;
}

// The same numbers in another language, under its names of plots, axes and series.
TEST(Render, NamesItsPlotsInTheLanguageOfThePicture) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const std::string trace = SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl";
    for (const std::string scene : {"speedup", "loop"}) {
        std::map<std::string, std::vector<std::string>> columns[2];
        Json title[2], axis[2];
        for (const bool german : {false, true}) {
            const std::filesystem::path out = folder / (scene + (german ? "-de" : "-en"));
            const Outcome outcome = speclens({"render", scene, trace, "--language", german ? "de" : "en", "--data", out});
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            columns[german] = columns_of(read_file(out / (scene + "-1.csv")));
            const Json spec = Json::parse(read_file(out / (scene + "-1.vl.json")));
            title[german] = spec["title"];
            axis[german] = spec["layer"][0]["encoding"]["x"]["title"];
        }
        for (const auto& [column, cells] : columns[0]) {
            EXPECT_EQ(columns[1].at(column) == cells, column != "series" && column != "label") << scene << " " << column;
        }
        const auto has = [&](bool german, const std::string& column, const char* name) {
            return std::ranges::count(columns[german].at(column), name) > 0;
        };
        if (scene == "speedup") {
            EXPECT_EQ(title[0], "Tokens per round");
            EXPECT_EQ(title[1], "Token pro Runde");
            EXPECT_EQ(axis[0], "guesses K");
            EXPECT_EQ(axis[1], "Vorschläge K");
            EXPECT_TRUE(has(false, "series", "formula") && has(true, "series", "Formel"));
            EXPECT_FALSE(has(true, "series", "formula"));
        }
    }
}

// Every scene that draws a curve, bars or a distribution has their numbers, called as the picture calls them.
TEST(Render, HasTheNumbersOfEveryKindOfPlot) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const std::string traces = SPEC_SOURCE_DIR "/assets/traces/", recorded = SPEC_SOURCE_DIR "/assets/lectures/recorded/";
    struct Case {
        std::string scene, run;
        std::vector<std::string> titles; // that begin so
    };
    const std::vector<Case> cases = {
        {"bottleneck:3", traces + "mixed.jsonl", {"Time of a pass"}},
        {"loop", traces + "mixed.jsonl", {"Position"}},
        {"accept-rule:2", traces + "mixed.jsonl", {""}},
        {"lossless:3", traces + "mixed.jsonl", {"Texts of three tokens", "Distance from the exact", "The first position"}},
        {"drafters:4", traces + "mixed.jsonl", {""}},
        {"eagle3:4", recorded + "eagle3.jsonl", {"Next token", "How far its own features drift"}},
        {"dflash:1", recorded + "dflash.jsonl", {"Next token", "Acceptance by position"}},
        {"dflash:7", recorded + "dflash.jsonl", {"Tokens a round"}},
        {"domino:6", recorded + "domino.jsonl", {"Base", "= Final", "Top movers"}},
        {"relaxed:2", traces + "mixed.jsonl", {"One position"}},
        {"failures:3", traces + "mixed.jsonl", {"PUBLISHED"}},
    };
    for (const Case& c : cases) {
        const std::filesystem::path out = folder / c.scene;
        const Outcome outcome = speclens({"render", c.scene, c.run, "--size", "1600x1000", "--data", out});
        ASSERT_EQ(outcome.code, 0) << c.scene << ": " << outcome.err;
        std::string titles;
        std::istringstream names(outcome.out);
        for (std::string name; std::getline(names, name);) {
            if (!name.ends_with(".vl.json")) continue;
            const Json spec = Json::parse(read_file(name));
            expect_specification(spec);
            titles += "\n" + spec["title"].get<std::string>();
        }
        for (const std::string& title : c.titles) EXPECT_NE(titles.find("\n" + title), std::string::npos) << c.scene << " has" << titles;
    }
    const auto next = columns_of(read_file(folder / "eagle3:4" / "eagle3-1.csv"));
    for (const std::string& p : next.at("x")) EXPECT_TRUE(std::stod(p) > 0 && std::stod(p) <= 1) << "a probability: " << p;
    // The same numbers as those that are told of the bars.
    ASSERT_EQ(speclens({"describe", "eagle3:4", recorded + "eagle3.jsonl", "--json", folder / "words.json"}).code, 0);
    std::vector<double> told, drawn;
    const Json words = Json::parse(read_file(folder / "words.json"));
    for (const Json& message : words["messages"])
        if (message["id"].get<std::string>().starts_with("eagle3.drift.bar")) told.push_back(message["values"]["error"].get<double>());
    for (int plot = 1; std::filesystem::exists(folder / "eagle3:4" / ("eagle3-" + std::to_string(plot) + ".csv")); ++plot) {
        const auto columns = columns_of(read_file(folder / "eagle3:4" / ("eagle3-" + std::to_string(plot) + ".csv")));
        if (!columns.at("series")[0].starts_with("How far")) continue;
        for (const std::string& y : columns.at("y")) drawn.push_back(std::stod(y));
    }
    EXPECT_GT(told.size(), 1U);
    ASSERT_EQ(told.size(), drawn.size());
    for (std::size_t i = 0; i < told.size(); ++i) EXPECT_NEAR(told[i], drawn[i], 1e-5) << "six digits of each are written";
}

// ---- what is sent to others ----

TEST(Render, SharesARound) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    Start start;
    start.arguments = {"render", "loop", "--model", table_file(), "--no-timing", "--share", (folder / "out").string()};
    start.environment["PATH"] = fake_encoder(folder / "good", "echo film > \"$file\"");
    const Outcome out = speclens(start);
    ASSERT_EQ(out.code, 0) << out.err;
    std::string names;
    for (const char* name : {"round.gif", "round.mp4", "card.png", "link.txt"}) names += (folder / "out" / name).string() + "\n";
    EXPECT_EQ(out.out, names);
    EXPECT_EQ(read_file(folder / "out" / "round.gif").substr(0, 6), "GIF89a");
    EXPECT_EQ(read_file(folder / "out" / "round.mp4"), "film\n");
    EXPECT_EQ(std::stol(read_file(folder / "good" / "sent")), 1280L * 720 * 4 * (6000 / 40)) << "six seconds";
    EXPECT_EQ(read_file(folder / "out" / "card.png").substr(1, 3), "PNG");
    std::string link = read_file(folder / "out" / "link.txt");
    EXPECT_EQ(link.substr(0, 19), "speclens://loop?at=");
    link.pop_back();
    const Outcome there = speclens({"describe", link, "--model", table_file(), "--no-timing"});
    EXPECT_EQ(there.out, speclens({"describe", "loop", "--model", table_file(), "--no-timing"}).out)
        << "the round of the card: " << there.err;

    // An encoder that fails takes nothing else with it.
    start.environment["PATH"] = fake_encoder(folder / "bad", "echo 'no such codec' >&2; exit 1");
    start.arguments.back() = (folder / "other").string();
    const Outcome bad = speclens(start);
    ASSERT_EQ(bad.code, 0) << bad.err;
    EXPECT_NE(bad.err.find("no film: "), std::string::npos) << bad.err;
    EXPECT_NE(bad.err.find("no such codec"), std::string::npos) << bad.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "other" / "round.mp4"));
    EXPECT_EQ(read_file(folder / "other" / "round.gif"), read_file(folder / "out" / "round.gif")) << "the same round, the same bytes";
    EXPECT_EQ(read_file(folder / "other" / "card.png"), read_file(folder / "out" / "card.png"));
}

TEST(Render, SharesWhatALinkShowsAndASavedRunWithoutOne) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const std::string saved = SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl";
    const Outcome out = speclens({"render", "accept-rule:2", saved, "--share", folder.string()});
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_EQ(out.out.find("link.txt"), std::string::npos) << out.out;
    EXPECT_NE(out.err.find("no link leads to a saved run"), std::string::npos) << out.err;
    struct Case {
        std::vector<std::string> arguments;
        const char* word;
    };
    for (const Case& c :
         {Case{{"loop", "-o", "x.png"}, "-o"}, Case{{"loop", "--size", "640x400"}, "--size"}, Case{{"loop", "--presenter"}, "--presenter"},
          Case{{"--all", "x"}, "--all"}, Case{{"first-lesson.lec.toml"}, "a lecture is many pictures"}}) {
        std::vector<std::string> arguments{"render"};
        arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
        arguments.insert(arguments.end(), {"--share", folder.string()});
        const Outcome wrong = speclens(arguments);
        EXPECT_EQ(wrong.code, 2) << wrong.err;
        EXPECT_NE(wrong.err.find(c.word), std::string::npos) << wrong.err;
    }
}

TEST(Render, SharesARaceWithALinkToAPage) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const Outcome out = speclens({"render", "race", "--model", table_file(), "--drafters", "none,lookup", "--max-tokens", "6",
                                  "--no-timing", "--share", folder.string(), "--links-to", "https://example.org/lens/"});
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_EQ(read_file(folder / "race.gif").substr(0, 6), "GIF89a");
    EXPECT_EQ(read_file(folder / "card.png").substr(1, 3), "PNG");
    EXPECT_EQ(read_file(folder / "link.txt").substr(0, 30), "https://example.org/lens/#race");
}

std::size_t times(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
    return count;
}

// Whole in itself: every picture is in it, with words, and nothing is fetched from anywhere.
void expect_whole_page(const std::string& page, std::size_t steps) {
    EXPECT_LE(page.size(), 3'000'000U);
    EXPECT_EQ(times(page, "<section "), steps);
    EXPECT_EQ(times(page, "<img src=\"data:image/png;base64,iVBORw0KGgo"), steps);
    EXPECT_EQ(times(page, "src="), steps);
    EXPECT_EQ(times(page, " alt=\"\""), 0U);
    EXPECT_EQ(times(page, " alt=\""), steps);
    for (const char* outside : {"http:", "https:", "url(", "@import", "<link", "<iframe", "fetch(", "XMLHttpRequest", "import("})
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
    for (std::size_t i = 1; i <= steps; ++i) {
        const std::string n = std::to_string(i);
        EXPECT_EQ(times(page, "id=\"s" + n + "\""), 1U);
        EXPECT_EQ(times(page, "href=\"#s" + n + "\""), (i > 1 ? 1U : 0U) + (i < steps ? 1U : 0U)) << "from both sides";
        const std::size_t words = page.find("<pre id=\"w" + n + "\">");
        ASSERT_NE(words, std::string::npos);
        EXPECT_GT(page.find("</pre>", words) - words, 100U) << "the picture in words";
    }
}

TEST(Render, WritesStepsOfARecordedRunAsOnePage) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path file = fresh_folder() / "loop.html";
    const std::string saved = SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl";
    const Outcome out = speclens({"render", "loop", saved, "--frames", "1:3", "-o", file.string()});
    ASSERT_EQ(out.code, 0) << out.err;
    const std::string page = read_file(file);
    expect_whole_page(page, 3);
    EXPECT_NE(page.find("<html lang=\"en\">"), std::string::npos);
    EXPECT_NE(page.find("step 2 of 3"), std::string::npos);
    EXPECT_NE(page.find("RECORDED"), std::string::npos) << "what its data are";
    EXPECT_EQ(page.find("speclens://"), std::string::npos) << "a saved run has no link";
    struct Case {
        std::vector<std::string> arguments;
        const char* word;
    };
    for (const Case& c :
         {Case{{"loop:2", saved}, "no beat of its own"}, Case{{"loop", saved, "--frames", "1:999"}, "the scene has "},
          Case{{"loop", saved, "--frame-ms", "50"}, "--frame-ms"}, Case{{"first-lesson.lec.toml", "--frames", "1:2"}, "--frames"}}) {
        std::vector<std::string> arguments{"render"};
        arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
        arguments.insert(arguments.end(), {"-o", file.string()});
        const Outcome wrong = speclens(arguments);
        EXPECT_EQ(wrong.code, 2) << wrong.err;
        EXPECT_NE(wrong.err.find(c.word), std::string::npos) << wrong.err;
    }
    EXPECT_EQ(read_file(file), page) << "a refusal leaves the old file";
}

TEST(Render, WritesALectureAsOnePageInGerman) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    write_file(folder / "two.lec.toml",
               "title = \"T <1>\"\nabout = \"A & B\"\n[[step]]\ntitle = \"One & only\"\nlink = \"speclens://loop?at=14&drafter=small\"\n"
               "notes = \"Say \\\"this\\\".\"\n[[step]]\ntitle = \"Two\"\nlink = \"speclens://S9/4\"\n");
    const std::string file = (folder / "two.html").string();
    const Outcome out =
        speclens({"render", (folder / "two.lec.toml").string(), "--language", "de", "--size", "640x400", "--no-timing", "-o", file});
    ASSERT_EQ(out.code, 0) << out.err;
    const std::string page = read_file(file);
    expect_whole_page(page, 2);
    for (const char* part : {"<html lang=\"de\">", "<h1>T &lt;1&gt;</h1>", "A &amp; B", "1. One &amp; only", "Say &quot;this&quot;.",
                             "Zurück", "Weiter", "Schritt 2 von 2", "href=\"speclens://S9/4", "RECORDED", "Das Bild in Worten", "Entwurf"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("LIVE"), std::string::npos) << "nothing in it happens now";
    EXPECT_EQ(page.find("\nTask"), std::string::npos) << "nobody can do it there";
}

// Whoever reads it stands at no window: other words, the round event by event, links to a page.
TEST(Render, WritesALectureForReaders) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    write_file(folder / "one.lec.toml",
               "title = \"T\"\nabout = \"For whoever shows it.\"\npage_about = \"For readers.\"\n[[step]]\ntitle = \"A round\"\n"
               "link = \"speclens://loop?at=6&drafter=small&k=2\"\nnotes = \"Press M.\"\npage_notes = \"Look.\"\nround = true\n");
    const std::string file = (folder / "one.html").string();
    const Outcome out = speclens({"render", (folder / "one.lec.toml").string(), "--size", "640x400", "--no-timing", "--links-to",
                                  "https://example.org/", "-o", file});
    ASSERT_EQ(out.code, 0) << out.err;
    const std::string page = read_file(file);
    EXPECT_EQ(page.find("Press M"), std::string::npos);
    EXPECT_EQ(page.find("whoever shows"), std::string::npos);
    EXPECT_EQ(times(page, "For readers."), 1U);
    EXPECT_EQ(times(page, "<p class=\"notes\">Look.</p>"), 1U) << "once for the round";
    const std::size_t steps = times(page, "<section ");
    EXPECT_GE(steps, 3U) << "from the first event of the round";
    for (std::size_t i = 0; i < steps; ++i) {
        const std::string link = "href=\"https://example.org/#loop?at=" + std::to_string(6 - i) + "&amp;";
        EXPECT_EQ(times(page, link), 1U) << link;
    }
}

TEST(Render, ChoosesMomentsOfARaceForAPage) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    std::vector<std::string> arguments{"render",
                                       "race",
                                       "--model",
                                       table_file(),
                                       "--drafters",
                                       "none,lookup",
                                       "--max-tokens",
                                       "40",
                                       "--no-timing",
                                       "--size",
                                       "640x400",
                                       "-o",
                                       (folder / "race.html").string()};
    const Outcome out = speclens(arguments);
    ASSERT_EQ(out.code, 0) << out.err;
    expect_whole_page(read_file(folder / "race.html"), 24);
    EXPECT_NE(out.err.find("the page shows 24, evenly; --frames A:B shows others"), std::string::npos) << out.err;
    // Too large a page is refused by one picture of it.
    arguments[10] = "3840x2400";
    arguments[12] = (folder / "large.html").string();
    arguments.insert(arguments.end(), {"--frames", "all"});
    const Outcome large = speclens(arguments);
    EXPECT_EQ(large.code, 2) << large.err;
    EXPECT_NE(large.err.find("3 MB is the most"), std::string::npos) << large.err;
    EXPECT_EQ(large.err.find("drawing"), std::string::npos) << "before any is drawn: " << large.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "large.html"));
}

TEST(Describe, SaysInAnotherLanguageWhatStandsInTheFrame) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::string saved = SPEC_SOURCE_DIR "/assets/traces/mixed.jsonl";
    const Outcome german = speclens({"describe", "accept-rule:6", saved, "--language", "de"});
    ASSERT_EQ(german.code, 0) << german.err;
    for (const char* part : {"Ziel", "Entwurf", "RECORDED", "Residuum"}) EXPECT_NE(german.out.find(part), std::string::npos) << german.out;
    EXPECT_EQ(german.out.find("Data: "), std::string::npos) << german.out;
    EXPECT_EQ(german.out.find("Datei"), std::string::npos) << "the menus are no part of it\n" << german.out;
    EXPECT_EQ(speclens({"describe", "accept-rule:6", saved, "--language", "en"}).out, speclens({"describe", "accept-rule:6", saved}).out);
}

TEST(Links, LeadToTheSameFrameWhereverTheyAreOpened) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::string link = "speclens://domino/"
                             "4?at=31&select=2.6&drafter=domino&k=7&temp=0&seed=7&rule=token&max-tokens=40&"
                             "prompt=Count%20to%20five.&chat";
    const Outcome words = speclens({"describe", link, "--no-timing"});
    ASSERT_EQ(words.code, 0) << words.err;
    EXPECT_EQ(words.out, speclens({"describe", link, "--no-timing", "--threads", "1"}).out);
    EXPECT_NE(words.out.find("Beat 4 of"), std::string::npos) << words.out;
    EXPECT_NE(words.out, speclens({"describe", link, "--no-timing", "--seed", "8", "--temp", "1"}).out);
    const Outcome text = speclens({"run", link, "--text"});
    EXPECT_EQ(text.out, speclens({"run", "--drafter", "domino", "--k", "7", "--temp", "0", "--max-tokens", "40", "--chat", "--prompt",
                                  "Count to five.", "--text"})
                            .out);
}

TEST(Lectures, BecomePicturesAndAHandout) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    write_file(folder / "two.lec.toml", "title = \"T <1>\"\n[[step]]\ntitle = \"One & only\"\nlink = "
                                        "\"speclens://loop?at=14&drafter=small\"\nminutes = 2\n"
                                        "notes = \"Say \\\"this\\\".\"\n[[step]]\ntitle = \"Two\"\nlink = \"speclens://S9/4\"\n"
                                        "notes = \"Press M.\"\npage_notes = \"What came of it.\"\n");
    const std::string file = (folder / "two.lec.toml").string(), out = (folder / "out").string();
    const Outcome drawn = speclens({"render", file, "--all", out, "--size", "640x400"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_EQ(drawn.out, out + "/01-loop.png\n" + out + "/02-domino.png\n" + out + "/handout.html\n");
    const std::string page = read_file(std::filesystem::path(out) / "handout.html");
    for (const char* part :
         {"<h1>T &lt;1&gt;</h1>", "<h2>1. One &amp; only</h2>", "src=\"01-loop.png\"", "Say &quot;this&quot;.", "2 minutes",
          "speclens://S9/4", "round 2, draft", "RECORDED · bundle S + small", "RECORDED · bundle S + domino"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("LIVE"), std::string::npos) << "nothing is live on paper: " << page;
    EXPECT_NE(page.find("What came of it."), std::string::npos) << page;
    EXPECT_EQ(page.find("Press M."), std::string::npos) << "nobody stands beside whoever reads it: " << page;
    const Outcome words = speclens({"describe", file});
    ASSERT_EQ(words.code, 0) << words.err;
    EXPECT_NE(words.out.find("── 2 of 2 · Two"), std::string::npos) << words.out;
    const Outcome list = speclens({"list", "lectures"});
    EXPECT_NE(list.out.find("first-lesson.lec.toml"), std::string::npos) << list.out;
    EXPECT_EQ(speclens({"list", "glossary", "tau"}).code, 0);
    EXPECT_EQ(speclens({"list", "glossary", "nonsense"}).code, 2);
    EXPECT_EQ(speclens({"list", "quiz", "--json"}).code, 0);
}

// Every scene as users get it, in the four pictures that each is looked at in.
TEST(Render, DrawsEverySceneAtBothSizesAndThemes) {
    const std::string scenes = speclens({"list", "scenes", "--json"}).out;
    if (scenes.empty()) GTEST_SKIP() << "this build draws nothing";
    const std::filesystem::path folder = fresh_folder();
    const Outcome drawn =
        speclens({"render", "--all", folder.string(), "--size", "1600x1000,1280x720", "--theme", "dark,light", "--no-timing"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    std::map<std::string, std::set<std::string>> pictures; // of a scene at a size
    std::istringstream files(drawn.out);
    for (std::string file; std::getline(files, file);) {
        const std::string bytes = read_file(file);
        ASSERT_GT(bytes.size(), 24U) << file;
        const auto number = [&](std::size_t at) {
            int value = 0;
            for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
            return value;
        };
        const std::string name = std::filesystem::path(file).stem().string(), of_both = name.substr(0, name.rfind('-'));
        EXPECT_TRUE(name == of_both + "-dark" || name == of_both + "-light") << file;
        const std::string size = std::to_string(number(16)) + "x" + std::to_string(number(20)); // PNG's header
        EXPECT_EQ(of_both.substr(of_both.rfind('-') + 1), size) << file;
        pictures[of_both].insert(bytes);
    }
    EXPECT_EQ(pictures.size(), 2 * Json::parse(scenes).size());
    for (const auto& [picture, both] : pictures) EXPECT_EQ(both.size(), 2U) << picture << " looks the same in both themes";
}

// Answers are kept for the next run, by their owner alone, and change no text.
TEST(SuffixMemory, DraftsFromWhatAnEarlierRunWrote) {
    const TempFolder folder;
    const std::string file = (folder / "answers.json").string();
    const std::vector<std::string> run = {"run",          "--model", micro_model(), "--prompt",    "abcabcab",        "--temp", "0",
                                          "--max-tokens", "24",      "--text",      "--no-timing", "--suffix-memory", file};
    const Outcome first = speclens(run), second = speclens(run);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(first.out, second.out);
    EXPECT_NE(first.err.find("1 answer, "), std::string::npos) << first.err;
    EXPECT_NE(second.err.find("2 answers, "), std::string::npos) << second.err;
    namespace fs = std::filesystem;
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const Outcome none = speclens({"run", "--model", micro_model(), "--prompt", "abc", "--drafter", "lookup", "--suffix-memory", file});
    EXPECT_EQ(none.code, 2) << none.err;
    write_file(file, "{}");
    const Outcome broken = speclens(run);
    EXPECT_EQ(broken.code, 3) << broken.err;
    EXPECT_EQ(read_file(file), "{}") << "what is something else stays as it was";
}

} // namespace speclens::test
