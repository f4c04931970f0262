#include "serve/solution_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <csignal>
#include <sstream>
#include <system_error>
#include <utility>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/drain.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/process.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::serve {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using Stream = asio::posix::stream_descriptor;

constexpr std::size_t kMostOutput = std::size_t{64} << 10U;

}  // namespace

std::string encode(const SolutionOrder& order) {
  std::string uuids;
  for (const std::string& uuid : order.uuids) uuids += (uuids.empty() ? "" : " ") + uuid;
  return uuids + "\n" + order.sizes + "\n" + order.solution;
}

SolutionOrder decode_solution_order(const std::string& text) {
  SolutionOrder order;
  const std::size_t first = std::min(text.find('\n'), text.size());
  const std::size_t second = std::min(text.find('\n', first + 1), text.size());
  std::istringstream uuids(text.substr(0, first));
  for (std::string uuid; uuids >> uuid;) order.uuids.push_back(uuid);
  if (first < text.size()) order.sizes = text.substr(first + 1, second - first - 1);
  if (second < text.size()) order.solution = text.substr(second + 1);
  return order;
}

class SolutionRun::Implementation : public std::enable_shared_from_this<Implementation> {
 public:
  Implementation(asio::io_context& context, const Task& task, const RegisteredCase& own,
                 const driver::DeviceChoice& device, Done done)
      : child_(started(task, own, device)),
        output_(context, ::dup(child_.output().get())),
        done_(std::move(done)) {}

  void listen() {
    output_.async_wait(Stream::wait_read,
                       [self = shared_from_this()](boost::system::error_code failed) {
                         if (!failed) self->read();
                       });
  }
  void abort() { ::kill(child_.id(), SIGTERM); }
  void drop() {
    done_ = {};
    output_.close();
    static_cast<void>(child_.kill());
  }

 private:
  [[nodiscard]] Child started(const Task& task, const RegisteredCase& own,
                              const driver::DeviceChoice& device) const {
    const SolutionOrder order = decode_solution_order(task.order);
    const fs::path file = scratch_.path() / "solution.json";
    write_file_atomically(file, order.solution, Sync::no);
    std::vector<std::string> arguments = {"evaluate", file.string(),
                                          "--case",   own.directory.string(),
                                          "--device", driver::spelling(device),
                                          "--traces", traces().string()};
    if (!order.sizes.empty()) arguments.insert(arguments.end(), {"--sizes", order.sizes});
    std::error_code failed;
    return Child::start({.program = fs::read_symlink("/proc/self/exe", failed),
                         .arguments = std::move(arguments),
                         .environment = {},
                         .directory = scratch_.path()});
  }

  void read() {
    drain(child_.output(), [this](std::string_view piece) { said_.add(piece); });
    if (child_.output().is_open()) return listen();
    output_.close();
    static_cast<void>(child_.kill());
    if (!done_) return;
    std::error_code none;
    if (fs::exists(traces(), none)) {
      std::string text = read_file(traces(), "the traces of a solution");
      if (!text.empty()) return done_(State::done, std::move(text));
    }
    done_(State::failed, visible_line(said_.text()));
  }

  [[nodiscard]] fs::path traces() const { return scratch_.path() / "traces.jsonl"; }

  const ScratchDirectory scratch_;
  Child child_;
  Stream output_;
  BoundedText said_{kMostOutput};
  Done done_;
};

SolutionRun::SolutionRun(asio::io_context& context, const Task& task, const RegisteredCase& own,
                         const driver::DeviceChoice& device, Done done)
    : implementation_(
          std::make_shared<Implementation>(context, task, own, device, std::move(done))) {
  implementation_->listen();
}
// NOLINTNEXTLINE(bugprone-exception-escape): Asio's close throws in theory alone
SolutionRun::~SolutionRun() { implementation_->drop(); }
void SolutionRun::abort() { implementation_->abort(); }

}  // namespace autokernel::serve
