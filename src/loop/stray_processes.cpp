// Which turn is under way stands in git's own folder, where no clean-up takes it away:
// autokernel-turn, with the turn's name and nothing else.
#include "loop/stray_processes.h"

#include <fmt/format.h>

#include <random>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/marked_processes.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "AUTOKERNEL_TURN";

[[nodiscard]] fs::path record_in(const fs::path& git_folder) {
  return git_folder / "autokernel-turn";
}

// None like it is in anybody's environment by chance.
[[nodiscard]] std::string drawn_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

[[nodiscard]] bool is_name(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::map<std::string, std::string> begin_turn(const fs::path& git_folder) {
  const std::string name = drawn_name();
  // A machine that loses power loses its processes as well.
  write_file_atomically(record_in(git_folder), name, Sync::no);
  return {{kVariable, name}};
}

bool is_turn_recorded(const fs::path& git_folder) {
  std::error_code unreadable;
  return fs::exists(record_in(git_folder), unreadable);
}

void end_turn(const fs::path& git_folder) {
  std::error_code gone;
  fs::remove(record_in(git_folder), gone);
}

std::string end_stray_processes(const fs::path& git_folder) {
  const fs::path record = record_in(git_folder);
  std::error_code failed;
  // An agent may have put anything in its place, a pipe among others.
  const fs::file_status found = fs::symlink_status(record, failed);
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    fs::remove_all(record, failed);
    return {};
  }
  remove_unfinished_writes(record);
  if (!is_turn_recorded(git_folder)) return {};
  const std::string name =
      read_file_below(git_folder, record.filename(), "the name of an agent's turn").value_or("");
  EndedProcesses processes;
  if (is_name(name)) processes = kill_processes_with(fmt::format("{}={}", kVariable, name));
  // Who is left is looked for by the next one, too.
  if (processes.left.empty()) end_turn(git_folder);
  std::string said;
  if (processes.ended > 0) {
    said = fmt::format("ended processes that the agent of a killed 'loop run' left running: {}",
                       processes.ended);
  }
  if (!processes.left.empty()) {
    std::string list;
    for (const pid_t process : processes.left) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", process);
    }
    said += fmt::format(
        "{}processes of the agent of a killed 'loop run' are still running, as they started this "
        "command or cannot be ended: {}; 'kill -9' ends them",
        said.empty() ? "" : "; ", list);
  }
  return said;
}

}  // namespace autokernel::loop
