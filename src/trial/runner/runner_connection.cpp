#include "trial/runner/runner_connection.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "autokernel/base/system_error.h"

namespace autokernel::trial {

void RunnerConnection::tell(const Report& report) {
  const std::string line = encode(report);
  const std::lock_guard lock(telling_);
  if (!write_all(reports_.get(), line)) {
    throw system_failure(Stop::internal, "cannot report to the runner", "write");
  }
}

Order RunnerConnection::next() {
  std::array<char, 65536> piece{};
  for (;;) {
    if (const auto line = unread_.next()) return decode_order(*line);
    const ssize_t count = ::read(orders_.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(Stop::internal, "cannot read an order", "read");
    if (count == 0) throw Error(Stop::internal, "the runner has gone");
    unread_.add({piece.data(), static_cast<std::size_t>(count)});
  }
}

Key RunnerKeys::draw(const std::string& launch) {
  runner_->tell(KeyRequest{launch});
  const auto answer = runner_->await<KeyAnswer>();
  const auto key = key_of(answer.key);
  if (!key) throw Error(Stop::internal, "the launcher was given no key but " + answer.key);
  return *key;
}

void RunnerRecords::take(LaunchRecord record, const Operands& operands, const Staging& staging) {
  if (device_outbox_ != nullptr) {
    device_outbox_->put(operands, *record.sized);
  } else {
    operands.copy_outputs(runner_->outbox().room(), staging);
  }
  runner_->tell(Delivered{record.name, record.sized->size_name, record.input_kind});
  static_cast<void>(runner_->await<GoOn>());
  if (device_outbox_ != nullptr) device_outbox_->clear(*record.sized);
  last_bytes_ = record.sized->output_bytes();
  waiting_bytes_ += last_bytes_;
}

bool RunnerRecords::is_full() const { return waiting_bytes_ + last_bytes_ > kWaitingMemory; }

void RunnerRecords::have_judged() {
  runner_->tell(BatchDone{});
  static_cast<void>(runner_->await<GoOn>());
  waiting_bytes_ = 0;
}

void RunnerRecords::finish_checks() {
  runner_->tell(ChecksDone{});
  static_cast<void>(runner_->await<GoOn>());
  waiting_bytes_ = 0;
}

DeviceMonitor::Sample RunnerMonitor::after_sample(Again again) {
  runner_->tell(SampleTaken{again == Again::possible});
  return runner_->await<SampleAnswer>().counts ? Sample::counts : Sample::is_void;
}

}  // namespace autokernel::trial
