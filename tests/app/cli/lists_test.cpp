// list and check: what there is, what it needs and what is wrong with it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

TEST(List, KnowsDraftersAndRulesInBothForms) {
    for (const char* what : {"drafters", "rules", "verifiers", "geometries", "models", "heads", "scenes", "keys", "published"}) {
        EXPECT_EQ(speclens({"list", what}).code, 0) << what;
        EXPECT_TRUE(Json::parse(speclens({"list", what, "--json"}).out).is_array()) << what;
    }
    EXPECT_NE(speclens({"list", "drafters"}).out.find("lookup"), std::string::npos);
    EXPECT_NE(speclens({"list", "drafters"}).out.find("lookup+eagle3"), std::string::npos) << "two chained";
    EXPECT_NE(speclens({"list", "rules"}).out.find("match"), std::string::npos);
}

TEST(List, SpeaksALanguageAndNamesWhatItLacks) {
    const Outcome words = speclens({"list", "glossary", "Akzeptanzrate", "--language", "de"});
    EXPECT_EQ(words.code, 0) << words.err;
    EXPECT_NE(words.out.find("acceptance rate"), std::string::npos) << "found by both names: " << words.out;
    EXPECT_EQ(speclens({"list", "glossary", "Akzeptanzrate"}).code, 2) << "English unless it is asked for";
    EXPECT_NE(speclens({"list", "quiz", "--language", "de"}).out.find("Warum dauert ein Durchlauf"), std::string::npos);
    EXPECT_NE(speclens({"list", "lectures", "--language", "de"}).out.find("Billig vorschlagen"), std::string::npos);
    EXPECT_NE(speclens({"list", "scenes", "--language", "de"}).err.find("--language does nothing without"), std::string::npos);
    EXPECT_NE(speclens({"list", "quiz", "--language", "xx"}).err.find("auto, en, de"), std::string::npos);
    EXPECT_NE(speclens({"list", "missing-texts"}).err.find("needs a language"), std::string::npos);
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "a build without scenes";
    EXPECT_TRUE(Json::parse(speclens({"list", "missing-texts", "--language", "de", "--json"}).out).is_array());
    // The shipped texts without one lecture.
    const TempFolder lacking;
    const std::filesystem::path assets = SPEC_SOURCE_DIR "/assets";
    for (const auto& entry : std::filesystem::directory_iterator(assets))
        if (entry.path().filename() != "lectures") std::filesystem::create_symlink(entry.path(), lacking / entry.path().filename());
    std::filesystem::copy(assets / "lectures", lacking / "lectures", std::filesystem::copy_options::recursive);
    ASSERT_TRUE(std::filesystem::remove(lacking / "lectures/de/drafters.lec.toml"));
    Start start;
    start.arguments = {"list", "missing-texts", "--language", "de"};
    start.environment = {{"SPECLENS_ASSETS", lacking.path().string()}};
    const Outcome missing = speclens(start);
    EXPECT_EQ(missing.code, 0) << missing.err;
    EXPECT_NE(missing.out.find("lecture: drafters.lec.toml"), std::string::npos) << missing.out;
    EXPECT_EQ(missing.out.find("lecture: same-text.lec.toml"), std::string::npos) << missing.out;
}

