// `autokernel confined`, which no user calls: gives up what a command of a case has no use for, and
// becomes that command (src/trial/command/confined_command.cpp).
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>

#include "autokernel/base/files.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/base/sandbox.h"
#include "autokernel/base/system_error.h"
#include "autokernel/trial/confined_command.h"
#include "cli/commands.h"
#include "cli/parent_channel.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Confined : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "confined"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override { options.add_option("folder", folder_).required(); }
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string folder_;
};

// A file of the folder in the place of a descriptor.
void put_in_place(int descriptor, const fs::path& file, int flags) {
  constexpr mode_t kMode = 0600;
  const Descriptor opened(::open(file.c_str(), flags | O_CLOEXEC, kMode));
  if (!opened.is_open() || ::dup2(opened.get(), descriptor) < 0)
    throw system_failure(Stop::environment, "cannot open " + file.string(), "open");
}

void limit_files() {
  // No result is larger; a disk that a program fills is everybody's.
  constexpr rlim_t kLargestFile = 4UL << 30U;
  const rlimit largest{.rlim_cur = kLargestFile, .rlim_max = kLargestFile};
  ::setrlimit(RLIMIT_FSIZE, &largest);
}

// To whoever answers the calls that wait.
void hand_over(const Descriptor& listener) {
  const Descriptor channel(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  const std::array descriptors = {listener.get()};
  constexpr std::chrono::seconds kPatience{10};
  if (!channel.is_open() ||
      !send_to(channel, "m", std::chrono::steady_clock::now() + kPatience, descriptors))
    throw system_failure(Stop::environment, "cannot hand over a channel", "sendmsg");
}

}  // namespace

int Confined::run(const Console& /*console*/) {
  const Descriptor channel = parent_channel("confined", "bench");
  const fs::path folder = folder_;
  trial::ConfinedLine command =
      trial::unpacked_line(read_file(folder / trial::kRulesFile, "what describes a command"));
  put_in_place(STDOUT_FILENO, folder / trial::kOutputFile, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  const Descriptor input(::open((folder / trial::kInputFile).c_str(), O_RDONLY | O_CLOEXEC));
  const fs::path work = folder / trial::kWorkFolder;
  if (!input.is_open() || ::chdir((work / trial::kFilesFolder).c_str()) != 0)
    throw system_failure(Stop::environment, "cannot enter " + work.string(), "chdir");
  limit_files();
  hand_over(confine_command(command.readable, work, command.network, command.devices));
  if (::dup2(input.get(), STDIN_FILENO) < 0)
    throw system_failure(Stop::environment, "cannot pass on standard input", "dup2");
  std::string shell = "/bin/sh";
  std::string flag = "-ec";
  const std::array<char*, 4> arguments = {shell.data(), flag.data(), command.line.data(), nullptr};
  const std::int64_t now =
      std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  send(channel, {reinterpret_cast<const char*>(&now), sizeof now});
  ::execv(shell.c_str(), arguments.data());
  throw system_failure(Stop::environment, "cannot start /bin/sh", "execv");
}

std::unique_ptr<Command> confined_command() { return std::make_unique<Confined>(); }

}  // namespace autokernel::cli
