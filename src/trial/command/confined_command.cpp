#include "autokernel/trial/confined_command.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/error.h"
#include "autokernel/base/file_modes.h"
#include "autokernel/base/files.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/base/packing.h"
#include "autokernel/base/processor_clock.h"
#include "autokernel/compile/confined_python.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How often memory is looked at: a program can fill it within seconds, and each look takes time
// from what is measured.
constexpr milliseconds kMemoryWatch{100};
// Between fork and the command's own first instruction lie some milliseconds.
constexpr std::chrono::seconds kLongestStart{30};
// What is kept of standard error; of standard output all is.
constexpr std::size_t kMostComplaint = 64UL << 10U;

// Read by programs of all kinds: libraries, time zones, processors. Not /proc as a whole: a kernel
// (6.18) that has Landlock lets a confined process read the variables of others there.
constexpr std::array kSystem = {"/usr",
                                "/bin",
                                "/lib",
                                "/lib32",
                                "/lib64",
                                "/opt",
                                "/etc/ld.so.cache",
                                "/etc/localtime",
                                "/etc/alternatives",
                                "/etc/passwd",
                                "/etc/group",
                                "/etc/nsswitch.conf",
                                "/dev/urandom",
                                "/dev/random",
                                "/dev/zero",
                                "/dev/full",
                                "/proc/cpuinfo",
                                "/proc/meminfo",
                                "/proc/stat",
                                "/proc/loadavg",
                                "/proc/sys/vm/overcommit_memory",
                                "/sys/devices/system/cpu",
                                "/sys/devices/system/node",
                                "/sys/kernel/mm/transparent_hugepage"};
constexpr std::array kOfNetworks = {
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf",       "/etc/ssl",
    "/etc/services",    "/etc/pki",   "/etc/ca-certificates", "/etc/gai.conf"};

// A command finds the programs that its user finds, and nothing that holds a secret.
Variables variables_for(const fs::path& work, const Variables& more) {
  Variables chosen;
  for (const auto& [name, value] : own_variables()) {
    if (name == "PATH" || name == "LANG" || name == "TZ" || name.starts_with("LC_") ||
        name == "LD_LIBRARY_PATH" || name == "CUDA_HOME" || name == "VIRTUAL_ENV") {
      chosen[name] = value;
    }
  }
  const std::string temporary = (work / "tmp").string();
  chosen["HOME"] = chosen["TMPDIR"] = chosen["XDG_CACHE_HOME"] = temporary;
  chosen["LOGNAME"] = chosen["USER"] = "autokernel";
  chosen["PYTHONDONTWRITEBYTECODE"] = "1";
  // The order of a set or a dictionary would change from run to run.
  chosen["PYTHONHASHSEED"] = "0";
  for (const auto& [name, value] : more) chosen[name] = value;
  return chosen;
}

// Of all children that have ended, and of theirs: nothing else is started beside a command.
[[nodiscard]] double processor_seconds_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  constexpr double kMicrosecond = 1e-6;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + kMicrosecond * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The command's own start, on the clock of this machine.
[[nodiscard]] std::optional<Clock::time_point> start_in(std::string_view message) {
  std::int64_t nanoseconds = 0;
  if (message.size() != sizeof nanoseconds) return std::nullopt;
  std::ranges::copy(message, reinterpret_cast<char*>(&nanoseconds));
  return Clock::time_point(std::chrono::nanoseconds(nanoseconds));
}

}  // namespace