TEST(List, NamesPublicModelsWithSizesAndHowToFetchThem) {
    Outcome text = speclens({"list", "models"});
    text.out += speclens({"list", "heads"}).out;
    EXPECT_NE(text.out.find("hf download"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("built in"), std::string::npos);
    const Json json = Json::parse(speclens({"list", "models", "--json"}).out);
    std::set<std::string> targets, drafters;
    for (const Json& model : json)
        if (model["kind"] == "target") targets.insert(model["name"].text());
    for (const Json& model : json) {
        const std::string& name = model["name"].text();
        if (model["kind"] == "built in") continue;
        EXPECT_NE(text.out.find(name), std::string::npos) << name;
        EXPECT_FALSE(model["source"].get<std::string>().empty()) << name;
        if (model["kind"] != "head") continue;
        EXPECT_TRUE(targets.contains(model["target"].get<std::string>())) << name;
        drafters.insert(model["drafter"].get<std::string>());
        if (name == "z-lab/Qwen3-4B-DFlash-b16") {
            EXPECT_NEAR(model["parameters"].get<double>(), 0.537e9, 1e6);
        }
    }
    EXPECT_EQ(drafters, (std::set<std::string>{"dflash", "dflash2", "domino", "dspark", "eagle3"}));
}

// No figure without a source, no licence that nobody named, nothing that passes for measured here.
TEST(List, PublicHeadsHaveAMakerASourceAndTheLineThatFetchesThem) {
    const Json all = Json::parse(speclens({"list", "heads", "--json"}).out);
    ASSERT_GT(all.size(), 20U);
    int figures = 0, second_hand = 0, refused = 0;
    for (const Json& head : all) {
        refused += !head["refused"].is_null();
        EXPECT_EQ(head["kind"].get<std::string>(), "head");
        const std::string name = head["name"].get<std::string>();
        EXPECT_EQ(head["maker"].get<std::string>(), name.substr(0, name.find('/')));
        EXPECT_EQ(head["checked_here"].get<bool>(), false) << name;
        EXPECT_TRUE(head["command"].get<std::string>().starts_with("hf download " + name)) << name;
        if (head["acceptance"].is_null()) continue;
        ++figures;
        second_hand += head["acceptance"]["second_hand"].get<bool>();
        EXPECT_FALSE(head["acceptance"]["source"].get<std::string>().empty()) << name;
        EXPECT_GT(head["acceptance"]["tokens_per_round"].get<double>(), 1) << name;
        EXPECT_LE(head["acceptance"]["tokens_per_round"].get<double>(), head["acceptance"]["k"].get<int>() + 1) << name;
        // Places are shares of the same rounds: what a round writes is the target's own token and they.
        double sum = 1;
        for (const Json& place : head["acceptance"]["places"]) sum += place.get<double>();
        if (!head["acceptance"]["places"].empty()) {
            EXPECT_NEAR(sum, head["acceptance"]["tokens_per_round"].get<double>(), 0.02) << name;
        }
    }
    EXPECT_GT(figures, 8);
    EXPECT_GT(second_hand, 2);
    const Outcome one = speclens({"list", "heads", "Qwen3-1.7B"});
    EXPECT_NE(one.out.find("AngelSlim/Qwen3-1.7B_eagle3"), std::string::npos) << one.out;
    EXPECT_NE(one.out.find("2.2 tokens per round on HumanEval (K = 2)"), std::string::npos) << one.out;
    EXPECT_NE(one.out.find("second-hand"), std::string::npos) << "the digest of a card is none";
    EXPECT_NE(one.out.find("None of them was checked here"), std::string::npos);
    EXPECT_EQ(one.out.find("Qwen3-8B"), std::string::npos);
    EXPECT_EQ(speclens({"list", "heads", "Qwen3-4B-Q8_0"}).out, speclens({"list", "heads", "Qwen/Qwen3-4B"}).out)
        << "a file of its weights";
    // One that opens nowhere is listed with the reason, and not offered.
    const Outcome small = speclens({"list", "heads", "Qwen3-0.6B"});
    EXPECT_NE(small.out.find("refused here: its files hold no d2t"), std::string::npos) << small.out;
    EXPECT_EQ(small.out.find("hf download Eros483/"), std::string::npos) << small.out;
    EXPECT_NE(small.out.find("hf download yosefw/Qwen3-0.6B-DSpark"), std::string::npos) << small.out;
    EXPECT_EQ(refused, 1);
    const Outcome none = speclens({"list", "heads", "Qwen3-4B-Base"});
    EXPECT_EQ(none.code, 2) << "another model";
    EXPECT_NE(none.err.find("Qwen/Qwen3-4B"), std::string::npos) << none.err;
}

TEST(List, QuotesPublishedFiguresWithTheirConditions) {
    const Outcome all = speclens({"list", "published"});
    ASSERT_EQ(all.code, 0) << all.err;
    const Json json = Json::parse(speclens({"list", "published", "--json"}).out);
    ASSERT_GT(json.size(), 100u);
    int conflicts = 0;
    for (const Json& figure : json) {
        for (const char* field :
             {"id",       "claim",  "method", "variant", "quantity",    "form",   "value", "unit", "model",  "dataset",
              "hardware", "engine", "batch",  "budget",  "temperature", "source", "place", "date", "status", "conflicts_with"})
            EXPECT_TRUE(figure.contains(field)) << figure["id"] << " " << field;
        EXPECT_NE(all.out.find("[" + figure["id"].get<std::string>() + "]"), std::string::npos) << figure["id"];
        EXPECT_FALSE(figure["source"]["identifier"].get<std::string>().empty());
        conflicts += static_cast<int>(figure["conflicts_with"].size());
    }
    EXPECT_GT(conflicts, 0);
    EXPECT_NE(all.out.find("\n! disagreements\n"), std::string::npos);
    EXPECT_NE(all.out.find("  against  "), std::string::npos);
    EXPECT_NE(all.out.find("\n✕ "), std::string::npos);
    EXPECT_NE(all.out.find("wrong in the source: "), std::string::npos);
}

TEST(List, KeepsThePublishedFiguresOfOneMethod) {
    const Outcome one = speclens({"list", "published", "domino", "--json"});
    ASSERT_EQ(one.code, 0) << one.err;
    const Json json = Json::parse(one.out);
    EXPECT_FALSE(json.empty());
    for (const Json& figure : json) EXPECT_EQ(figure["method"], "domino");
    const Outcome unknown = speclens({"list", "published", "domina"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("Did you mean 'domino'?"), std::string::npos) << unknown.err;
    EXPECT_EQ(speclens({"list", "drafters", "domino"}).code, 2);
}

TEST(List, SaysWhatIsWrongWithAPublishedFile) {
    const std::filesystem::path folder = fresh_folder();
    std::filesystem::create_directories(folder / "published");
    write_file(folder / "published" / "sources.json", "{\"schema\":\"speclens-published-sources/1\",\"sources\":[]}");
    write_file(folder / "published" / "mine.json", "{\"schema\":\"speclens-published/1\",\"about\":\"\",\"groups\":[{\"common\":{},"
                                                   "\"entries\":[{\"id\":\"x\",\"speed\":2}]}]}");
    Start start;
    start.arguments = {"list", "published"};
    start.environment["SPECLENS_ASSETS"] = folder.string();
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("published/mine.json: x: \"speed\" is not a field"), std::string::npos) << outcome.err;
}

TEST(Check, CountsThePublishedFigures) {
    const Outcome outcome = speclens({"check", "--model", micro_model()});
    const std::size_t figures = Json::parse(speclens({"list", "published", "--json"}).out).size();
    EXPECT_NE(outcome.out.find("published    " + std::to_string(figures) + " figures of "), std::string::npos) << outcome.out;
}

TEST(Check, SaysWhatAHeadIsAndTestsIt) {
    const std::string golden = std::string(SPEC_SOURCE_DIR) + "/tests/engine/golden/";
    const auto check = [&](const std::string& drafter, const std::string& folder) {
        return speclens({"check", "--model", micro_model(), "--drafter", drafter + "=" + golden + folder});
    };
    const Outcome domino = check("domino", "micro_domino");
    EXPECT_EQ(domino.code, 0) << domino.out;
    for (const char* part : {"DominoDraftModel, 2 layers, block 5", "row k for the token k + 1 after the anchor", "mask token 505",
                             "GRU 24", "layers 0 1 2", "drafts behind a text of the target"})
        EXPECT_NE(domino.out.find(part), std::string::npos) << part << "\n" << domino.out;
    EXPECT_NE(check("eagle3_tree", "micro_eagle3").out.find("128 of 512 ids"), std::string::npos);
    const Outcome dart = check("dart", "micro_dart");
    EXPECT_EQ(dart.code, 0) << dart.out;
    EXPECT_NE(dart.out.find("4 masks: up to 5 guesses in a row, 1892 n-grams of up to 3 tokens"), std::string::npos) << dart.out;
    const Outcome wrong = check("dflash", "micro_domino");
    EXPECT_EQ(wrong.code, 1);
    EXPECT_NE(wrong.out.find("is a domino head"), std::string::npos) << wrong.out;
}

void expect_said(const Outcome& outcome, const std::string& part) {
    EXPECT_NE((outcome.out + outcome.err).find(part), std::string::npos) << part << "\n" << outcome.out << outcome.err;
}

TEST(Check, GoesOnPastAKeyThatIsNamedAtOnesOwnRisk) {
    const std::filesystem::path folder = fresh_folder() / "head";
    std::filesystem::copy(std::string(SPEC_SOURCE_DIR) + "/tests/engine/golden/micro_dflash", folder);
    std::ifstream in(folder / "config.json");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text.replace(text.find('{'), 1, "{\"output_multiplier\": 0.25,");
    std::ofstream(folder / "config.json") << text;
    const auto check = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {"check", "--model", micro_model(), "--drafter", "dflash=" + folder.string()};
        words.insert(words.end(), more.begin(), more.end());
        return speclens(words);
    };
    const Outcome refused = check({});
    EXPECT_NE(refused.code, 0);
    expect_said(refused, "head/config.json: output_multiplier (0.25) is not known here");
    expect_said(refused, "--ignore-config output_multiplier");
    const Outcome ignored = check({"--ignore-config", "output_multiplier"});
    EXPECT_EQ(ignored.code, 0) << ignored.out << ignored.err;
    expect_said(ignored, "(ignoring output_multiplier)");
    const Outcome wrong = check({"--ignore-config", "output_multiplier,logit_scale"});
    EXPECT_NE(wrong.code, 0);
    expect_said(wrong, "--ignore-config logit_scale: none of the files");
}

