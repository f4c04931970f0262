#include "cli/loop/status.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/loop/text.h"

namespace autokernel::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  autokernel loop status
  autokernel loop status --json | jq .should_continue

It can be asked at any time, also while a step is under way.)";

}  // namespace

void LoopStatus::declare(CLI::App& app) {
  app.footer(kExamples);
  remembered_.declare(app);
  app.add_flag("--json", json_, "Print one JSON object instead of lines");
}

int LoopStatus::run(const Console& console) {
  Watching watching(console, Diagnostics::Level::quiet);
  auto loop = loop::Loop::open_to_read(std::filesystem::current_path(), watching.surroundings());
  const loop::Status status = loop.status();
  remembered_.require_same(status.run);
  console.out << (json_ ? status_json(status) : status_text(status));
  return 0;
}

}  // namespace autokernel::cli
