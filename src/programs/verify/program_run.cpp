#include "programs/verify/program_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <system_error>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "programs/program_environment.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kDriverFolder = "autokernel-driver";
constexpr const char* kPreloaded = "libautokernel_profile.so";
constexpr std::size_t kMostOutput = std::size_t{16} << 20U;
// How often what it printed is read: a pipe holds 64 KiB.
constexpr std::chrono::milliseconds kInterval{5};

// What a program prints: the beginning and the end of it, and a hash of all (FNV-1a).
struct Printed {
  BoundedText text{kMostOutput};
  std::uint64_t hash = 0xCBF29CE484222325;

  void read(const Descriptor& from) {
    std::array<char, 1U << 16U> piece{};
    constexpr int kMostPieces = 64;  // before the clock is looked at, as some never stop writing
    for (int i = 0; i < kMostPieces; ++i) {
      const ssize_t count = ::read(from.get(), piece.data(), piece.size());
      if (count <= 0) return;
      const std::string_view bytes(piece.data(), static_cast<std::size_t>(count));
      text.add(bytes);
      constexpr std::uint64_t kPrime = 0x100000001B3;
      for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
    }
  }
};

// As the forwarding driver reads it; a comma says that it is a spot check.
[[nodiscard]] std::string check_of(const Replacing& replacing) {
  if (!replacing.spots.empty()) return fmt::format("{},", fmt::join(replacing.spots, ","));
  return replacing.checks ? "1" : "0";
}

}  // namespace

ProgramStart::ProgramStart(const std::vector<std::string>& command,
                           const driver::DeviceChoice& device)
    : plain_{.program = program_called(command.front()),
             .arguments = {command.begin() + 1, command.end()},
             .environment = {}},
      driver_(real_driver(device)) {
  choose_gpu(plain_.environment, device);
  if (!uses_emulated_device(device)) return;
  const fs::path folder = scratch_.path() / "driver";
  std::error_code failed;
  fs::create_directory(folder, failed);
  fs::create_symlink(driver_, folder / "libcuda.so.1", failed);
  if (failed) {
    throw Error(Stop::environment, fmt::format("cannot link the emulated device into {}: {}",
                                               folder.string(), failed.message()));
  }
  put_before(plain_.environment, "LD_LIBRARY_PATH", folder.string());
}

Command ProgramStart::replaced(const Replacing& replacing, const fs::path& tallies) const {
  const fs::path shim = required_library(std::string(kDriverFolder) + "/libcuda.so.1",
                                         "replace kernels of a program");
  Command command = plain_;
  Variables& variables = command.environment;
  put_before(variables, "LD_LIBRARY_PATH", shim.parent_path().string());
  if (replacing.products) {
    put_before(variables, "LD_PRELOAD",
               required_library(kPreloaded, "replace products of a program").string());
  }
  variables["AUTOKERNEL_DRIVER"] = driver_.string();
  variables["AUTOKERNEL_REPLACE"] = fs::absolute(replacing.folder).string();
  variables["AUTOKERNEL_REPLACE_TALLIES"] = tallies.string();
  variables["AUTOKERNEL_REPLACE_ONLY"] = fmt::format("{}", fmt::join(replacing.only, ","));
  variables["AUTOKERNEL_REPLACE_CHECK"] = check_of(replacing);
  variables["AUTOKERNEL_REPLACE_GRAPHS"] = replacing.in_graphs ? "1" : "0";
  return command;
}

std::string last_line(const std::string& output) {
  std::string_view rest = output;
  while (rest.ends_with('\n')) rest.remove_suffix(1);
  return visible_line(std::string(rest.substr(rest.rfind('\n') + 1)));
}

ProgramRun run_program(const ProgramStart& start, const Replacing* replacing,
                       double patience_seconds, const Interrupts& interrupts) {
  const ScratchDirectory tallies;
  const Command command =
      replacing == nullptr ? start.as_it_is() : start.replaced(*replacing, tallies.path());
  Printed printed;
  ProgramRun run;
  const auto begin = Clock::now();
  const auto patience =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience_seconds));
  {
    Child child = Child::start(command);
    child.input() = Descriptor();
    while (!run.ending && Clock::now() - begin < patience) {
      printed.read(child.output());
      run.ending = child.wait_until(Clock::now() + kInterval);
      if (const auto signal = interrupts.next()) throw Interrupted(*signal);
    }
    run.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    printed.read(child.output());
  }
  run.output = printed.text.text();
  run.output_hash = printed.hash;
  if (replacing != nullptr) run.launches = read_tallies(tallies.path(), replacing->count);
  return run;
}

}  // namespace autokernel::programs
