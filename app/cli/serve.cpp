// `speclens serve`: the engine behind a model server's addresses, or a page, until Ctrl+C.
#include <atomic>
#include <chrono>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "engine/run/measured_costs.h"
#include "engine/run/prepared_run.h"
#include "kernels/error.h"
#include "remote/serving/page_server.h"
#include "remote/serving/spec_server.h"

namespace speclens::cli {
namespace {

// Stops the server at Ctrl+C, as long as this object lives. (No jthread: LLVM's library has it since version 20.)
class StopAtInterrupt {
  public:
    template <class Server>
    explicit StopAtInterrupt(Server& server)
        : thread_([this, &server] {
              while (!over_ && !interrupted().load()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
              server.stop();
          }) {}
    ~StopAtInterrupt() {
        over_ = true;
        thread_.join();
    }
    StopAtInterrupt(const StopAtInterrupt&) = delete;
    StopAtInterrupt& operator=(const StopAtInterrupt&) = delete;

  private:
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

std::string address(const Options& options, int port) {
    return "http://" + (options.host.find(':') != std::string::npos ? "[" + options.host + "]" : options.host) + ":" + std::to_string(port);
}

// Answers until Ctrl+C.
template <class Server>
Exit answer(Server& server) {
    flush();
    bool was_interrupted = false;
    {
        const StopAtInterrupt stop(server);
        server.serve();
        was_interrupted = interrupted().load();
    }
    if (!was_interrupted) throw Error("the server stopped listening", "Is the network interface gone?", Exit::network);
    return Exit::interrupted;
}

Exit serve_page(const Options& options) {
    PageServer server(options.page, options.host, options.port);
    print("SpecLens serves the page of " + printable(options.page.string()) + " at " + address(options, server.bind()) +
          "/\nCtrl+C ends it.\n");
    return answer(server);
}

} // namespace

Exit command_serve(const Options& options) {
    if (!options.page.empty()) return serve_page(options);
    const std::shared_ptr<const Models> models = load(options);
    const std::string drafter = working_drafter(options, *models);
    ServeSettings settings;
    settings.host = options.host;
    settings.port = options.port;
    settings.base = run_settings(options, drafter, 0);
    settings.base.trace_top = 0;
    settings.most_waiting = options.most_waiting;
    settings.batch.texts = options.texts.value_or(settings.batch.texts);
    settings.batch.blocks = options.blocks.value_or(0);
    settings.key_memory = options.key_memory;
    settings.most_listed = options.listed;
    settings.ranks = options.ranks;
    if (settings.key_memory && !drafts_with(drafter, "suffix"))
        throw Error("--key-memory does nothing here: nobody drafts from earlier answers", "Add --drafter suffix.", Exit::usage);
    settle_costs(options, models, {&settings.base, 1});
    if (settings.base.k_auto && find_drafter(drafter)->drafts() && !find_rule(settings.base.rule)->greedy_only)
        for (RunSettings asked = settings.base; const double temperature : {0.0, 1.0}) { // or all would wait for whoever asks first
            asked.sampling.temperature = temperature;
            (void)measured_costs(models, prepared_run(*models, asked));
        }
    warm_up(models, settings.base); // also finds settings that cannot run before anybody asks
    SpecServer server(models, settings);
    const std::string where = address(options, server.bind());
    const bool drafts = drafter != kNoDrafter && settings.base.k > 0;
    print("SpecLens serves " + models->target_name() + (drafts ? " with " + drafter : " without speculation") + " at " + where + ",\n" +
          server.batching() + "\n  speclens attach " + where + "\n  speclens attach " + where +
          " --prompt \"Write a short poem about the moon.\" --chat\nCtrl+C ends it.\n");
    return answer(server);
}

} // namespace speclens::cli
