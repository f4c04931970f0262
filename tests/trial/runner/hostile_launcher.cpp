#include "trial/runner/hostile_launcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "autokernel/base/process.h"
#include "trial/check/check_plan.h"
#include "trial/runner/runner_connection.h"

namespace autokernel::trial {
namespace {

constexpr std::size_t kHuge = std::size_t{8} << 20U;
// As JSON six times as many bytes, which still fit into a message.
constexpr std::size_t kLong = std::size_t{2} << 20U;

class Liar {
 public:
  explicit Liar(LauncherChannels channels)
      : raw_(::fcntl(channels.reports.get(), F_DUPFD_CLOEXEC, 0)), port_(std::move(channels)) {}

  void be_honest_at_first() {
    static_cast<void>(port_.await<Preparation>());
    task_ = port_.await<LaunchTask>();
    port_.tell(Compiled{.resources = {}, .warnings = {}, .log = "", .nvrtc = "13.0"});
    static_cast<void>(port_.await<GoOn>());
    port_.tell(Phase::harness);
    port_.tell(Phase::check);
  }
  void deliver_the_checks() {
    const SizedCase checked(task_.problem, task_.check_size);
    const SizedCase timed(task_.problem, task_.timed_size);
    for (const Check& check : check_plan({&checked, &timed}, Depth::usual)) {
      want(check_name(check.first));
      for (int i = 0; i < check.launches; ++i) {
        deliver({check_name(check.first + i), check.sized->size_name, check.input_kind});
      }
    }
  }
  void want(const std::string& launch) {
    port_.tell(KeyRequest{launch});
    static_cast<void>(port_.await<KeyAnswer>());
  }
  void deliver(const Delivered& delivered) {
    port_.tell(delivered);
    static_cast<void>(port_.await<GoOn>());
  }
  void go_on() { static_cast<void>(port_.await<GoOn>()); }
  // The port's own descriptor is a number that is in nobody's way: nothing is opened any more.
  void hang_up() {
    raw_.close();
    ::close(kMessagesDescriptor);
  }
  void tell(const Report& report) { port_.tell(report); }
  void write(const std::string& bytes) { static_cast<void>(write_all(raw_.get(), bytes)); }
  // Until it is killed.
  [[noreturn]] void repeat(const std::function<void()>& act) {
    for (;;) act();
  }

 private:
  Descriptor raw_;
  RunnerConnection port_;
  LaunchTask task_;
};

const std::map<std::string_view, std::function<void(Liar&)>>& lies() {
  static const std::map<std::string_view, std::function<void(Liar&)>> all = {
      {"dies in a harness phase of its own",
       [](Liar& liar) {
         liar.tell(Phase::harness);
         ::raise(SIGSEGV);
       }},
      {"dies once its checks are delivered",
       [](Liar& liar) {
         liar.deliver_the_checks();
         ::raise(SIGSEGV);
       }},
      {"hangs up in a harness phase and does not end",
       [](Liar& liar) {
         liar.tell(ChecksDone{});
         liar.go_on();
         liar.tell(Phase::harness);
         liar.hang_up();
       }},
      {"enters a phase again and again",
       [](Liar& liar) { liar.repeat([&] { liar.tell(Phase::check); }); }},
      {"nests deeply",
       [](Liar& liar) {
         liar.write(R"({"autokernel_message": 1, "kind": "phase", "body": )" +
                    std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}\n");
       }},
      {"never ends a line",
       [](Liar& liar) { liar.repeat([&] { liar.write(std::string(kHuge, 'x')); }); }},
      {"sends code after code",
       [](Liar& liar) { liar.repeat([&] { liar.tell(Code{"a code"}); }); }},
      {"answers without a question",
       [](Liar& liar) { liar.repeat([&] { liar.tell(Whereabouts{"here"}); }); }},
      {"rejects at length",
       [](Liar& liar) {
         liar.tell(Rejection{Verdict::incorrect, std::string(kLong, '\x01'),
                             std::string(kLong, '\x01'), Cause::unknown});
       }},
      {"fails at length",
       [](Liar& liar) { liar.tell(Failure{Stop::internal, std::string(kLong, '\x01')}); }},
      {"wants a key for a name without end",
       [](Liar& liar) { liar.want(std::string(kHuge, 'x')); }},
      {"delivers under a name without end",
       [](Liar& liar) {
         liar.deliver({std::string(kHuge, 'x'), std::string(kHuge, 'x'), InputKind::declared});
       }},
      {"wants keys without end",
       [](Liar& liar) { liar.repeat([&] { liar.want("opponent's launch 1"); }); }},
      {"asks about a time on the emulated device", [](Liar& liar) { liar.tell(SampleTaken{}); }},
      {"has times before it has timed",
       [](Liar& liar) {
         Timed timed;
         timed.samples_us.assign(1'000, 1e-3);
         liar.tell(timed);
       }},
      {"compiles again", [](Liar& liar) {
         liar.repeat(
             [&] { liar.tell(Compiled{.resources = {}, .warnings = {}, .log = "", .nvrtc = ""}); });
       }}};
  return all;
}

}  // namespace

int lie_to_the_runner(std::string_view lie, LauncherChannels channels) {
  Liar liar(std::move(channels));
  liar.be_honest_at_first();
  lies().at(lie)(liar);
  // The runner ends whoever it does not believe.
  ::pause();
  return 0;
}

}  // namespace autokernel::trial
