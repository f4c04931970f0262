// Any bytes are either a message that survives being written and read again, or an error that says
// that the two programs do not understand each other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/order.h"
#include "trial/runner/launch_message.h"
#include "trial/supervise/lending_message.h"

namespace {

using autokernel::Error;
using autokernel::Stop;

template <typename Decode>
auto decoded(Decode decode, const std::string& line) -> std::optional<decltype(decode(line))> {
  try {
    return decode(line);
  } catch (const Error& error) {
    if (error.stop() != Stop::internal) std::abort();
    return {};
  }
}

template <typename Decode>
void expect_round_trip(Decode decode, const std::string& line) {
  const auto message = decoded(decode, line);
  if (!message) return;
  const std::string written = autokernel::trial::encode(*message);
  if (autokernel::trial::encode(decode(written)) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(data, data + size);
  expect_round_trip(autokernel::trial::decode_request, line);
  expect_round_trip(autokernel::trial::decode_event, line);
  expect_round_trip(autokernel::trial::decode_report, line);
  expect_round_trip(autokernel::trial::decode_ask, line);
  expect_round_trip(autokernel::trial::decode_answer, line);
  expect_round_trip(autokernel::trial::decode_trial_order, line);
  expect_round_trip(autokernel::trial::decode_judge_message, line);
  static_cast<void>(decoded(autokernel::trial::decode_errand, line));
  return 0;
}
