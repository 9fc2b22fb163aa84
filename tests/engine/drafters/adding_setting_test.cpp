// The setting of docs/adding.md: one line, and the table has all of it.
#include <gtest/gtest.h>

#include "engine/drafters/drafter_settings.h"

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
    EXPECT_EQ(words_of(options), " · without the last 3");
}

} // namespace
} // namespace speclens
