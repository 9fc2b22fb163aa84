// One function per command; each returns the exit code and throws Error, ReaderGone, Interrupted or
// Cancelled.
#pragma once

#include "app/cli/options.h"
#include "kernels/error.h"

namespace speclens::cli {

[[nodiscard]] Exit command_window(const Options& options);
[[nodiscard]] Exit command_run(const Options& options);
[[nodiscard]] Exit command_compare(const Options& options);
[[nodiscard]] Exit command_render(const Options& options);
[[nodiscard]] Exit command_describe(const Options& options);
[[nodiscard]] Exit command_bench(const Options& options);
[[nodiscard]] Exit command_lossless(const Options& options);
[[nodiscard]] Exit command_oracle(const Options& options);
[[nodiscard]] Exit command_train(const Options& options);
[[nodiscard]] Exit command_export(const Options& options);
[[nodiscard]] Exit command_check(const Options& options);
[[nodiscard]] Exit command_list(const Options& options);
[[nodiscard]] Exit command_attach(const Options& options);
[[nodiscard]] Exit command_get(const Options& options);
[[nodiscard]] Exit command_advise(const Options& options);
[[nodiscard]] Exit command_sweep(const Options& options);  // app/cli/sweep
[[nodiscard]] Exit command_sample(const Options& options); // app/cli/corpus
[[nodiscard]] Exit command_states(const Options& options);
[[nodiscard]] Exit command_frequent(const Options& options);
[[nodiscard]] Exit command_same(const Options& options);
[[nodiscard]] Exit command_serve(const Options& options);
[[nodiscard]] Exit command_completion(const Options& options);
[[nodiscard]] Exit command_man(const Options& options);
[[nodiscard]] Exit doctor(const Options& options);      // check --doctor
[[nodiscard]] Exit list_models(const Options& options); // the parts of `list` with a file of their own
[[nodiscard]] Exit list_heads(const Options& options);
[[nodiscard]] Exit list_published(const Options& options); // quotes others

[[nodiscard]] std::vector<std::string> list_names(); // what `list` takes

} // namespace speclens::cli
