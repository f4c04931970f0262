#include "autokernel/programs/capturing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/visible_text.h"
#include "programs/program_environment.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDriverFolder = "autokernel-driver";
// A replay of a kernel that hangs on other inputs than its own ends the process that tries it.
constexpr std::chrono::seconds kStudyPatience{300};
// Each costs the start of a process; an index tensor is found within some thirty.
constexpr int kMostFaults = 120;
constexpr std::size_t kLargestOutput = std::size_t{16} << 20U;

// One line of the forwarding driver's request (inject/driver/request.h).
[[nodiscard]] std::string line_of(const WantedLaunches& wanted) {
  const auto extent = [](const std::optional<Extent>& given) {
    return given ? fmt::format("{},{},{}", given->x, given->y, given->z) : std::string("*");
  };
  return fmt::format(
      "{}\t{}\t{}\t{}\t{}\n", wanted.kernel, extent(wanted.grid), extent(wanted.block),
      wanted.dynamic_shared == kUnknown ? "*" : std::to_string(wanted.dynamic_shared),
      fmt::join(wanted.occurrences, ","));
}

// "1234-7": captures are numbered in each process.
[[nodiscard]] std::pair<long, long> number_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const std::size_t dash = name.find('-');
  return {std::strtol(name.c_str(), nullptr, 10),
          dash == std::string::npos ? 0 : std::strtol(name.c_str() + dash + 1, nullptr, 10)};
}

}  // namespace

Captured capture(const CaptureRequest& request) {
  const fs::path program = program_called(request.command.front());
  const fs::path shim = required_library(std::string(kDriverFolder) + "/libcuda.so.1",
                                         "capture launches of a program");
  std::error_code failed;
  fs::permissions(request.folder, fs::perms::owner_all, failed);
  const fs::path list = request.folder / "wanted.txt";
  {
    std::ofstream out(list);
    for (const WantedLaunches& wanted : request.wanted) out << line_of(wanted);
    if (!out.flush()) {
      throw Error(Stop::environment, fmt::format("cannot write {}", list.string()));
    }
  }
  Command command{.program = program,
                  .arguments = {request.command.begin() + 1, request.command.end()},
                  .environment = {}};
  Variables& variables = command.environment;
  put_before(variables, "LD_LIBRARY_PATH", shim.parent_path().string());
  variables["AUTOKERNEL_DRIVER"] = real_driver(request.device).string();
  variables["AUTOKERNEL_CAPTURE"] = fs::absolute(list).string();
  variables["AUTOKERNEL_CAPTURE_DIR"] = fs::absolute(request.folder).string();
  variables["AUTOKERNEL_CAPTURE_BYTES"] = std::to_string(request.most_bytes);
  choose_gpu(variables, request.device);

  Captured captured;
  captured.ending = run_in_foreground(command, request.prints);
  std::set<std::string> in_graphs;
  for (const fs::directory_entry& entry : fs::directory_iterator(request.folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("-graphs.txt")) {
      const std::string text = read_file_below(request.folder, name, "the list").value_or("");
      std::istringstream in(text);
      for (std::string line; std::getline(in, line);) in_graphs.insert(line);
    } else if (fs::exists(entry.path() / "launch.txt", failed)) {
      captured.launches.push_back(entry.path());
    }
  }
  captured.in_graphs.assign(in_graphs.begin(), in_graphs.end());
  std::ranges::sort(captured.launches, {}, number_of);
  return captured;
}

Study studied(const fs::path& capture, const std::vector<fs::path>& others,
              const driver::DeviceChoice& device) {
  Command command{.program = "/proc/self/exe",
                  .arguments = {"study", capture.string(), "--device", driver::spelling(device)},
                  .environment = {}};
  for (const fs::path& other : others) {
    command.arguments.insert(command.arguments.end(), {"--other", other.string()});
  }
  Study failed;
  for (int faults = 0; faults < kMostFaults; ++faults) {
    const EndedRun run = run_to_end(command, kStudyPatience, kLargestOutput);
    if (!run.ending) {
      failed.trouble = fmt::format("its study took longer than {} s", kStudyPatience.count());
      return failed;
    }
    const std::size_t begin = run.output.find("{\"trouble\"");
    if (run.succeeded() && begin != std::string::npos) {
      return study_of_json(run.output.substr(begin));
    }
    // Anything but a fault, or a crash over one, would happen again.
    if (run.ending->signal == 0 && run.ending->code != kFaultedStudy) {
      failed.trouble = "its study failed: " + visible_line(run.output);
      return failed;
    }
  }
  failed.trouble = "it faults on nearly all changes of what it reads";
  return failed;
}

}  // namespace autokernel::programs
