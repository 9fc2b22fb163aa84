// The model in the window: opening another, fetching one, and what of the window belongs to the one that was there.
#include <algorithm>
#include <iterator>
#include <utility>

#include "app/frame/controller.h"
#include "app/frame/model_choices.h"
#include "engine/drafters/drafter_info.h"
#include "engine/fetch/fetchable.h"
#include "engine/models/model_names.h"
#include "kernels/error.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

bool is_here(const std::string& name) {
    try {
        (void)model_file(name);
        return true;
    } catch (const Error&) {
        return false;
    }
}

bool same_file(const fs::path& a, const fs::path& b) {
    if (a.empty() || b.empty()) return a.empty() && b.empty();
    std::error_code failure;
    return fs::weakly_canonical(a, failure) == fs::weakly_canonical(b, failure) && !failure;
}

// A room may see the window: it says which model, not where that lies.
std::string without_place(std::string words, const fs::path& file) {
    const std::string place = file.has_parent_path() ? file.parent_path().string() + "/" : "";
    for (std::size_t at = 0; place.size() > 1 && (at = words.find(place, at)) != std::string::npos;) words.erase(at, place.size());
    return words;
}

double megabytes_of(const Fetchable& known) { return static_cast<double>(bytes_with_draft(known)) / 1e6; }

} // namespace

std::string Controller::model_word() const {
    for (const auto& [name, word] : folders)
        if (name == "model") return word;
    return kBuiltInModel;
}

std::map<std::string, std::string> Controller::places() const {
    std::map<std::string, std::string> places;
    const std::string word = model_word();
    if (!is_known_model(word)) places["model"] = (loaded_from_.empty() ? started_with.target : loaded_from_).string();
    if (!loaded_from_.empty() && !same_file(loaded_from_, started_with.target)) return places; // opened here, with what it found
    const bool own_draft = !is_known_model(word) || started_with.draft != draft_file(word);
    for (const DrafterInfo& info : drafter_list()) {
        const auto head = started_with.heads.find(network_of(info.name));
        if (info.needs_network() && head != started_with.heads.end()) places[info.name] = head->second.string();
        if (info.needs_draft_model() && own_draft && !started_with.draft.empty()) places[info.name] = started_with.draft.string();
    }
    return places;
}

const std::vector<GalleryPrompt>& Controller::prompts() const { return common_.status.built_in || general.empty() ? gallery : general; }

void Controller::open_model(const std::string& word, double now, bool keep) {
    if (!common_.has_engine()) return complain(frame_says("problem.no_engine"_t), frame_says("remedy.start_with_model"_t));
    if (common_.status.state == EngineStatus::State::loading) return common_.say(frame_says("notice.loading"_t), now);
    const std::string name = speclens::model_word(word);
    if (is_known_model(name) && !is_here(name)) return get_model(name, now);
    guarded([&] {
        ModelPaths paths;
        paths.target = model_file(word);
        paths.draft = draft_file(word);
        if (!started_with.scorer && same_file(paths.target, started_with.target)) {
            paths = started_with;
        } else {
            paths.backend = started_with.backend;
            paths.threads = started_with.threads;
            paths.weights = started_with.weights;
            if (!paths.target.empty()) paths.precision = started_with.precision; // the built-in model is as it is told everywhere
        }
        offer_ = {};
        if (wanted_view_ && wanted_view_->model != name) wanted_view_.reset();
        opening_ = paths.target;
        common_.status.state = EngineStatus::State::loading; // until the engine says what it is
        if (!keep) back_.reset(), returning_ = false;
        common_.send(OpenModel{std::move(paths), common_.first_budget(), keep});
    });
}

void Controller::open_built_in(const std::string& drafter, double now) {
    const auto beat = beats_.find(scene_name_);
    SceneView view{.scene = scene_name_, .place = {.beat = beat == beats_.end() ? 0 : beat->second + 1}, .model = kBuiltInModel};
    view.settings = with_draft_length(with_drafter({}, drafter), default_k(drafter));
    wanted_view_ = view;
    const std::string from = common_.status.model;
    open_model(kBuiltInModel, now);
    common_.say(frame_says("notice.tiny"_t, "from"_v = from), now);
}

void Controller::get_model(const std::string& name, double now) {
    const Fetchable* known = find_fetchable(name);
    if (!known) return;
    if (is_here(name)) return open_model(name, now);
    if (fetch_) return common_.say(frame_says("notice.under_way"_t, "model"_v = fetch_->title), now);
    if (!common_.port.fetch)
        return complain(frame_says("problem.not_here"_t, "model"_v = known->title), frame_says("remedy.fetch"_t, "name"_v = known->name));
    common_.dismiss();
    offer_ = {};
    common_.port.fetch(name);
}

void Controller::observe_fetch(const std::shared_ptr<const FetchView>& view, double now) {
    fetch_ = view;
    if (!view->over) return;
    fetch_.reset();
    if (chrome.popup == Popup::models || chrome.popup == Popup::palette) models_ = model_choices();
    if (!view->error.empty()) return common_.complain(problem_of(ErrorKind::other, view->error, view->remedy));
    if (view->cancelled) return common_.say(frame_says("notice.not_fetched"_t, "model"_v = view->title), now);
    offered_ = view->name;
    offer_ = {frame_says("offer.here"_t, "model"_v = view->title), frame_says("offer.load"_t)};
}

