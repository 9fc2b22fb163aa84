#include "app/frame/controller_lecture.h"

#include <algorithm>

#include "engine/base/printed.h"
#include "scenes/shared/told.h"

namespace speclens {
namespace {

std::string clock_words(double seconds) { return printed("%d:%02d", static_cast<int>(seconds) / 60, static_cast<int>(seconds) % 60); }

} // namespace

void LecturePart::begin(LectureView lecture, bool found, double now) {
    lecture_ = std::move(lecture);
    at_ = 0;
    found_ = found;
    began_ = now;
    tell(now);
}

const LectureView::Step& LecturePart::go_to(int to, const std::function<bool(const LectureView::Step&)>& found, double now) {
    at_ = std::clamp(to, 0, static_cast<int>(lecture_.steps.size()) - 1);
    found_ = found(step());
    instead_.clear();
    tell(now);
    return step();
}

const SceneView* LecturePart::next() const {
    const auto after = static_cast<std::size_t>(at_) + 1;
    return after < lecture_.steps.size() ? &lecture_.steps[after].view : nullptr;
}

std::optional<LecturePlace> LecturePart::place() const {
    if (!open()) return {};
    return LecturePlace{.lecture = &lecture_, .step = at_, .found = found_, .instead = instead_};
}

// What to say, and the time.
void LecturePart::tell(double now) {
    double planned = 0;
    for (int i = 0; i < at_; ++i) planned += 60 * lecture_.steps[static_cast<std::size_t>(i)].minutes;
    const bool timed = planned > 0 || step().minutes > 0;
    spoken_ += "\n" +
               shared_says("lecture.told"_t, "step"_v = at_ + 1, "of"_v = lecture_.steps.size(), "title"_v = step().title,
                           "clock"_v = clock_words(now - began_), "planned"_v = timed ? clock_words(planned) : "")
                   .words() +
               "\n";
    const std::string& notes = place()->notes();
    if (!notes.empty()) spoken_ += notes + (notes.back() == '\n' ? "" : "\n");
}

} // namespace speclens