// The head of the built-in model with its taps one layer too deep: the line that mends it, in words and as JSON.
TEST(Check, SaysWhyAHeadAcceptsNothing) {
    const std::filesystem::path folder = fresh_folder() / "head", shipped = std::filesystem::path(SPEC_SOURCE_DIR) / "assets/models/dflash";
    std::filesystem::copy(shipped, folder, std::filesystem::copy_options::recursive);
    Json config = Json::parse(read_file(folder / "config.json"));
    config["dflash_config"]["target_layer_ids"] = std::vector<int>{2, 6, 10};
    std::ofstream(folder / "config.json") << config.dump();
    const std::filesystem::path file = folder.parent_path() / "doctor.json";
    const Outcome outcome = speclens({"check", "--drafter", "dflash=" + folder.string(), "--doctor", "--json", file.string()});
    EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
    expect_said(outcome, R"("dflash_config": {"target_layer_ids": [1, 5, 9]})");
    expect_said(outcome, "of the target's choice, first guess");
    expect_said(outcome, "all tapped layers one earlier");
    const Json json = Json::parse(read_file(file));
    EXPECT_EQ(json["schema"], "speclens-doctor/1");
    EXPECT_EQ(json["verdict"], "mends");
    EXPECT_EQ(json["winner"]["config"]["dflash_config"]["target_layer_ids"], (std::vector<int>{1, 5, 9}));
    EXPECT_GE(json["places"].get<int>(), 2000);
    EXPECT_GT(json["fresh"]["kept_changed"].get<double>(), json["fresh"]["kept"].get<double>());
    EXPECT_LE(json["fresh"]["difference"]["p"].get<double>(), 0.01);
    EXPECT_EQ(json["kept_at"].size(), json["k"].get<std::size_t>());

    const auto refused = [&](std::vector<std::string> words, const std::string& why) {
        words.insert(words.begin(), "check");
        words.emplace_back("--doctor");
        const Outcome bad = speclens(words);
        EXPECT_EQ(bad.code, 2) << bad.out << bad.err;
        expect_said(bad, why);
    };
    refused({}, "--doctor examines one head, and none was named");
    refused({"--drafter", "medusa"}, "no other way to read a head of the kind medusa");
    refused({"--drafter", "lookup"}, "no head is loaded for lookup");
    refused({"--model", table_file(), "--drafter", "eagle3"}, "a table has no states");
}