void Controller::observe_opening(const Snapshot& published) {
    if (std::exchange(opened_seen_, published.status.opened) == published.status.opened) return;
    if (published.status.open_error.empty()) return begin_with_other_model(published.settings);
    wanted_view_.reset();
    returning_ = false;
    if (model_word() == (back_ ? back_->word : "")) back_.reset(); // it never left
    const EngineStatus& status = published.status;
    common_.complain(
        problem_of(status.open_error_kind, without_place(status.open_error, opening_), without_place(status.open_remedy, opening_)));
}

// Everything that was made with the model before is gone: the engine has let go of it.
void Controller::begin_with_other_model(const RunSettings& settings) {
    if (!first_folders_) first_folders_ = folders;
    loaded_from_ = opening_;
    const bool first = !started_with.scorer && same_file(opening_, started_with.target);
    folders = first ? *first_folders_ : LinkOptions{{"model", common_.status.opened_as}};
    run_.forget(settings);
    undo_ = {};
    cursor_.stand(empty_trace(), 0);
    race_.forget(settings, prompts());
    common_.player.playing = false;
    arrival_.round.reset();
    arrival_.draft.reset();
    arrival_.from.reset();
    place_.reset();
    awaited_ = {};
    scenes_.clear();
    asked_in_.clear();
    chrome.counted = {};
    chrome.room = {};
    common_.dismiss();
}

// ---- questions ----

bool Controller::suits_model(const SceneView& view, double now) {
    if (view.model.empty() || view.model == model_word()) return true;
    if (!is_known_model(view.model) || !common_.has_engine()) {
        // Nothing is opened because a link names it: a place or an address is somebody else's to say.
        complain(frame_says("problem.other_model"_t, "model"_v = speclens::model_word(view.model)),
                 common_.has_engine() ? frame_says("remedy.open_model"_t) : frame_says("remedy.start_with_model"_t));
        return false;
    }
    if (lecture_.open() && !asked_.insert(view.model).second)
        common_.say(frame_says("notice.step_of"_t, "model"_v = model_title(view.model)), now);
    else
        offer_model_of(view);
    return false;
}

void Controller::offer_model_of(const SceneView& view) {
    const Fetchable* known = find_fetchable(view.model);
    const bool here = is_here(view.model);
    offered_ = view.model;
    wanted_view_ = view;
    offer_ = {frame_says("offer.of"_t, "model"_v = model_title(view.model), "here"_v = here),
              here || !known ? frame_says("offer.load"_t)
                             : frame_says("offer.get"_t, "model"_v = "", "megabytes"_v = megabytes_of(*known))};
}

// Beside a step that is played without it, once in a lecture; F3 has it on every such step.
void Controller::offer_own_model(const SceneView& step, double now) {
    if (step.model == kBuiltInModel || !is_known_model(step.model)) return;
    if (!is_here(step.model) && !common_.port.fetch) return; // a page in a browser
    if (asked_.insert(step.model).second) return offer_model_of(step);
    common_.say(frame_says("notice.try_live"_t, "model"_v = model_title(step.model)), now);
}

void Controller::withdraw_offer() {
    offered_.clear();
    offer_ = {};
    wanted_view_.reset();
}

// ---- heads that come later ----

bool Controller::comes_later(const std::string& drafter) const {
    return common_.status.built_in && common_.port.fetch_head && !common_.can_run(drafter) && common_.port.fetch_head(network_of(drafter));
}

bool Controller::awaits_heads(const std::vector<std::string>& drafters, std::function<void(double)> then, double now) {
    awaited_ = {};
    std::ranges::copy_if(drafters, std::back_inserter(awaited_.drafters), [this](const std::string& one) { return comes_later(one); });
    if (awaited_.drafters.empty()) return false;
    awaited_.then = std::move(then);
    common_.say(frame_says("notice.head"_t, "drafter"_v = awaited_.drafters.front()), now);
    return true;
}

void Controller::heads_may_have_come(double now) {
    const auto here = [this](const std::string& drafter) { return common_.can_run(drafter); };
    if (awaited_.then && std::ranges::all_of(awaited_.drafters, here)) std::exchange(awaited_, {}).then(now);
}

bool Controller::knows(const std::string& prompt) const {
    return std::ranges::any_of(prompts(), [&](const GalleryPrompt& one) { return one.prompt == prompt; });
}

// Once, when somebody has read what it made of words of their own.
void Controller::offer_real_model() {
    if (!own_prompt_ || said_small_world_ || !common_.status.built_in || run_.saved() || run_.due() || !cursor_.source.whole().stopped)
        return;
    if (!offer_.words.empty() || !common_.banner.empty() || fetch_) return;
    if (lecture_.open() && lecture_.step().view.settings.prompt.text == run_.settings().prompt.text) return; // those of its author
    const Fetchable& real = fetchables().front();
    const bool here = is_here(real.name);
    if (!common_.has_engine() || (!here && !common_.port.fetch)) return;
    said_small_world_ = true;
    offered_ = real.name;
    offer_ = {frame_says("offer.real"_t), here ? frame_says("offer.load_named"_t, "model"_v = real.title)
                                               : frame_says("offer.get"_t, "model"_v = real.title, "megabytes"_v = megabytes_of(real))};
}

void Controller::answer_offer(bool yes, double now) {
    const std::string name = offered_;
    const bool of_step = lecture_.open() && name == lecture_.step().view.model;
    if (!yes) {
        withdraw_offer();
        if (of_step && needs_own_model(lecture_.step())) show_step(now); // and it says why it cannot be shown
        return;
    }
    offered_.clear();
    offer_ = {};
    if (of_step && !wanted_view_) wanted_view_ = lecture_.step().view;
    open_model(name, now);
}

} // namespace speclens
