// The functions of speclens.h: handles, turns and forks; who answers a call is a Worker.
#include "app/c/speclens.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "app/c/frames.h"
#include "app/c/worker.h"

namespace speclens::calls {

namespace {

// Everything of this process. Never destroyed: another thread may still be in a call when static objects are.
struct Library {
    std::mutex mutex; // of what follows
    std::map<std::uintptr_t, std::shared_ptr<Worker>> opened;
    std::map<const Worker*, std::weak_ptr<Worker>> started;
    std::uintptr_t last = 0;
    std::timed_mutex turn; // whose call it is
    std::atomic<bool> forked = false;
};
Library& library() {
    static Library& all = *[] {
        auto* const made = new Library;
        // The child has none of the threads that may be in a call, and must not keep the workers from hearing of the parent's end.
        pthread_atfork([] { library().mutex.lock(); }, [] { library().mutex.unlock(); },
                       [] {
                           library().forked = true;
                           for (const auto& [worker, held] : library().started)
                               if (const std::shared_ptr<Worker> living = held.lock()) living->forget();
                           library().mutex.unlock();
                       });
        return made;
    }();
    return all;
}

std::shared_ptr<Worker> make_worker() {
    const std::shared_ptr<Worker> worker(new Worker, [](Worker* one) {
        {
            const std::scoped_lock lock(library().mutex);
            library().started.erase(one);
        }
        delete one;
    });
    const std::scoped_lock lock(library().mutex);
    library().started[worker.get()] = worker;
    return worker;
}

std::shared_ptr<Worker> find(const speclens_model* model) {
    const std::scoped_lock lock(library().mutex);
    const auto found = library().opened.find(reinterpret_cast<std::uintptr_t>(model));
    return found == library().opened.end() ? nullptr : found->second;
}

speclens_kind failed(speclens_result& result, speclens_kind kind, const char* error, const char* remedy) {
    result.error = error;
    result.remedy = remedy;
    return kind;
}

// `work` when it is its turn, with a result of its own.
template <class Work>
speclens_kind answered(speclens_callback callback, void* user, speclens_result** to, const Work& work) {
    if (to) *to = nullptr;
    std::unique_ptr<speclens_result> result(new (std::nothrow) speclens_result);
    if (!result) return SPECLENS_DEVICE;
    speclens_kind kind = SPECLENS_OK;
    try {
        const auto go_on = [&](const speclens_progress& progress) { return !callback || callback(user, &progress) == 0; };
        if (library().forked) {
            kind = failed(*result, SPECLENS_FORKED, "this process was forked from one that uses SpecLens",
                          "Start processes anew instead of forking them, or use SpecLens in the children alone.");
        } else {
            std::unique_lock turn(library().turn, std::defer_lock);
            bool waits = true;
            while (waits && !turn.try_lock_for(std::chrono::milliseconds(50))) waits = go_on({"waiting for another call", 0, 0, ""});
            kind = waits ? work(*result, go_on) : failed(*result, SPECLENS_STOPPED, "interrupted", "");
        }
    } catch (const std::bad_alloc&) {
        return SPECLENS_DEVICE;
    } catch (const std::exception& error) {
        kind = failed(*result, SPECLENS_MODEL, error.what(), "Please report what led to it.");
    }
    if (to) *to = result.release();
    return kind;
}

std::string text_of(const char* text) { return text ? text : ""; }

} // namespace

} // namespace speclens::calls

using namespace speclens::calls;

int speclens_abi(void) { return SPECLENS_ABI; }
const char* speclens_version(void) { return SPEC_VERSION; }

speclens_kind speclens_open(const char* options_json, speclens_callback callback, void* user, speclens_model** model,
                            speclens_result** result) {
    if (model) *model = nullptr;
    return answered(callback, user, result, [&](speclens_result& to, const auto& go_on) {
        const std::shared_ptr<Worker> worker = make_worker();
        speclens_kind kind = worker->start(to);
        if (kind == SPECLENS_OK) kind = worker->call(kOpen, text_of(options_json), go_on, to);
        if (kind != SPECLENS_OK || !model) return kind;
        const std::scoped_lock lock(library().mutex);
        library().opened[++library().last] = worker;
        *model = reinterpret_cast<speclens_model*>(library().last);
        return kind;
    });
}

void speclens_close(speclens_model* model) {
    if (!model || library().forked) return;
    std::shared_ptr<Worker> worker; // whose process ends outside of the lock
    const std::scoped_lock lock(library().mutex);
    if (auto node = library().opened.extract(reinterpret_cast<std::uintptr_t>(model))) worker = std::move(node.mapped());
}

speclens_kind speclens_call(speclens_model* model, const char* command, const char* options_json, speclens_callback callback, void* user,
                            speclens_result** result) {
    return answered(callback, user, result, [&](speclens_result& to, const auto& go_on) {
        const std::shared_ptr<Worker> worker = model ? find(model) : make_worker();
        if (!worker) return failed(to, SPECLENS_USAGE, "this model was closed", "Open it again.");
        if (const std::string name = text_of(command); name.empty() || name.find_first_of(" \n") != std::string::npos || name == kStop)
            return failed(to, SPECLENS_USAGE, "no such command", "There are run, compare, sweep, advise and lossless.");
        if (!model)
            if (const speclens_kind kind = worker->start(to); kind != SPECLENS_OK) return kind;
        return worker->call(command, text_of(options_json), go_on, to);
    });
}

const char* speclens_result_text(const speclens_result* result, size_t* bytes) {
    if (bytes) *bytes = result ? result->text.size() : 0;
    return result ? result->text.c_str() : "";
}
const char* speclens_result_error(const speclens_result* result) { return result ? result->error.c_str() : ""; }
const char* speclens_result_remedy(const speclens_result* result) { return result ? result->remedy.c_str() : ""; }
const char* speclens_result_notices(const speclens_result* result) { return result ? result->notices.c_str() : ""; }
void speclens_result_free(speclens_result* result) { delete result; }
