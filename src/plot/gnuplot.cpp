#include "plot/gnuplot.h"

#include <chrono>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/search_path.h"
#include "autokernel/plot/plot.h"
#include "plot/script.h"

namespace autokernel::plot {
namespace {

// Ten thousand experiments take a second; whatever takes a minute will not end.
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kLongestMessage = 2000;
// An SVG of ten thousand marks has some MiB.
constexpr std::uint64_t kLargestPicture = 256ULL << 20U;

[[noreturn]] void fail(const std::filesystem::path& program, const std::string& why) {
  throw Error(Stop::environment, "cannot draw with " + program.string() + ": " + why);
}

}  // namespace

std::string run_gnuplot(const std::filesystem::path& program, const std::string& script) {
  const ScratchDirectory scratch;
  const std::filesystem::path picture = scratch.path() / "picture";
  const std::filesystem::path commands = scratch.path() / "commands.gp";
  write_file_atomically(commands, "set output " + in_quotes(picture.string()) + "\n" + script,
                        Sync::no);
  // Nothing of the user's own settings changes the picture.
  const EndedRun run = run_to_end({.program = program,
                                   .arguments = {"-d", commands.string()},
                                   .environment = {{"GNUTERM", "dumb"}, {"LC_ALL", "C.UTF-8"}}},
                                  kPatience, kLongestMessage);
  if (!run.ending) fail(program, "it did not end within a minute");
  if (!run.succeeded()) fail(program, run.output);
  if (!std::filesystem::exists(picture)) fail(program, "it drew nothing: " + run.output);
  return read_file(picture, "the picture", kLargestPicture);
}

std::filesystem::path find_gnuplot() {
  std::filesystem::path program = find_on_path("gnuplot");
  if (!program.empty()) return program;
  throw Error(Stop::environment,
              "cannot draw: gnuplot is not on the PATH. Install it, for example with: sudo apt-get "
              "install gnuplot-nox");
}

}  // namespace autokernel::plot
