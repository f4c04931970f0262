// `autokernel compiler`, which no user calls: gives up what a compiler of somebody else's has no
// use for, and becomes that compiler (src/compile/external_front_end.cpp).
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "autokernel/base/files.h"
#include "autokernel/base/sandbox.h"
#include "autokernel/base/system_error.h"
#include "autokernel/compile/confined_python.h"
#include "cli/commands.h"
#include "cli/parent_channel.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Compiler : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "compiler"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string folder_;
  bool talks_ = false;
};

// Puts a file in the place of a descriptor.
void become(int descriptor, const fs::path& file, int flags) {
  constexpr mode_t kMode = 0600;
  const Descriptor opened(::open(file.c_str(), flags | O_CLOEXEC, kMode));
  if (!opened.is_open() || ::dup2(opened.get(), descriptor) < 0) {
    throw system_failure(Stop::environment, "cannot open " + file.string(), "open");
  }
}

void set_limits(bool talks) {
  // What an answer may have, and what a compiler may write beside it; a reference writes tensors.
  const rlim_t kLargestFile = talks ? 1UL << 40U : 1UL << 30U;
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  const rlimit largest{.rlim_cur = kLargestFile, .rlim_max = kLargestFile};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_FSIZE, &largest);
}

}  // namespace

void Compiler::declare(Options options) {
  options.add_option("folder", folder_).required();
  options.add_flag("--talks", talks_, "Leave its channels as they are");
}

int Compiler::run(const Console& /*console*/) {
  const Descriptor channel = parent_channel("compiler", "bench");
  const fs::path folder = folder_;
  compile::ConfinedCommand command =
      compile::unpacked_command(read_file(folder / compile::kCommandFile, "a compiler's command"));
  if (talks_) {
    // What it answers on.
    if (::fcntl(channel.get(), F_SETFD, 0) != 0)
      throw system_failure(Stop::environment, "cannot hand over a channel", "fcntl");
  } else {
    become(STDIN_FILENO, folder / compile::kRequestFile, O_RDONLY);
    become(STDOUT_FILENO, folder / compile::kAnswerFile, O_WRONLY | O_CREAT | O_TRUNC);
  }
  if (::chdir((folder / compile::kFilesFolder).c_str()) != 0)
    throw system_failure(Stop::environment, "cannot enter " + folder.string(), "chdir");
  set_limits(talks_);
  std::vector<char*> arguments;
  arguments.reserve(command.words.size() + 1);
  for (std::string& word : command.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  confine_compiler(command.readable, folder);
  ::execv(arguments.front(), arguments.data());
  throw system_failure(Stop::environment, "cannot start " + command.words.front(), "execv");
}

std::unique_ptr<Command> compiler_command() { return std::make_unique<Compiler>(); }

}  // namespace autokernel::cli
