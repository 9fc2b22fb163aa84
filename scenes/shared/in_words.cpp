#include "scenes/shared/in_words.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/base/json.h"
#include "ui/fonts.h"
#include "ui/language/language.h"
#include "ui/stories/story_book.h"

namespace speclens {
namespace {

constexpr Rect kScreen{0, 0, 1600, 1800}, kStage{0, 0, 1100, 800}, kControls{0, 800, 1100, 96}, kStory{1100, 0, 500, 700},
    kDetails{1100, 700, 500, 1100};

struct Region {
    const char* name;
    Rect place;
};
constexpr Region kRegions[] = {{"stage", kStage}, {"controls", kControls}, {"story", kStory}, {"details", kDetails}};

const char* region_of(const Rect& place) {
    const auto found = std::ranges::find_if(kRegions, [&](const Region& one) { return one.place.contains(place.center()); });
    return found == std::end(kRegions) ? kRegions[0].name : found->name;
}

OrderedJson said_json(const Said& said);

OrderedJson value_json(const SaidValue& value) {
    return std::visit(
        [](const auto& is) -> OrderedJson {
            using Is = std::remove_cvref_t<decltype(is)>;
            if constexpr (std::is_same_v<Is, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<Is, std::vector<Said>>) {
                if (is.size() == 1) return said_json(is[0]);
                OrderedJson list = OrderedJson::array();
                for (const Said& one : is) list.push_back(said_json(one));
                return list;
            } else if constexpr (std::is_same_v<Is, double>) {
                return std::isfinite(is) ? OrderedJson(is) : OrderedJson(nullptr);
            } else {
                return is;
            }
        },
        value.is);
}

OrderedJson said_json(const Said& said) {
    OrderedJson values = OrderedJson::object();
    for (const SaidValue& value : said.values) values[std::string(value.name)] = value_json(value);
    return {{"id", said.id()}, {"text", stories().say(said)}, {"values", values}};
}

} // namespace

std::string Scene::describe(const SceneInput& input) const { return in_words(told(input)); }

std::vector<ui::ToldMessage> told_by(Scene&& scene, SceneInput input) {
    static const ui::FontSet fonts; // found once: words are asked for in every frame of the window that shows them
    ui::RecordCanvas canvas(fonts, kScreen);
    const ui::Input nothing;
    ui::WidgetState widgets;
    ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, kScreen);
    input.stage = input.stage_clip = kStage;
    input.controls = kControls;
    input.story = kStory;
    input.details = kDetails;
    input.banner = input.strip = input.presenter = input.playing = false;
    input.places = nullptr;
    (void)scene.draw(input, ui);
    return canvas.told();
}

std::string in_words(const std::vector<ui::ToldMessage>& told) {
    std::string words;
    for (const Region& region : kRegions) {
        std::string here;
        for (const ui::ToldMessage& one : told)
            if (region_of(one.place) == region.name && !one.message.empty()) here += one.message.words() + "\n";
        if (!here.empty()) words += (words.empty() ? "" : "\n") + here;
    }
    return words;
}

std::string words_json(const std::string& scene, int beat, const std::vector<ui::ToldMessage>& told) {
    OrderedJson messages = OrderedJson::array();
    for (const ui::ToldMessage& one : told) {
        OrderedJson message = said_json(one.message.said);
        message["text"] = one.message.words();
        message["drawn"] = one.how == ui::Canvas::Told::drawn;
        message["region"] = region_of(one.place);
        const Rect& at = one.place;
        message["place"] = {std::lround(at.x), std::lround(at.y), std::lround(at.w), std::lround(at.h)};
        messages.push_back(std::move(message));
    }
    const OrderedJson json = {
        {"schema", "speclens-words/1"}, {"scene", scene}, {"beat", beat + 1}, {"language", ui::language().name}, {"messages", messages}};
    return json.dump(2, BadUtf8::replaced) + "\n";
}

} // namespace speclens
