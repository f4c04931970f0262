// The format, as far as it is read; every name may be written in any case:
//
//   {"deviceProperties": [{"id", "name", "computeMajor", "computeMinor", "numSms",
//                          "totalGlobalMem"}, ...],
//    "distributedInfo": {"rank"},
//    "traceEvents": [{"ph", "cat", "name", "pid", "tid", "ts", "dur", "args": {...}}, ...]}
//
// or only the list of events. Times are in microseconds with decimals, whatever displayTimeUnit
// says: that is for viewers. baseTimeNanoseconds, from which they are counted, is left out, since
// only differences matter here.
#include "programs/profile/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"
#include "programs/profile/argument_lists.h"
#include "programs/profile/json_characters.h"
#include "programs/profile/trace_keys.h"
#include "programs/profile/trace_time.h"

namespace autokernel::programs {
namespace {

// Arguments of an event are five levels deep at most, and metadata of a program hardly deeper.
constexpr std::size_t kDeepest = 256;
// Most different texts in place of the numbers of processes and threads, and the longest of them.
constexpr std::size_t kMostTexts = 65536;
constexpr std::size_t kLongestPlace = 256;
// Of a text that is kept. Names of kernels with many template arguments have some ten thousand.
constexpr std::size_t kLongestKeptText = std::size_t{1} << 20U;

// ROCm writes some numbers as texts.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  return read_number(text, value) ? std::optional(value) : std::nullopt;
}

[[nodiscard]] int small_number(std::int64_t value) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return value < 0 || value > kMost ? 0 : static_cast<int>(value);
}

// The events as nlohmann-json finds them: it calls the functions below, whose names are its own.
class TraceReader {
 public:
  TraceReader(const std::string& attempt, const std::function<void(TraceEvent&)>& take)
      : attempt_(attempt), take_(take) {}

