#include "loop/parallel/agent_message.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/ledger/ledger.h"

namespace autokernel::loop {
namespace {

constexpr std::array<std::string_view, 2> kOrders = {"turn", "measure"};
constexpr std::array<std::string_view, 7> kReports = {"works",   "edited",  "measures", "says",
                                                      "attempt", "in_vain", "failed"};

template <typename Kind, std::size_t kSize>
[[nodiscard]] bool restore_kind(const std::string& text,
                                const std::array<std::string_view, kSize>& names, Kind& kind) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return false;
  kind = static_cast<Kind>(found - names.begin());
  return true;
}

// An experiment goes by its line in the ledger.
template <typename Experiment>
struct LineOfLedger {
  Experiment& experiment;
};
template <typename Experiment>
[[nodiscard]] std::string represent(const LineOfLedger<Experiment>& line) {
  return ledger::lines_of({line.experiment});
}
[[nodiscard]] bool restore(const std::string& text, const LineOfLedger<ledger::Experiment>& line) {
  const ledger::Entry entry = ledger::entry_of(text);
  const auto* experiment = std::get_if<ledger::Experiment>(&entry);
  if (experiment != nullptr) line.experiment = *experiment;
  return experiment != nullptr;
}

}  // namespace

[[nodiscard]] static std::string represent(AgentOrder::Kind kind) {
  return std::string(kOrders.at(static_cast<std::size_t>(kind)));
}
[[nodiscard]] static bool restore(const std::string& text, AgentOrder::Kind& kind) {
  return restore_kind(text, kOrders, kind);
}
[[nodiscard]] static std::string represent(AgentReport::Kind kind) {
  return std::string(kReports.at(static_cast<std::size_t>(kind)));
}
[[nodiscard]] static bool restore(const std::string& text, AgentReport::Kind& kind) {
  return restore_kind(text, kReports, kind);
}

template <Of<AgentOrder> Object>
void visit_fields(auto&& fields, Object& order) {
  fields("kind", order.kind);
  fields("base", order.base);
  fields("remarks", order.remarks);
  fields("guidance", order.guidance);
}

template <Of<AgentReport> Object>
void visit_fields(auto&& fields, Object& report) {
  fields("kind", report.kind);
  fields("experiment", LineOfLedger{report.experiment});
  fields("result", report.result);
  fields("outcome", report.outcome);
  fields("reason", report.reason);
  fields("seconds", report.seconds);
  fields("stop", report.stop);
}

namespace {

template <typename Message>
[[nodiscard]] std::string encoded(const Message& message) {
  return document::line(document::ExactWriter::json(message));
}

template <typename Message>
[[nodiscard]] Message decoded(const std::string& line) {
  const auto damaged = [](const std::string& why) {
    return Error(Stop::internal, "a message of a parallel drive makes no sense: " + why);
  };
  try {
    const auto json = document::parsed(line);
    if (!json) throw document::Unreadable{"it is no JSON"};
    Message message;
    document::ExactReader::read(*json, message);
    return message;
  } catch (const document::Unreadable& unreadable) {
    throw damaged(unreadable.why);
  } catch (const document::Json::exception& error) {
    throw damaged(document::why(error));
  }
}

}  // namespace

std::string encode(const AgentOrder& order) { return encoded(order); }
std::string encode(const AgentReport& report) { return encoded(report); }
AgentOrder decode_order(const std::string& line) { return decoded<AgentOrder>(line); }
AgentReport decode_report(const std::string& line) { return decoded<AgentReport>(line); }

}  // namespace autokernel::loop
