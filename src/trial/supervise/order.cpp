#include "autokernel/trial/order.h"

#include <fmt/format.h>

#include <random>

#include "autokernel/base/build_id.h"
#include "autokernel/base/sha256.h"
#include "trial/supervise/message_json.h"

namespace autokernel::trial {

template <Of<Limits> Object>
void visit_fields(auto&& fields, Object& limits) {
  fields("start_seconds", limits.start_seconds);
  fields("queue_seconds", limits.queue_seconds);
  fields("compile_seconds", limits.compile_seconds);
  fields("check_seconds", limits.check_seconds);
  fields("time_seconds", limits.time_seconds);
  fields("memory_bytes", limits.memory_bytes);
}
template <Of<TrialOrder> Object>
void visit_fields(auto&& fields, Object& order) {
  fields("limits", order.limits);
  fields("request", order.request);
}
template <Of<JudgeOrder> Object>
void visit_fields(auto&& fields, Object& order) {
  fields("key", order.key);
  fields("case_digest", order.case_digest);
  fields("deadline_seconds", order.deadline_seconds);
  fields("order", order.order);
}
template <Of<JudgeCancel> Object>
void visit_fields(auto&& /*fields*/, Object& /*cancel*/) {}

template <>
inline constexpr const char* kKind<JudgeOrder> = "judge";
template <>
inline constexpr const char* kKind<JudgeCancel> = "cancel";

namespace {

constexpr const char* kOrder = "order";

[[nodiscard]] std::string greeting_of(const char* who) {
  return fmt::format("{} {} {}", who, AUTOKERNEL_VERSION, own_build_id());
}

}  // namespace

std::string relay_greeting() { return greeting_of("autokernel-relay"); }
std::string judge_greeting() { return greeting_of("autokernel-judge"); }

std::string fresh_order_key() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

std::string digest_of_case(const Request& request) {
  MessageJson whole = MessageJson::array({Writer::json(request.case_files)});
  if (request.header_folders)
    for (const cases::HeaderFolder& folder : *request.header_folders)
      whole.push_back(cases::digest_of(folder));
  return sha256(whole.dump());
}

std::string encode(const TrialOrder& order) { return line(kOrder, Writer::json(order)); }
std::string encode(const JudgeMessage& message) { return write_alternative(message); }

TrialOrder decode_trial_order(const std::string& line) {
  const Envelope envelope = open_envelope(line);
  if (envelope.kind != kOrder) throw damaged("an order was expected, not a " + envelope.kind);
  return read_as<TrialOrder>(envelope.body);
}

JudgeMessage decode_judge_message(const std::string& line) {
  return read_alternative<JudgeMessage>(open_envelope(line));
}

}  // namespace autokernel::trial
