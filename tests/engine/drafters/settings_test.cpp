// The table of drafters' settings and the descriptors that name who reads them.
#include <gtest/gtest.h>

#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/run/options_json.h"
#include "tests/shared/model_support.h"
#include "tests/shared/said_values.h"

namespace speclens {
namespace {

// Options in which this setting alone differs from the default.
DrafterOptions changed(const DrafterSetting& setting) {
    OrderedJson json;
    const DrafterOptions defaults;
    if (const auto* member = std::get_if<bool DrafterOptions::*>(&setting.member)) json[setting.key] = !(defaults.**member);
    if (const auto* member = std::get_if<int DrafterOptions::*>(&setting.member)) json[setting.key] = defaults.**member + 2;
    if (const auto* member = std::get_if<double DrafterOptions::*>(&setting.member)) json[setting.key] = defaults.**member + 0.25;
    if (std::holds_alternative<std::vector<int> DrafterOptions::*>(setting.member)) json[setting.key] = {1, 3};
    if (const auto* pair = std::get_if<IntPair>(&setting.member)) {
        json[setting.low_key] = defaults.*pair->first + 1;
        json[setting.high_key] = defaults.*pair->second + 2;
    }
    return drafter_options_of(json);
}

TEST(DrafterSettings, EveryOneHasItsOwnNamesAndAReader) {
    std::set<std::string> keys, options;
    for (const DrafterSetting& setting : drafter_settings()) {
        EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
        EXPECT_TRUE(options.insert(setting.option).second) << setting.option;
        EXPECT_FALSE(readers_of(setting.id).empty()) << setting.option;
        EXPECT_EQ(find_setting(setting.option), &setting);
        EXPECT_EQ(&row_of(setting.id), &setting) << setting.option;
        EXPECT_LT(setting.least, setting.most) << setting.option;
        EXPECT_NE(std::string(setting.about), "") << setting.option;
    }
    EXPECT_EQ(find_setting("no-such-setting"), nullptr);
}

TEST(DrafterSettings, AChangeIsCopiedSavedAndReadBackAlone) {
    for (const DrafterSetting& setting : drafter_settings()) {
        const DrafterOptions options = changed(setting);
        for (const DrafterSetting& other : drafter_settings())
            EXPECT_EQ(is_default(other, options), &other != &setting) << setting.option << ", " << other.option;
        DrafterOptions copied;
        copy(setting, options, copied);
        EXPECT_EQ(copied, options) << setting.option;
        EXPECT_EQ(drafter_options_of(options_json(options)), options) << setting.option;
        EXPECT_EQ(text_of(setting, options).empty(), setting.is_switch()) << setting.option;
        const std::vector<Said> words = words_of(options);
        EXPECT_EQ(words.empty(), setting.words == nullptr) << setting.option;
        if (words.empty()) continue;
        EXPECT_TRUE(test::list(words[0], "more").empty()) << setting.option;
        const Said said = test::inner(words[0], "words");
        EXPECT_EQ(said.id(), std::string("settings.set.words:") + setting.key);
        if (const auto* member = std::get_if<int DrafterOptions::*>(&setting.member)) {
            EXPECT_EQ(test::whole(said, "value"), setting.id == Setting::small_ids ? draft_ids(options) : options.**member);
        } else if (const auto* real = std::get_if<double DrafterOptions::*>(&setting.member)) {
            EXPECT_EQ(test::real(said, "value"), options.**real);
        }
    }
    EXPECT_TRUE(words_of({}).empty());
}

TEST(DrafterSettings, SeveralAreSaidInTheirOrder) {
    DrafterOptions options;
    options.correction = false;
    options.confidence = 0.7;
    options.context_last = 5;
    std::vector<std::string> ids;
    for (std::vector<Said> rest = words_of(options); !rest.empty(); rest = test::list(rest[0], "more")) {
        ASSERT_EQ(rest.size(), 1U);
        ids.push_back(test::inner(rest[0], "words").id());
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"settings.set.words:context_last", "settings.set.words:correction",
                                             "settings.set.words:confidence"}));
}

TEST(DrafterSettings, OnlyItsReadersTakeIt) {
    for (const DrafterInfo& info : drafter_list())
        for (const DrafterSetting& setting : drafter_settings()) {
            const DrafterOptions options = changed(setting);
            DrafterOptions taken;
            take_options(info.name, options, taken);
            EXPECT_EQ(taken == options, info.reads_setting(setting.id)) << info.name << ", " << setting.option;
            if (info.reads_setting(setting.id))
                EXPECT_NO_THROW(check_options(info.name, options, 4)) << info.name << ", " << setting.option;
            else
                test::expect_error([&] { check_options(info.name, options, 4); }, {"--" + std::string(setting.option)});
        }
}

TEST(DrafterSettings, ASwitchedOffOneDoesNotCount) {
    DrafterOptions options;
    options.context_last = 5;
    EXPECT_TRUE(counts(row_of(Setting::context_last), options));
    options.conditioning = false;
    EXPECT_FALSE(counts(row_of(Setting::context_last), options));
    ASSERT_EQ(words_of(options).size(), 1U);
    EXPECT_EQ(test::inner(words_of(options)[0], "words").id(), "settings.set.words:conditioning");
    EXPECT_TRUE(test::list(words_of(options)[0], "more").empty());
}

TEST(DrafterSettings, NumbersOutsideTheirRangeAreRefusedByName) {
    DrafterOptions options;
    options.confidence = 1.5;
    test::expect_error([&] { check_options("dspark", options, 4); }, {"--confidence must be 0 … 1, got 1.5"});
    options = {};
    options.ngram_min = 5;
    test::expect_error([&] { check_options("lookup", options, 4); }, {"--ngram needs MIN <= MAX, got 5,3"});
    options = {};
    options.tree_topk = 0;
    test::expect_error([&] { check_options("small_tree", options, 4); }, {"--tree-topk must be 1 … 64, got 0"});
}

TEST(DrafterInfo, SaysWhatBelongsTogether) {
    std::set<int> places;
    for (const DrafterInfo& info : drafter_list()) {
        EXPECT_TRUE(!info.needs_network() || *info.method != '\0') << info.name;
        EXPECT_TRUE(!info.tree || info.at_once() || find_drafter(network_of(info.name))) << info.name << " has no chain";
        EXPECT_TRUE(!info.causal_head || info.block) << info.name;
        EXPECT_EQ(info.causal_head, !info.head_reads.empty()) << info.name;
        EXPECT_EQ(info.drafts(), info.default_k > 0) << info.name;
        EXPECT_EQ(info.tree, info.reads_setting(Setting::tree_budget)) << info.name;
        if (info.race_place > 0) {
            EXPECT_TRUE(places.insert(info.race_place).second) << info.name;
        }
        EXPECT_TRUE(!info.drafts() || !info.how.empty()) << info.name;
    }
    EXPECT_EQ(*places.rbegin(), static_cast<int>(places.size())); // without a gap
}

} // namespace
} // namespace speclens
