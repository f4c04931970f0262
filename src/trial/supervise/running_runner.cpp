#include "trial/supervise/running_runner.h"

#include <utility>

namespace autokernel::trial {
namespace {

class OwnRunner : public RunningRunner {
 public:
  explicit OwnRunner(Child child) : child_(std::move(child)) {}
  [[nodiscard]] pid_t id() const override { return child_.id(); }
  [[nodiscard]] Descriptor& input() override { return child_.input(); }
  [[nodiscard]] Descriptor& output() override { return child_.output(); }
  [[nodiscard]] Descriptor& messages() override { return child_.messages(); }
  [[nodiscard]] std::optional<Ending> wait_until(
      std::chrono::steady_clock::time_point deadline) override {
    return child_.wait_until(deadline);
  }
  void kill() override { child_.kill(); }
  [[nodiscard]] bool is_lent() const override { return false; }

 private:
  Child child_;
};

}  // namespace

std::unique_ptr<RunningRunner> own_runner(Child child) {
  return std::make_unique<OwnRunner>(std::move(child));
}

}  // namespace autokernel::trial
