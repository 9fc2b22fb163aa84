// The setting of docs/adding.md: one line, and the table has all of it.
#include <gtest/gtest.h>

#include "engine/drafters/drafter_settings.h"
#include "tests/shared/said_values.h"

namespace speclens {
namespace {

TEST(AddingASetting, TakesOneLine) {
    const DrafterSetting* setting = find_setting("skip-last");
    ASSERT_NE(setting, nullptr);
    EXPECT_EQ(setting->id, Setting::skip_last);
    DrafterOptions options;
    EXPECT_EQ(options.skip_last, 0);
    EXPECT_TRUE(is_unset(*setting, options));
    options.skip_last = 3;
    EXPECT_EQ(text_of(*setting, options), "3");
    ASSERT_EQ(words_of(options).size(), 1U);
    const Said said = test::inner(words_of(options)[0], "words");
    EXPECT_EQ(said.id(), "settings.set.words:skip_last");
    EXPECT_EQ(test::whole(said, "value"), 3);
}

} // namespace
} // namespace speclens