  bool null() {
    wrong();
    return true;
  }
  bool boolean(bool /*value*/) {
    wrong();
    return true;
  }
  bool number_integer(std::int64_t value) {
    number(value);
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value > kMost) {
      wrong();
    } else {
      number(static_cast<std::int64_t>(value));
    }
    return true;
  }
  bool number_float(double value, const std::string& digits) {
    if (Number* const time = time_field()) {
      set_time(*time, digits);
    } else if (value == std::floor(value) && std::fabs(value) < 9e15) {
      number(static_cast<std::int64_t>(value));
    } else {
      wrong();
    }
    return true;
  }
  bool string(std::string& value) {
    text(value);
    return true;
  }
  static bool binary(nlohmann::json::binary_t& /*value*/) { return true; }

  bool start_object(std::size_t /*elements*/) {
    enter(object_place());
    return true;
  }
  bool key(std::string& key) {
    if (is_in(Place::file)) key_ = key_of_file(key);
    if (is_in(Place::event)) key_ = key_of_event(key);
    if (is_in(Place::arguments)) key_ = key_of_arguments(key);
    if (is_in(Place::device)) key_ = key_of_device(key);
    if (is_in(Place::distributed)) key_ = key_of_distributed_info(key);
    return true;
  }
  bool end_object() {
    const Place left = leave();
    if (left == Place::event) {
      event_.kind = kind_of(event_);
      take_(event_);
    }
    if (left == Place::arguments) key_ = TraceKey::arguments;
    return true;
  }
  bool start_array(std::size_t /*elements*/) {
    enter(array_place());
    return true;
  }
  bool end_array() {
    if (leave() == Place::list) lists_.end();
    return true;
  }
  // Where the text is no JSON: the caller asks for the reason and for the place.
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) {
    failed_at_ = position;
    return false;
  }

  [[nodiscard]] std::size_t failed_at() const { return failed_at_; }
  // Whether only the end of the list is missing, which is allowed where it is all there is.
  [[nodiscard]] bool is_between_events() const {
    return places_.size() == 1 && places_.back() == Place::events;
  }
  [[nodiscard]] TraceHeader take_header() { return std::move(header_); }

 private:
  enum class Place : std::uint8_t {
    file,
    events,
    event,
    arguments,
    list,  // in the arguments
    devices,
    device,
    distributed,
    ignored
  };

  [[nodiscard]] bool is_in(Place place) const {
    return !places_.empty() && places_.back() == place;
  }

  void enter(Place place) {
    if (places_.size() == kDeepest) {
      throw Error(Stop::usage, attempt_ + ": it is nested too deeply for a trace");
    }
    places_.push_back(place);
  }

  Place leave() {
    const Place left = places_.back();
    places_.pop_back();
    return left;
  }

  [[nodiscard]] Place object_place() {
    if (places_.empty()) return Place::file;
    if (is_in(Place::events)) {
      header_.is_trace = true;
      event_ = {};
      key_ = TraceKey::other;
      return Place::event;
    }
    if (is_in(Place::event) && key_ == TraceKey::arguments) return Place::arguments;
    if (is_in(Place::file) && key_ == TraceKey::distributed_info) return Place::distributed;
    if (is_in(Place::devices)) {
      header_.devices.resize(std::min(header_.devices.size() + 1, kMostDevices));
      return Place::device;
    }
    wrong();
    return Place::ignored;
  }

  [[nodiscard]] Place array_place() {
    const bool has_list = is_in(Place::file) && key_ == TraceKey::events;
    header_.is_trace = header_.is_trace || has_list;
    if (places_.empty() || has_list) return Place::events;
    if (is_in(Place::file) && key_ == TraceKey::device_properties) return Place::devices;
    if ((is_in(Place::arguments) || is_in(Place::list)) && lists_.begin(key_)) return Place::list;
    wrong();
    return Place::ignored;
  }

  [[nodiscard]] Number* time_field() {
    if (!is_in(Place::event)) return nullptr;
    if (key_ == TraceKey::start) return &event_.start;
    return key_ == TraceKey::duration ? &event_.duration : nullptr;
  }

  static void set_time(Number& time, std::string_view digits) {
    const std::optional<std::int64_t> value = nanoseconds_in(digits);
    time = {.given = value ? Given::yes : Given::wrong, .value = value.value_or(0)};
  }

  // The field of the event that the key names, if it is a number.
  [[nodiscard]] Number* number_field() {
    if (is_in(Place::event)) {
      if (key_ == TraceKey::process) return &event_.process;
      if (key_ == TraceKey::thread) return &event_.thread;
      return time_field();
    }
    if (!is_in(Place::arguments)) return nullptr;
    switch (key_) {
      case TraceKey::device:
        return &event_.device;
      case TraceKey::stream:
        return &event_.stream;
      case TraceKey::correlation:
        return &event_.correlation;
      case TraceKey::operation:
        return &event_.operation;
      case TraceKey::registers:
        return &event_.registers;
      case TraceKey::shared:
        return &event_.shared;
      case TraceKey::bytes:
        return &event_.bytes;
      case TraceKey::graph_node:
        return &event_.graph_node;
      default:
        return nullptr;
    }
  }

  void number(std::int64_t value) {
    if (Number* const time = time_field()) {
      set_time(*time, fmt::format_int(value).c_str());
    } else if (Number* const field = number_field()) {
      *field = {.given = Given::yes, .value = value};
    } else if (is_in(Place::list)) {
      lists_.number(key_, value);
    } else if (is_in(Place::device)) {
      device_number(value);
    } else if (is_in(Place::distributed) && key_ == TraceKey::rank) {
      header_.rank = value;
    } else {
      wrong();
    }
  }

  void device_number(std::int64_t value) {
    driver::DeviceInfo& device = header_.devices.back();
    if (key_ == TraceKey::id) device.ordinal = small_number(value);
    if (key_ == TraceKey::major) device.major = small_number(value);
    if (key_ == TraceKey::minor) device.minor = small_number(value);
    if (key_ == TraceKey::multiprocessors) device.multiprocessors = small_number(value);
    if (key_ == TraceKey::memory)
      device.memory_bytes = value < 0 ? 0 : static_cast<std::uint64_t>(value);
  }

  void text(std::string& value) {
    if (value.size() > kLongestKeptText) {
      wrong();
    } else if (is_in(Place::event)) {
      event_text(value);
    } else if (is_in(Place::arguments)) {
      argument_text(value);
    } else if (is_in(Place::list)) {
      lists_.text(key_, value);
    } else if (is_in(Place::device) && key_ == TraceKey::name) {
      header_.devices.back().name = std::move(value);
    }
  }

  void event_text(std::string& value) {
    switch (key_) {
      case TraceKey::phase:
        event_.phase = std::move(value);
        return;
      case TraceKey::category:
        event_.category = std::move(value);
        return;
      case TraceKey::name:
        event_.name = std::move(value);
        event_.named = Given::yes;
        return;
      case TraceKey::process:
        event_.process = number_for(value);
        return;
      case TraceKey::thread:
        event_.thread = number_for(value);
        return;
      default:
        wrong();
    }
  }

  void argument_text(std::string& value) {
    if (key_ == TraceKey::kind) {
      event_.copy_kind = std::move(value);
    } else if (key_ == TraceKey::name) {
      event_.label = std::move(value);
    } else if (Number* const field = number_field()) {
      const std::optional<std::int64_t> number = whole_number(value);
      *field = {.given = number ? Given::yes : Given::wrong, .value = number.value_or(0)};
    } else {
      wrong();
    }
  }

  [[nodiscard]] Number number_for(const std::string& text) {
    if (const auto number = whole_number(text)) return {.given = Given::yes, .value = *number};
    const auto known = text_numbers_.find(text);
    if (known != text_numbers_.end()) return {.given = Given::yes, .value = known->second};
    if (header_.texts.size() == kMostTexts || text.size() > kLongestPlace) {
      return {.given = Given::wrong};
    }
    const std::int64_t number = kFirstText - static_cast<std::int64_t>(header_.texts.size());
    header_.texts.push_back(text);
    text_numbers_.emplace(text, number);
    return {.given = Given::yes, .value = number};
  }

  // Notes that the value of the key is none that it can have.
  void wrong() {
    if (is_in(Place::event) && key_ == TraceKey::name) event_.named = Given::wrong;
    if (Number* const field = number_field()) field->given = Given::wrong;
    if (is_in(Place::list) || is_in(Place::arguments)) lists_.wrong(key_);
  }

  static constexpr std::size_t kMostDevices = 4096;

  const std::string& attempt_;
  const std::function<void(TraceEvent&)>& take_;
  TraceHeader header_;
  std::unordered_map<std::string, std::int64_t> text_numbers_;
  std::vector<Place> places_;
  TraceKey key_ = TraceKey::other;
  TraceEvent event_;
  ArgumentLists lists_{event_};
  std::size_t failed_at_ = 0;
};

}  // namespace

TraceHeader read_trace(Pieces json, const std::string& attempt,
                       const std::function<void(TraceEvent&)>& take) {
  JsonCharacters characters(std::move(json));
  TraceReader reader(attempt, take);
  const bool is_json = nlohmann::json::sax_parse(JsonCharacterIterator(characters),
                                                 JsonCharacterIterator(), &reader);
  const bool is_cut = !is_json && characters.was_exhausted();
  const bool only_lacks_end = is_cut && reader.is_between_events();
  TraceHeader header = reader.take_header();
  header.is_cut = only_lacks_end;
  if (is_json || only_lacks_end) return header;
  if (is_cut) {
    throw Error(Stop::usage,
                fmt::format("{}: it is cut: the JSON ends at byte {}, before its end; copy the "
                            "file again, or record again",
                            attempt, characters.bytes_read()));
  }
  throw Error(Stop::usage, fmt::format("{}: it is no JSON near byte {}; record again", attempt,
                                       reader.failed_at()));
}

}  // namespace autokernel::programs