// Members are destroyed from the last to the first: the process is ended before its channels go.
class ConfinedProcess::Running {
  // Answers the calls of a command that wait, at once, whatever else is done meanwhile.
  class Answering {
   public:
    Answering(Descriptor listener, const fs::path& own)
        : modes_(std::move(listener), own),
          stop_(::eventfd(0, EFD_CLOEXEC)),
          thread_([this](const std::stop_token& stopped) {
            while (!stopped.stop_requested()) {
              std::array<pollfd, 2> waiting{
                  {{modes_.descriptor(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
              ::poll(waiting.data(), waiting.size(), -1);
              modes_.answer();
              // Its last process has ended, and nothing more comes.
              if ((waiting[0].revents & POLLHUP) != 0) return;
            }
          }) {}
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;
    Answering(Answering&&) = delete;
    Answering& operator=(Answering&&) = delete;
    ~Answering() {
      thread_.request_stop();
      constexpr std::uint64_t kOnce = 1;
      static_cast<void>(::write(stop_.get(), &kOnce, sizeof kOnce) == sizeof kOnce);
    }

   private:
    FileModes modes_;
    Descriptor stop_;
    std::jthread thread_;
  };

 public:
  Running(const CommandRules& rules, const fs::path& folder, const ProcessTree& tree)
      : rules_(rules),
        tree_(tree),
        folder_(folder),
        work_(folder / kWorkFolder),
        child_(Child::start({.program = "/proc/self/exe",
                             .arguments = {"confined", folder.string()},
                             .environment = variables_for(work_, rules.variables),
                             .inherits = Inherits::nothing,
                             .directory = "/"})),
        end_of_process_(static_cast<int>(::syscall(SYS_pidfd_open, child_.id(), 0))) {}

  [[nodiscard]] pid_t id() const { return child_.id(); }

  [[nodiscard]] bool tend(Clock::time_point until, const std::function<void()>& meanwhile) {
    while (!is_over()) {
      wait(std::min({until, deadline_, next_look_}));
      stop_ = Clock::now();
      ending_ = child_.wait_until(stop_);
      take_complaint();
      if (ending_) break;
      if (stop_ >= deadline_) {
        how_ = CommandEnd::How::past_deadline;
        break;
      }
      if (stop_ >= next_look_) {
        next_look_ = stop_ + kMemoryWatch;
        meanwhile();
        look_at_limits();
      }
      if (stop_ >= until) break;
    }
    return !is_over();
  }

  [[nodiscard]] CommandEnd end() {
    CommandEnd end;
    end.how = how_;
    end.ending = ending_ ? *ending_ : child_.kill();
    static_cast<void>(tree_.kill_all());
    take_complaint();
    if (output_bytes() > kMostOutput) how_ = end.how = CommandEnd::How::over_output;
    end.seconds = std::chrono::duration<double>(stop_ - start_).count();
    end.complaint = complaint_.text();
    if (how_ != CommandEnd::How::over_output)
      end.output =
          read_file_below(folder_, kOutputFile, "what a command printed", kMostOutput).value_or("");
    end.processor_seconds =
        clock_.seconds().value_or(processor_seconds_of_children() - used_before_);
    return end;
  }

  void wait_for_start(const std::function<void()>& meanwhile) {
    const Clock::time_point deadline = Clock::now() + kLongestStart;
    while (!has_started_ && Clock::now() < deadline) {
      // The other end of `input` is closed then, which poll would report at once each time.
      const int input = listener_came_or_never_will_ ? -1 : child_.input().get();
      std::array<pollfd, 2> waiting{{{input, POLLIN, 0}, {child_.messages().get(), POLLIN, 0}}};
      ::poll(waiting.data(), waiting.size(), static_cast<int>(kMemoryWatch.count()));
      meanwhile();
      take_listener();
      take_start();
      if (!has_started_ && child_.wait_until(Clock::now())) break;
    }
    // One that has ended may have started since it was looked at.
    take_listener();
    if (!has_started_) take_start();
    if (has_started_) return;
    static_cast<void>(child_.kill());
    take_complaint();
    throw Error(Stop::environment,
                fmt::format("cannot start a command of the case in a sandbox: {}",
                            complaint_.empty() ? "it did not start" : complaint_.text()));
  }

 private:
  void look_at_limits() {
    const std::vector<pid_t> members = tree_.members();
    std::uint64_t held = 0;
    for (const pid_t process : members) held += held_bytes(process);
    if (held > rules_.memory_bytes) how_ = CommandEnd::How::over_memory;
    if (members.size() > kMostProcesses) how_ = CommandEnd::How::over_processes;
    if (output_bytes() > kMostOutput) how_ = CommandEnd::How::over_output;
  }
  [[nodiscard]] std::uint64_t output_bytes() const {
    std::error_code failed;
    const std::uint64_t bytes = fs::file_size(folder_ / kOutputFile, failed);
    return failed ? 0 : bytes;
  }
  [[nodiscard]] bool is_over() const { return ending_ || how_ != CommandEnd::How::by_itself; }

  // It arrives before the command starts.
  void take_listener() {
    if (listener_came_or_never_will_) return;
    Received received = receive_from(child_.input());
    if (!received.descriptors.empty())
      answering_.emplace(std::move(received.descriptors.front()), work_);
    listener_came_or_never_will_ = answering_.has_value() || received.is_over;
  }

  void take_start() {
    std::array<char, sizeof(std::int64_t)> bytes{};
    const ssize_t count = ::read(child_.messages().get(), bytes.data(), bytes.size());
    if (count <= 0) return;
    const auto start = start_in({bytes.data(), static_cast<std::size_t>(count)});
    if (!start) return;
    start_ = stop_ = next_look_ = *start;
    deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(rules_.seconds));
    has_started_ = true;
  }

  void wait(Clock::time_point until) const {
    std::array<pollfd, 2> waiting{
        {{child_output(), POLLIN, 0}, {end_of_process_.get(), POLLIN, 0}}};
    // Where the kernel does not tell of a process's end, it is looked at again and again.
    constexpr milliseconds kOften{2};
    auto patience = std::chrono::ceil<milliseconds>(until - Clock::now());
    if (!end_of_process_.is_open()) patience = std::min(patience, kOften);
    ::poll(waiting.data(), waiting.size(),
           static_cast<int>(std::max(patience, milliseconds{0}).count()));
  }
  [[nodiscard]] int child_output() const { return is_quiet_ ? -1 : output_; }

  void take_complaint() {
    constexpr int kMostPieces = 64;
    std::array<char, 4096> piece{};
    for (int i = 0; i < kMostPieces; ++i) {
      const ssize_t count = ::read(output_, piece.data(), piece.size());
      if (count == 0) is_quiet_ = true;  // its end has been closed
      if (count <= 0) return;
      complaint_.add({piece.data(), static_cast<std::size_t>(count)});
    }
  }

  const CommandRules rules_;
  const ProcessTree& tree_;
  fs::path folder_;
  fs::path work_;
  double used_before_ = processor_seconds_of_children();
  Child child_;
  ProcessorClock clock_{child_.id()};
  Descriptor end_of_process_;
  int output_ = child_.output().get();
  bool is_quiet_ = false;
  bool has_started_ = false;
  bool listener_came_or_never_will_ = false;
  Clock::time_point start_;
  Clock::time_point deadline_;
  Clock::time_point next_look_;
  Clock::time_point stop_;  // when it had ended, or was looked at last
  std::optional<Ending> ending_;
  CommandEnd::How how_ = CommandEnd::How::by_itself;
  std::optional<Answering> answering_;
  BoundedText complaint_{kMostComplaint};
};

ConfinedProcess::ConfinedProcess(const CommandRules& rules, const fs::path& folder,
                                 const ProcessTree& tree, const std::function<void()>& meanwhile) {
  std::error_code failed;
  fs::create_directories(folder / kWorkFolder / "tmp", failed);
  write_file_atomically(folder / kRulesFile, packed(rules.command), Sync::no);
  write_file_atomically(folder / kInputFile, rules.input, Sync::no);
  running_ = std::make_unique<Running>(rules, folder, tree);
  running_->wait_for_start(meanwhile);
}
ConfinedProcess::~ConfinedProcess() = default;

pid_t ConfinedProcess::id() const { return running_->id(); }
bool ConfinedProcess::tend(Clock::time_point until, const std::function<void()>& meanwhile) {
  return running_->tend(until, meanwhile);
}
CommandEnd ConfinedProcess::end() { return running_->end(); }

std::string packed(const ConfinedLine& command) {
  Packer packer;
  packer.bytes(command.line);
  packer.number(static_cast<std::uint64_t>(command.network.kind));
  packer.number(command.network.port);
  for (const auto* const paths : {&command.readable, &command.devices}) {
    packer.number(paths->size());
    for (const fs::path& path : *paths) packer.bytes(path.string());
  }
  return packer.packed();
}

ConfinedLine unpacked_line(std::string_view bytes) {
  constexpr std::uint64_t kMostPaths = 10'000;
  Unpacker unpacker(bytes);
  ConfinedLine command;
  command.line = unpacker.bytes();
  const std::uint64_t kind = unpacker.number();
  const std::uint64_t port = unpacker.number();
  if (kind > static_cast<std::uint64_t>(Network::Kind::serving) || port > 0xFFFF)
    throw Error(Stop::internal, "cannot start a command: its network is none");
  command.network = {.kind = static_cast<Network::Kind>(kind),
                     .port = static_cast<std::uint16_t>(port)};
  for (auto* const paths : {&command.readable, &command.devices}) {
    for (std::uint64_t left = std::min(unpacker.number(), kMostPaths); left > 0; --left)
      paths->emplace_back(unpacker.bytes());
  }
  if (!unpacker.ended_well() || command.line.empty())
    throw Error(Stop::internal, "cannot start a command: what describes it is damaged");
  return command;
}

std::vector<fs::path> readable_by_commands(bool with_network) {
  std::vector<fs::path> readable(kSystem.begin(), kSystem.end());
  if (with_network) readable.insert(readable.end(), kOfNetworks.begin(), kOfNetworks.end());
  if (const std::string python = compile::active_python(); !python.empty()) {
    for (fs::path& folder : compile::folders_of_python(python))
      readable.push_back(std::move(folder));
  }
  return readable;
}

CommandEnd run_confined(const CommandRules& rules, const fs::path& folder, const ProcessTree& tree,
                        const std::function<void()>& meanwhile) {
  ConfinedProcess process(rules, folder, tree, meanwhile);
  static_cast<void>(process.tend(Clock::time_point::max(), meanwhile));
  return process.end();
}

}  // namespace autokernel::trial
