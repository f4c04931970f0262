#include "notify/sender_packets.h"

#include <vector>

#include "autokernel/base/document_json.h"

namespace autokernel::notify {
namespace {

using document::ExactReader;
using document::ExactWriter;
using document::Json;

// A target as it travels. Secret has no such fields on purpose: it is opened here alone.
struct PackedTarget {
  std::string label;
  Kind kind = Kind::json;
  std::string url;
  std::string secret;
  std::vector<EventKind> events;
  bool plot = true;
  bool allow_http = false;
};

template <Of<PackedTarget> Object>
void visit_fields(auto&& fields, Object& target) {
  fields("label", target.label);
  fields("kind", target.kind);
  fields("url", target.url);
  fields("secret", target.secret);
  fields("events", target.events);
  fields("plot", target.plot);
  fields("allow_http", target.allow_http);
}

struct PackedConfiguration {
  std::vector<PackedTarget> targets;
};

template <Of<PackedConfiguration> Object>
void visit_fields(auto&& fields, Object& configuration) {
  fields("targets", configuration.targets);
}

// An event with what is for nobody else.
struct PackedEvent {
  Event event;
  std::filesystem::path plot;
  std::optional<ToldOf> told_of;
};

template <Of<PackedEvent> Object>
void visit_fields(auto&& fields, Object& packed) {
  visit_fields(fields, packed.event);
  fields("plot", packed.plot);
  fields("told_of", packed.told_of);
}

template <typename Object>
[[nodiscard]] std::optional<Object> object_of_packet(const std::string& packet) {
  try {
    const auto json = document::parsed(packet);
    if (!json) return {};
    Object object;
    ExactReader::read(*json, object);
    return object;
  } catch (const document::Unreadable&) {
    return {};
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace

std::string packet_of(const Configuration& configuration) {
  PackedConfiguration packed;
  for (const Target& target : configuration.targets) {
    packed.targets.push_back({.label = target.label,
                              .kind = target.kind,
                              .url = target.url.reveal(),
                              .secret = target.secret.reveal(),
                              .events = {target.events.begin(), target.events.end()},
                              .plot = target.plot,
                              .allow_http = target.allow_http});
  }
  return document::line(ExactWriter::json(packed));
}

std::string packet_of(const Event& event) {
  return document::line(ExactWriter::json(PackedEvent{event, event.plot, event.told_of}));
}

std::string packet_of(const Report& report) { return document::line(ExactWriter::json(report)); }

std::optional<Configuration> configuration_of_packet(const std::string& packet) {
  auto packed = object_of_packet<PackedConfiguration>(packet);
  if (!packed) return {};
  Configuration configuration;
  for (PackedTarget& target : packed->targets) {
    configuration.targets.push_back({.label = std::move(target.label),
                                     .kind = target.kind,
                                     .url = Secret(std::move(target.url)),
                                     .secret = Secret(std::move(target.secret)),
                                     .events = {target.events.begin(), target.events.end()},
                                     .plot = target.plot,
                                     .allow_http = target.allow_http});
  }
  return configuration;
}

std::optional<Event> event_of_packet(const std::string& packet) {
  auto packed = object_of_packet<PackedEvent>(packet);
  if (!packed) return {};
  packed->event.plot = std::move(packed->plot);
  packed->event.told_of = std::move(packed->told_of);
  return std::move(packed->event);
}

std::optional<Report> report_of_packet(const std::string& packet) {
  return object_of_packet<Report>(packet);
}

}  // namespace autokernel::notify
