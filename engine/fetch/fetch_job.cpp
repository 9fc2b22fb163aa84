#include "engine/fetch/fetch_job.h"

#include <utility>

#include "engine/fetch/fetching.h"
#include "kernels/error.h"

namespace speclens {

FetchJob::FetchJob(Fetchable what, std::filesystem::path folder, FetchSettings settings, std::function<void()> notify)
    : notify_(std::move(notify)) {
    FetchView view;
    view.name = what.name;
    view.title = what.title;
    view_ = std::make_shared<const FetchView>(std::move(view));
    thread_ = std::thread(
        [this, what = std::move(what), folder = std::move(folder), settings = std::move(settings)] { main(what, folder, settings); });
}

FetchJob::~FetchJob() {
    cancelled_ = true;
    thread_.join();
}

std::shared_ptr<const FetchView> FetchJob::view() const {
    const std::lock_guard lock(mutex_);
    return view_;
}

void FetchJob::publish(const std::function<void(FetchView&)>& change) {
    {
        const std::lock_guard lock(mutex_);
        auto next = std::make_shared<FetchView>(*view_);
        change(*next);
        view_ = std::move(next);
    }
    if (notify_) notify_();
}

void FetchJob::main(const Fetchable& what, const std::filesystem::path& folder, const FetchSettings& settings) {
    const auto failed = [&](const std::string& error, const std::string& remedy) {
        publish([&](FetchView& view) {
            view.over = true;
            view.error = error;
            view.remedy = remedy;
        });
    };
    Progress progress;
    progress.cancelled = &cancelled_;
    progress.report = [this](const std::string& job, double done, double total, const std::string&) {
        publish([&](FetchView& view) {
            view.checking = job.starts_with(kChecking);
            view.done = done;
            view.total = total;
        });
    };
    try {
        static_cast<void>(fetch_models(with_draft(what), folder, settings, progress,
                                       [this](const std::string& note) { publish([&](FetchView& view) { view.note = note; }); }));
        publish([](FetchView& view) { view.over = true; });
    } catch (const Cancelled&) {
        publish([](FetchView& view) { view.over = view.cancelled = true; });
    } catch (const Error& error) {
        failed(error.what(), error.remedy());
    } catch (const std::exception& error) { // no memory, no thread
        failed(what.title + " could not be fetched: " + error.what(), "Try it again.");
    }
}

} // namespace speclens
