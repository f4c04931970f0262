#include "trial/supervise/installation.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <vector>

#include "autokernel/base/build_id.h"
#include "autokernel/base/environment.h"
#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/search_path.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/order.h"
#include "trial/supervise/place_command.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "AUTOKERNEL_PACKAGE";
// scripts/package puts it into each tree that runs on other machines.
constexpr const char* kMark = "share/autokernel/package";
// A slow line sends 60 MB in a quarter of an hour.
constexpr std::chrono::minutes kLongestTransfer{20};
constexpr std::size_t kMostHeard = 2000;
constexpr double kBytesPerMegabyte = 1e6;

[[nodiscard]] bool is_package(const fs::path& tree) {
  std::error_code unreadable;
  return fs::exists(tree / kMark, unreadable);
}

void run(const Command& command, const std::string& attempt, const Interrupts& interrupts) {
  const EndedRun ended = run_to_end(command, kLongestTransfer, kMostHeard, [&] {
    if (const auto signal = interrupts.next()) throw Interrupted(*signal);
  });
  if (ended.succeeded()) return;
  const std::string said = visible_line(ended.output);
  throw Error(Stop::environment, attempt + ": " +
                                     (!ended.ending  ? "it takes too long"
                                      : said.empty() ? "it ended early"
                                                     : said));
}

// What the shell there does with what comes on its standard input. The last step is one rename; of
// two who install at a time the first wins.
[[nodiscard]] std::string unpacking_line(const std::string& digest) {
  return fmt::format(
      "set -eu; umask 077; to=\"{0}\"; mkdir -p \"${{to%/*}}\"; new=$(mktemp -d \"$to.XXXXXX\"); "
      "trap 'rm -rf \"$new\"' EXIT; cat >\"$new/package.tar.gz\"; "
      "echo \"{1}  $new/package.tar.gz\" | sha256sum --check --status || "
      "{{ echo 'what arrived is not what was sent' >&2; exit 1; }}; "
      "mkdir \"$new/tree\"; tar -xzf \"$new/package.tar.gz\" -C \"$new/tree\"; "
      "if [ ! -e \"$to\" ]; then mv \"$new/tree\" \"$to\"; fi",
      installed_folder(), digest);
}

}  // namespace

std::string installed_folder() { return "$HOME/.cache/autokernel/packages/" + own_build_id(); }

fs::path package_to_send() {
  const Variables variables = own_variables();
  if (const auto named = variables.find(kVariable); named != variables.end()) {
    if (is_package(named->second)) return named->second;
    throw Error(Stop::usage, fmt::format("{} is {}, which is no package: './dev package' makes "
                                         "one in build/package",
                                         kVariable, visible_line(named->second)));
  }
  std::error_code failed;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  return is_package(prefix) ? prefix : fs::path();
}

namespace {

// What would be sent is this build: anything else would be refused there, and stay.
void require_own_build(const fs::path& package) {
  const EndedRun said =
      run_to_end({.program = package / "bin/autokernel", .arguments = {"relay"}, .environment = {}},
                 std::chrono::seconds{10}, kMostHeard);
  if (said.output.find(relay_greeting() + "\n") != std::string::npos) return;
  throw Error(Stop::usage,
              fmt::format("cannot install {} anywhere: it is of another build ({}; "
                          "here {}); './dev package' makes one of this build",
                          package.string(), visible_line(said.output), relay_greeting()));
}

}  // namespace

void install_at(const std::string& place, const fs::path& package,
                const std::function<void(const std::string&)>& note) {
  require_own_build(package);
  const Interrupts interrupts;
  const ScratchDirectory scratch;
  const fs::path archive = scratch.path() / "package.tar.gz";
  const fs::path tar = find_on_path("tar");
  if (tar.empty()) throw Error(Stop::environment, "cannot send a package: there is no tar here");
  run({.program = tar,
       .arguments = {"-czf", archive.string(), "--exclude=./share/doc", "-C", package.string(),
                     "."},
       .environment = {}},
      "cannot pack " + package.string(), interrupts);
  if (note) {
    note(fmt::format("installing this build of autokernel at {} ({:.0f} MB)", place,
                     static_cast<double>(fs::file_size(archive)) / kBytesPerMegabyte));
  }
  const PlaceCommand command = ssh_command(place, unpacking_line(sha256_of_file(archive)));
  std::vector<std::string> arguments = {"-c", R"(archive=$1; shift; exec "$@" <"$archive")", "sh",
                                        archive.string(), command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  run({.program = "/bin/sh", .arguments = std::move(arguments), .environment = {}},
      "cannot install autokernel at " + place, interrupts);
}

}  // namespace autokernel::trial