TEST(Check, MeasuresWhatAPrecisionChanges) {
    const std::filesystem::path file = fresh_folder() / "bf16.json";
    const Outcome outcome = speclens({"check", "--model", micro_model(), "--precision", "bf16", "--json", file.string()});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("bf16, bf16 products"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("bf16 against f32, "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("tokens a round in bf16"), std::string::npos) << outcome.out;
    const Json json = Json::parse(read_file(file));
    EXPECT_EQ(json["schema"], "speclens-precision/1");
    EXPECT_EQ(json["from"], "f32");
    EXPECT_EQ(json["to"], "bf16");
    EXPECT_EQ(json["tokens"], 255) << "as far as its 256 positions go";
    EXPECT_GE(json["mean_abs_dlogp"].get<double>(), std::abs(json["mean_dlogp"].get<double>()));
    EXPECT_GE(json["worst_abs_dlogp"].get<double>(), json["mean_abs_dlogp"].get<double>());
    EXPECT_LE(json["argmax_differs"].get<int>(), json["tokens"].get<int>());
    std::set<std::string> drafters;
    for (const Json& one : json["drafters"]) {
        drafters.insert(one["drafter"].get<std::string>());
        EXPECT_GE(one["tokens_per_round_from"].get<double>(), 1);
        EXPECT_GE(one["tokens_per_round_to"].get<double>(), 1);
    }
    EXPECT_EQ(drafters, (std::set<std::string>{"lookup", "ngram_map", "ngram_mod", "sam", "skip", "suffix"}));

    const Outcome alone = speclens({"check", "--model", micro_model(), "--precision", "bf16", "--json", "-"});
    EXPECT_EQ(Json::parse(alone.out)["to"], "bf16") << "nothing else on standard output";
    const Outcome table = speclens({"check", "--model", table_file(), "--precision", "bf16"});
    EXPECT_EQ(table.code, 1);
    EXPECT_NE(table.out.find("--precision changes nothing of a table"), std::string::npos) << table.out;
    const Outcome eight = speclens({"check", "--model", micro_model(), "--precision", "int8"});
    EXPECT_EQ(eight.code, 1);
    EXPECT_NE(eight.out.find("8-bit products need quantised matrices"), std::string::npos) << eight.out;
}

TEST(Check, ForetellsTheMemoryOfAText) {
    const Outcome usual = speclens({"check", "--model", micro_model()});
    EXPECT_NE(usual.out.find("of weights are loaded (target "), std::string::npos) << usual.out;
    EXPECT_NE(usual.out.find(" tokens that the model goes to"), std::string::npos) << usual.out;
    const Outcome longer = speclens({"check", "--model", micro_model(), "--context", "7"});
    EXPECT_NE(longer.out.find("a text of 7 tokens takes "), std::string::npos) << longer.out;
    const Outcome too_long = speclens({"check", "--model", micro_model(), "--context", "900000"});
    EXPECT_EQ(too_long.code, 1);
    EXPECT_NE(too_long.out.find("Give a --context of "), std::string::npos) << too_long.out;
}

TEST(Check, SaysThatAChatTemplateIsNotKnown) {
    const std::filesystem::path folder = fresh_folder() / "other";
    std::filesystem::copy(micro_model(), folder, std::filesystem::copy_options::recursive);
    write_file(folder / "chat_template.jinja", "{{ '[INST] ' + messages[0].content + ' [/INST]' }}");
    const Outcome check = speclens({"check", "--model", folder.string()});
    EXPECT_NE(check.out.find("it writes [INST], [/INST]"), std::string::npos) << check.out;
    const Outcome chat = speclens({"run", "--model", folder.string(), "--chat", "--prompt", "a"});
    EXPECT_EQ(chat.code, 3) << chat.err;
    EXPECT_NE(chat.err.find("--raw"), std::string::npos) << chat.err;
    EXPECT_EQ(speclens({"run", "--model", folder.string(), "--prompt", "a", "--max-tokens", "2"}).code, 0);
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    // The ready-made prompts of a race are chats: asked as text here, unless chats are asked for.
    const Outcome chats = speclens({"describe", "race", "--model", folder.string(), "--chat"});
    EXPECT_NE(chats.code, 0);
    EXPECT_NE(chats.err.find("how it writes a turn cannot be told"), std::string::npos) << chats.err;
    const Outcome race = speclens({"describe", "race", "--model", folder.string()});
    EXPECT_EQ(race.out.find("how it writes a turn cannot be told"), std::string::npos) << race.out;
    EXPECT_NE(race.out.find("finished after"), std::string::npos) << race.out;
}

TEST(Check, SaysThatThereIsNoChatTemplate) {
    const std::string model = micro_model();
    const Outcome check = speclens({"check", "--model", model});
    EXPECT_NE(check.out.find("there is no chat template"), std::string::npos) << check.out;
    const Outcome chat = speclens({"run", "--model", model, "--chat", "--prompt", "a"});
    EXPECT_EQ(chat.code, 3) << chat.err;
    EXPECT_NE(chat.err.find("there is no chat template"), std::string::npos) << chat.err;
    EXPECT_EQ(speclens({"run", "--model", model, "--prompt", "a", "--max-tokens", "2"}).code, 0);
}

// A switch that does nothing is refused where it was typed, and left alone where a link has it.
TEST(Check, SaysThatThinkingChangesNothing) {
    const std::filesystem::path folder = fresh_folder() / "other";
    std::filesystem::copy(micro_model(), folder, std::filesystem::copy_options::recursive);
    write_file(folder / "chat_template.jinja",
               "{% for m in messages %}{{ '<' + m.role + '>' + m.content }}{% endfor %}{{ '<assistant>' }}");
    const std::vector<std::string> run = {"run", "--model", folder.string(), "--max-tokens", "2"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), run.begin(), run.end());
        return speclens(more);
    };
    EXPECT_EQ(with({"--prompt", "a", "--chat"}).code, 0);
    const Outcome typed = with({"--prompt", "a", "--chat", "--thinking"});
    EXPECT_EQ(typed.code, 2) << typed.err;
    EXPECT_NE(typed.err.find("--thinking does nothing: the chat template of this model has no switch"), std::string::npos) << typed.err;
    const Outcome link = with({"speclens://loop?prompt=a&chat&thinking"});
    EXPECT_EQ(link.code, 0) << link.err;
    EXPECT_NE(link.err.find("the link asks for thinking, which does nothing"), std::string::npos) << link.err;
}

