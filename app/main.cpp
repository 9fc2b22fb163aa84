// The program: arguments in, exit code out. What ends a command is caught here. Below, an Error is caught only by who
// goes on without what failed (a lane of a race, a point of a study, an order to the window, a request to the server, a
// file that need not be there) and tells it there, or by who throws it on with what only they know or can save.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/c/frames.h"
#include "app/cli/calls/calls.h"
#include "app/cli/calls/failure.h"
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "engine/models/models.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {
namespace {

Exit dispatch(Options options) {
    if (options.help) {
        print(help_text(options.command, standard_terminal(options.color).width));
        return Exit::ok;
    }
    if (options.version) {
        print(version_text());
        return Exit::ok;
    }
    check_outputs(options);
    read_prompt(options);
    read_small_ids(options);
    switch (options.command) {
    case Command::window: {
        const Exit code = command_window(options);
        stop_if_interrupted(); // that closed the window
        return code;
    }
    case Command::run: return command_run(options);
    case Command::compare: return command_compare(options);
    case Command::render: return command_render(options);
    case Command::describe: return command_describe(options);
    case Command::bench: return command_bench(options);
    case Command::lossless: return command_lossless(options);
    case Command::train: return command_train(options);
    case Command::oracle: return command_oracle(options);
    case Command::export_file: return command_export(options);
    case Command::check: return command_check(options);
    case Command::list: return command_list(options);
    case Command::attach: return command_attach(options);
    case Command::get: return command_get(options);
    case Command::completion: return command_completion(options);
    case Command::man: return command_man(options);
    case Command::serve: return command_serve(options);
    case Command::advise: return command_advise(options);
    case Command::sweep: return command_sweep(options);
    case Command::sample: return command_sample(options);
    case Command::states: return command_states(options);
    case Command::frequent: return command_frequent(options);
    case Command::same: return command_same(options);
    }
    return Exit::usage;
}

Exit failed(const Failure& failure) {
    if (failure.code == Exit::ok) return Exit::ok;
    std::fflush(stdout);
    std::fprintf(stderr, "speclens: %s\n", printable(failure.what).c_str());
    if (!failure.remedy.empty()) std::fprintf(stderr, "          %s\n", printable(failure.remedy).c_str());
    return failure.code;
}

Exit guarded(const std::vector<std::string>& arguments) {
    try {
        set_shipped_stories(assets_folder() / "stories");
        if (arguments == std::vector<std::string>{calls::kArgument}) return serve_calls();
        const Exit code = dispatch(parse(arguments));
        flush();
        for (const std::string& problem : story_problems()) say(problem + ": left out");
        return code;
    } catch (...) {
        return failed(failure_of(std::current_exception()));
    }
}

} // namespace
} // namespace speclens::cli

int main(int argc, char** argv) {
    speclens::cli::prepare_process();
    speclens::cli::prepare_input();
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(speclens::cli::guarded(arguments));
}
