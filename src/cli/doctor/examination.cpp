#include "cli/doctor/examination.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/process.h"
#include "autokernel/trial/runner_environment.h"
#include "cli/doctor/facts_message.h"

namespace autokernel::cli::doctor {
namespace {

using Clock = std::chrono::steady_clock;

// An answer has a few KB; a library that prints may print anything.
constexpr std::size_t kLargestText = std::size_t{1} << 20U;
// A process that was killed is gone in a moment, unless a driver holds it.
constexpr std::chrono::milliseconds kGoing{500};

// Reads what is there, and says whether more may follow.
bool drain(Descriptor& from, BoundedText& to) {
  std::array<char, 4096> piece{};
  while (from.is_open()) {
    const ssize_t count = ::read(from.get(), piece.data(), piece.size());
    if (count > 0) {
      to.add({piece.data(), static_cast<std::size_t>(count)});
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && errno == EAGAIN) {
      return true;
    } else {
      from.close();
    }
  }
  return false;
}

[[nodiscard]] std::string words(const Ending& ending) {
  if (ending.signal == 0) return fmt::format("exited with {}", ending.code);
  return fmt::format("was ended by signal {} ({})", ending.signal, ::strsignal(ending.signal));
}

// One question under way.
class Question {
 public:
  Question(const std::filesystem::path& program, const std::string& part,
           const std::string& device = {}) {
    std::vector<std::string> arguments = {"probe", part};
    if (!device.empty()) arguments.push_back(device);
    // What can be done with the variables that a bench would have.
    child_ = Child::start({.program = program,
                           .arguments = arguments,
                           .environment = trial::runner_environment(own_variables()).variables,
                           .inherits = Inherits::nothing});
    child_.input().close();
  }

  // Takes in what the process has said; waits until `deadline` at most for the rest.
  void listen(Clock::time_point deadline) {
    for (bool talking = true; talking;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0) return;
      std::array<pollfd, 2> watched{
          {{child_.messages().get(), POLLIN, 0}, {child_.output().get(), POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
      // Prints are read so that they do not stop the process, and thrown away.
      BoundedText prints(0);
      drain(child_.output(), prints);
      talking = drain(child_.messages(), said_);
    }
  }

  // What came of it. The process is gone then, or given up.
  template <typename Answer>
  [[nodiscard]] Asked<Answer> answer(Clock::time_point deadline, std::chrono::seconds patience) {
    listen(deadline);
    const bool overdue = child_.messages().is_open();
    auto ending = overdue ? std::nullopt : child_.wait_until(Clock::now() + kGoing);
    if (!ending) ending = child_.kill_within(kGoing);
    if (const std::string line = said_.text(); line.ends_with('\n')) return decode<Answer>(line);
    if (overdue) return {{}, fmt::format("no answer within {} s", patience.count())};
    return {{}, "the probe " + (ending ? words(*ending) : "is stuck")};
  }

 private:
  Child child_;
  BoundedText said_{kLargestText};
};

// The GPU that is tried: the requested one, else the first.
[[nodiscard]] std::string gpu_of(const driver::DeviceChoice& device) {
  return "cuda:" + std::to_string(device.ordinal);
}

}  // namespace

Facts examine(const driver::DeviceChoice& device, std::chrono::seconds patience,
              const std::filesystem::path& program) {
  Facts facts;
  facts.device = device;
  Question cuda(program, "cuda");
  Question telemetry(program, "telemetry");
  Question compiler(program, "compiler");
  Question emulator(program, "device", "cpu");
  Question cpu_library(program, "library", "cpu");
  Question host(program, "host");
  const auto first = Clock::now() + patience;
  facts.cuda = cuda.answer<driver::Survey>(first, patience);
  // Asked before the GPU is used by ourselves.
  facts.watched = telemetry.answer<Watched>(first, patience);

  std::optional<Question> gpu;
  std::optional<Question> gpu_library;
  const auto ordinal = static_cast<std::size_t>(device.ordinal);
  const auto second = Clock::now() + patience;
  if (facts.cuda.answer && ordinal < facts.cuda.answer->gpus.size()) {
    gpu.emplace(program, "device", gpu_of(device));
    gpu_library.emplace(program, "library", gpu_of(device));
  }
  facts.compiler = compiler.answer<trial::CompilerReadiness>(first, patience);
  facts.emulator = emulator.answer<trial::DeviceReadiness>(first, patience);
  facts.cpu_library = cpu_library.answer<Library>(first, patience);
  facts.host = host.answer<HostFacts>(first, patience);
  if (gpu) facts.gpu = gpu->answer<trial::DeviceReadiness>(second, patience);
  if (gpu_library) facts.gpu_library = gpu_library->answer<Library>(second, patience);
  return facts;
}

Asked<driver::Survey> survey_gpus(std::chrono::seconds patience,
                                  const std::filesystem::path& program) {
  Question cuda(program, "cuda");
  return cuda.answer<driver::Survey>(Clock::now() + patience, patience);
}

}  // namespace autokernel::cli::doctor
