// Server-sent events, taken apart as their bytes come in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace autokernel::http {

struct StreamEvent {
  std::string_view type;  // empty: "message"
  std::string_view data;  // lines joined by LF
};

// No event of a language model is nearly as large; what is would fill the memory.
inline constexpr std::size_t kLargestEvent = 1U << 20;

// The parser of "Interpreting an event stream" (WHATWG HTML, section 9.2.6): lines end with CR LF,
// LF or CR, a blank line ends an event, and one without data is none. `id` and `retry`, which are
// for reconnecting, are left out. How the bytes are cut into pieces makes no difference.
class EventStreamParser {
 public:
  using Listener = std::function<void(const StreamEvent&)>;

  // Calls `listener` for each event that ends within `bytes`; what it gets is valid for the call.
  // False once a line or an event is larger than kLargestEvent: the rest is not looked at any more.
  [[nodiscard]] bool feed(std::string_view bytes, const Listener& listener);

  // Whether an event has begun that has not ended; at the end of a stream, it was cut off.
  [[nodiscard]] bool is_within_event() const { return has_data_ || !line_.empty(); }

 private:
  void take_line(std::string_view line, const Listener& listener);
  void take_field(std::string_view name, std::string_view value);

  std::string line_;  // the beginning of one that has not ended
  std::string data_;
  std::string type_;
  bool has_data_ = false;
  bool is_first_line_ = true;
  bool skips_line_feed_ = false;  // the byte before was CR
  bool is_too_large_ = false;
};

}  // namespace autokernel::http
