// What a run and its sender tell each other, a packet each.
#pragma once

#include <optional>
#include <string>

#include "autokernel/base/fields.h"
#include "autokernel/notify/configuration.h"
#include "autokernel/notify/event.h"

namespace autokernel::notify {

// What became of one event.
struct Report {
  std::string id = {};
  bool attempted = false;
  bool sent = false;
  std::string status = {};
};

template <Of<Report> Object>
void visit_fields(auto&& fields, Object& report) {
  fields("id", report.id);
  fields("attempted", report.attempted);
  fields("sent", report.sent);
  fields("status", report.status);
}

// The first packet of a run: the targets with their addresses, which stand nowhere else, neither in
// a file nor among the sender's variables.
[[nodiscard]] std::string packet_of(const Configuration& configuration);
[[nodiscard]] std::string packet_of(const Event& event);
[[nodiscard]] std::string packet_of(const Report& report);

// None for a packet that is not of the kind.
[[nodiscard]] std::optional<Configuration> configuration_of_packet(const std::string& packet);
[[nodiscard]] std::optional<Event> event_of_packet(const std::string& packet);
[[nodiscard]] std::optional<Report> report_of_packet(const std::string& packet);

}  // namespace autokernel::notify