// The built-in prompts of compare and train are chats as well.
TEST(Check, AModelOfAnotherTemplateIsComparedAndTrainedWithText) {
    const std::filesystem::path folder = fresh_folder() / "other";
    std::filesystem::copy(micro_model(), folder, std::filesystem::copy_options::recursive);
    write_file(folder / "chat_template.jinja", "{{ '[INST] ' + messages[0].content + ' [/INST]' }}");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"compare", "--drafters", "none,lookup", "--repeats", "1", "--domain", "letters"},
          {"train", "--steps", "1", "--texts", "1", "-o", (folder / "heads").string()}}) {
        std::vector<std::string> line = command;
        line.insert(line.end(), {"--model", folder.string(), "--max-tokens", "2"});
        const Outcome asked = speclens(line);
        EXPECT_EQ(asked.code, 0) << asked.err;
        EXPECT_NE(asked.err.find("how it writes a turn cannot be told"), std::string::npos) << asked.err;
        EXPECT_NE(asked.err.find("asked as plain text"), std::string::npos) << asked.err;
    }
    const Outcome chat = speclens({"compare", "--model", folder.string(), "--chat", "--max-tokens", "2"});
    EXPECT_EQ(chat.code, 3) << "chats were asked for";
}

TEST(Check, SaysWhetherAShapeWouldFit) {
    const Outcome micro = speclens({"check", "--geometry", "micro", "--drafter", "domino", "--context", "9"});
    EXPECT_EQ(micro.code, 0) << micro.out;
    for (const char* part : {"a text of 9 tokens takes ", "heads ", " in all; ", "It fits."})
        EXPECT_NE(micro.out.find(part), std::string::npos) << part << "\n" << micro.out;
    // What the model goes to is no question of memory.
    const Outcome longer = speclens({"check", "--geometry", "micro", "--context", "900000"});
    EXPECT_EQ(longer.code, 1);
    EXPECT_NE(longer.out.find("ok    memory"), std::string::npos) << longer.out;
    EXPECT_NE(longer.out.find("BAD   context"), std::string::npos) << longer.out;
    const Outcome none = speclens({"check", "--geometry", "micro", "--drafter", "medusa"});
    EXPECT_NE(none.out.find("no published shape for a head of \"medusa\""), std::string::npos) << none.out;
}

TEST(Check, FindsAMissingModel) {
    EXPECT_EQ(speclens({"check", "--model", "/nothing/here"}).code, 1);
    const Outcome micro = speclens({"check", "--model", micro_model()});
    EXPECT_EQ(micro.code, 0) << micro.out;
    EXPECT_NE(micro.out.find("tokenizer"), std::string::npos);
}

} // namespace speclens::test
