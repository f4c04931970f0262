#include "autokernel/serve/judge.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "autokernel/base/descriptor_limit.h"
#include "autokernel/base/error.h"
#include "autokernel/base/file_lock.h"
#include "autokernel/base/system_error.h"
#include "serve/http_sessions.h"
#include "serve/local_sessions.h"
#include "serve/service.h"

namespace autokernel::serve {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using boost::system::error_code;

constexpr std::chrono::seconds kBetweenLooks{1};  // at deadlines
// A judge that was killed a moment ago may have been starting a process, which goes with it.
constexpr std::chrono::seconds kToGoWith{2};
constexpr std::chrono::milliseconds kBetweenTries{50};
// For connections, and several for each device.
constexpr std::size_t kMostDescriptors = 65536;
constexpr double kSecondsPerDay = 24 * 3600;
constexpr double kBetweenForgetting = 3600;

[[nodiscard]] double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Nobody else has to read what clients have handed in.
[[nodiscard]] fs::path own_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  struct stat found{};
  if (failed || ::stat(folder.c_str(), &found) != 0) {
    throw Error(Stop::environment, fmt::format("cannot make the judge's folder {}: {}",
                                               folder.string(), failed.message()));
  }
  if (found.st_uid != ::geteuid()) {
    throw Error(Stop::usage, fmt::format("cannot keep the judge's ledger in {}: it belongs to "
                                         "another user; name another folder by --store",
                                         folder.string()));
  }
  fs::permissions(folder, fs::perms::owner_all, failed);
  return folder;
}

}  // namespace

class Judge::Implementation {
 public:
  Implementation(const JudgeSettings& settings, std::function<void(const std::string&)> note)
      : settings_(settings),
        note_(std::move(note)),
        cases_(settings.cases),
        store_(own_folder(settings.store)),
        lock_(locked(store_)),
        ledger_(store_ / "ledger.sqlite"),
        dispatcher_(ledger_, wall_clock),
        service_(ledger_, dispatcher_, cases_,
                 {.waiting = settings.most_waiting, .submissions = settings.most_per_minute},
                 wall_clock),
        local_(context_, settings.socket, service_) {
    if (!settings.listen.empty()) {
      tokens_.emplace(settings.tokens);
      api_.emplace(context_, service_, *tokens_);
      http_.emplace(context_, settings.listen, *api_, service_.limits());
    }
    Dispatcher::WorkerId id = 0;
    for (const driver::DeviceChoice& device : settings.devices) {
      service_.workers.push_back(
          std::make_unique<DeviceWorker>(context_, dispatcher_, cases_, id++, device, note_));
    }
  }

  [[nodiscard]] std::size_t case_count() const { return cases_.all().size(); }
  [[nodiscard]] std::size_t waiting() const { return dispatcher_.waiting(); }
  [[nodiscard]] std::string url() const { return http_ ? http_->url() : std::string(); }

  void run(int stop_descriptor, const std::function<void()>& read_stop) {
    raise_descriptor_limit(kMostDescriptors);
    const int copy = ::dup(stop_descriptor);  // Asio closes what it waits on
    if (copy < 0) throw system_failure(Stop::environment, "cannot wait for the end", "dup");
    asio::posix::stream_descriptor stopping(context_, copy);
    await_stop(stopping, read_stop);
    for (const auto& worker : service_.workers) worker->open();
    look_after_deadlines();
    serve_on();
    local_.close();
  }

 private:
  [[nodiscard]] static FileLock locked(const fs::path& store) {
    const auto deadline = std::chrono::steady_clock::now() + kToGoWith;
    auto lock = FileLock::take(store / "lock", "autokernel serve");
    while (lock.index() != 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kBetweenTries);
      lock = FileLock::take(store / "lock", "autokernel serve");
    }
    if (auto* held = std::get_if<FileLock>(&lock)) return std::move(*held);
    throw Error(Stop::environment,
                fmt::format("cannot serve from {}: another judge does ({}); name another folder by "
                            "--store",
                            store.string(), std::get<FileLock::Holder>(lock).text));
  }

  void await_stop(asio::posix::stream_descriptor& stopping, const std::function<void()>& read) {
    stopping.async_wait(asio::posix::stream_descriptor::wait_read,
                        [this, &stopping, &read](error_code failed) {
                          if (failed) return;
                          read();
                          stop();
                          await_stop(stopping, read);
                        });
  }

  // A disk that is full fails what was asked, and no more.
  void serve_on() {
    while (true) {
      try {
        context_.run();
        return;
      } catch (const Error& error) {
        tell(error.what());
      } catch (const std::bad_alloc&) {
        // Of whoever asked for it; that connection is gone.
        tell("there was not enough memory for a request");
      }
    }
  }
  void tell(const std::string& trouble) {
    if (trouble != last_trouble_) note_(trouble);
    last_trouble_ = trouble;
  }

  // First gently, then at once.
  void stop() {
    const bool at_once = std::exchange(is_stopping_, true) || dispatcher_.running() == 0;
    if (at_once) return context_.stop();
    note_(fmt::format("stopping: {} trials are finished first; another signal ends them",
                      dispatcher_.running()));
    dispatcher_.stop_dispatching();
    if (http_) http_->close();
    for (const auto& worker : service_.workers) worker->close(false);
  }

  void look_after_deadlines() {
    if (is_stopping_ && dispatcher_.running() == 0 && dispatcher_.trouble().empty())
      return context_.stop();
    // First, as what follows may fail.
    timer_.expires_after(kBetweenLooks);
    timer_.async_wait([this](error_code failed) {
      if (!failed) look_after_deadlines();
    });
    const double now = wall_clock();
    dispatcher_.expire();
    if (!dispatcher_.trouble().empty()) tell(dispatcher_.trouble());
    if (now - last_forgotten_ <= kBetweenForgetting) return;
    last_forgotten_ = now;
    ledger_.forget_before(now - settings_.keep_days * kSecondsPerDay);
  }

  JudgeSettings settings_;
  std::function<void(const std::string&)> note_;
  RegisteredCases cases_;
  fs::path store_;
  FileLock lock_;
  asio::io_context context_{1};  // one thread; what the others hold of it goes before it
  asio::steady_timer timer_{context_};
  Ledger ledger_;
  Dispatcher dispatcher_;
  Service service_;
  LocalSessions local_;
  std::optional<Tokens> tokens_;
  std::optional<HttpApi> api_;
  std::optional<HttpSessions> http_;
  double last_forgotten_ = 0;
  std::string last_trouble_;
  bool is_stopping_ = false;
};

Judge::Judge(const JudgeSettings& settings, std::function<void(const std::string&)> note)
    : implementation_(std::make_unique<Implementation>(settings, std::move(note))) {}
Judge::~Judge() = default;

std::size_t Judge::case_count() const { return implementation_->case_count(); }
std::size_t Judge::waiting() const { return implementation_->waiting(); }
std::string Judge::url() const { return implementation_->url(); }
void Judge::run(int stop_descriptor, const std::function<void()>& read_stop) {
  implementation_->run(stop_descriptor, read_stop);
}

}  // namespace autokernel::serve
