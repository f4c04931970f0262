// Any bytes are the same events however they are cut.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autokernel/http/event_stream.h"

namespace {

namespace http = autokernel::http;
using FuzzedEvents = std::vector<std::pair<std::string, std::string>>;

void require_events(bool holds) {
  if (!holds) std::abort();
}

FuzzedEvents events_in(std::string_view bytes, std::size_t piece) {
  http::EventStreamParser parser;
  FuzzedEvents events;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    require_events(parser.feed(bytes.substr(at, piece), [&](const http::StreamEvent& event) {
      events.emplace_back(std::string(event.type), std::string(event.data));
    }));
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > http::kLargestEvent) return 0;  // which may be refused earlier or later
  const std::string bytes(data, data + size);
  const FuzzedEvents whole = events_in(bytes, size + 1);
  require_events(events_in(bytes, 1) == whole);
  // The first byte says how long the pieces are.
  require_events(events_in(bytes, size == 0 ? 1 : 1 + data[0] % 32U) == whole);
  for (const auto& [type, text] : whole) {
    require_events(type.find_first_of("\r\n") == std::string::npos);
    require_events(text.find('\r') == std::string::npos);
  }
  return 0;
}
