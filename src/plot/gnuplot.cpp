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

// What is drawn by font: letters that the fonts of most machines have. Where one has no others,
// pngcairo draws bars across the picture in their place.
[[nodiscard]] std::string with_letters_of_fonts(const std::string& script) {
  constexpr unsigned char kFirstOfThree = 0xE1;  // U+1000, behind Latin, Greek, Cyrillic, ...
  constexpr unsigned char kSymbols = 0xE2;       // U+2000 to U+2FFF: dashes, arrows, mathematics
  constexpr unsigned char kContinued = 0xC0;
  std::string drawn;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const auto byte = static_cast<unsigned char>(script[i]);
    if (byte < kFirstOfThree || byte == kSymbols) {
      drawn += script[i];
      continue;
    }
    drawn += '?';
    while (i + 1 < script.size() &&
           (static_cast<unsigned char>(script[i + 1]) & kContinued) == 0x80)
      ++i;
  }
  return drawn;
}

}  // namespace

std::string run_gnuplot(const std::filesystem::path& program, const std::string& script) {
  const ScratchDirectory scratch;
  const std::filesystem::path picture = scratch.path() / "picture";
  const bool is_png = script.find("set terminal pngcairo") != std::string::npos;
  const std::filesystem::path commands = scratch.path() / "commands.gp";
  write_file_atomically(commands,
                        "set output " + in_quotes(picture.string()) + "\n" +
                            (is_png ? with_letters_of_fonts(script) : script),
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
