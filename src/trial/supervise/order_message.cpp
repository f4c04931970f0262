#include "trial/supervise/order_message.h"

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

namespace {
constexpr const char* kOrder = "order";
}

std::string encode(const TrialOrder& order) { return line(kOrder, Writer::json(order)); }

TrialOrder decode_trial_order(const std::string& line) {
  const Envelope envelope = open_envelope(line);
  if (envelope.kind != kOrder) throw damaged("an order was expected, not a " + envelope.kind);
  return read_as<TrialOrder>(envelope.body);
}

}  // namespace autokernel::trial
