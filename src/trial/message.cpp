// The format, one JSON object per line:
//
//   {"autokernel_message": 1, "kind": "request" | "phase" | "outline" | "code" | "whereabouts" |
//   "result" | "failure", "body": ...}
//
// The body of a phase is its name, that of code and whereabouts a text, that of the others an
// object with the names of the C++ fields. Absent values are null. A number that JSON cannot write
// is the string "nan", "inf" or "-inf"; a string that is not UTF-8 is
// {"latin1": "..."} with one code point per byte.
#include "autokernel/trial/message.h"

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace autokernel::trial {
namespace {

using Json = nlohmann::json;

// Raised when the meaning of a message or the order of its fields changes.
constexpr int kVersion = 1;
constexpr const char* kVersionKey = "autokernel_message";

[[nodiscard]] Error damaged(const std::string& what) {
  return {Stop::internal, "cannot understand a message between autokernel and its runner: " + what};
}

// `Type` to be read into, or to be written from.
template <typename Object, typename Type>
concept Either = std::same_as<std::remove_const_t<Object>, Type>;

// The fields of each message, once, for writing (`Object` is const) and reading alike.
template <typename Fields, Either<LaunchKey> Object>
void describe(Fields&& fields, Object& key) {
  fields("launch", key.launch);
  fields("key", key.key);
}

template <typename Fields, Either<Opponent> Object>
void describe(Fields&& fields, Object& opponent) {
  fields("name", opponent.name);
  fields("source", opponent.source);
  fields("min_gain", opponent.min_gain);
}

template <typename Fields, Either<KnownDevice> Object>
void describe(Fields&& fields, Object& device) {
  fields("name", device.name);
  fields("driver_version", device.driver_version);
}

template <typename Fields, Either<DeviceNoise> Object>
void describe(Fields&& fields, Object& noise) {
  fields("device", noise.device);
  fields("driver_version", noise.driver_version);
  fields("pair_error", noise.pair_error);
  fields("pair_seconds", noise.pair_seconds);
  fields("least_gain", noise.least_gain);
}

template <typename Fields, Either<Request> Object>
void describe(Fields&& fields, Object& request) {
  fields("case_directory", request.case_directory);
  fields("kernel_file", request.kernel_file);
  fields("source", request.source);
  fields("device", request.device);
  fields("architecture", request.architecture);
  fields("size", request.size);
  fields("cached", request.cached);
  fields("checked", request.checked);
  fields("samples", request.samples);
  fields("against", request.against);
  fields("known_device", request.known_device);
  fields("recording_seconds", request.recording_seconds);
  fields("noise", request.noise);
  fields("keys", request.keys);
}

template <typename Fields, Either<Failure> Object>
void describe(Fields&& fields, Object& failure) {
  fields("stop", failure.stop);
  fields("what", failure.what);
}

template <typename Fields, Either<DeviceReport> Object>
void describe(Fields&& fields, Object& device) {
  fields("name", device.name);
  fields("major", device.major);
  fields("minor", device.minor);
  fields("emulated", device.emulated);
}

template <typename Fields, Either<Times> Object>
void describe(Fields&& fields, Object& times) {
  fields("samples_us", times.samples_us);
  fields("median_us", times.median_us);
  fields("p95_us", times.p95_us);
  fields("noise_pct", times.noise_pct);
}

template <typename Fields, Either<Differences> Object>
void describe(Fields&& fields, Object& differences) {
  fields("max_abs", differences.max_abs);
  fields("max_rel", differences.max_rel);
}

template <typename Fields, Either<ResourceReport> Object>
void describe(Fields&& fields, Object& resources) {
  fields("registers", resources.registers);
  fields("spill_bytes", resources.spill_bytes);
  fields("shared_bytes", resources.shared_bytes);
}

template <typename Fields, Either<PairedComparison> Object>
void describe(Fields&& fields, Object& comparison) {
  fields("against", comparison.against);
  fields("outcome", comparison.outcome);
  fields("reason", comparison.reason);
  fields("min_gain", comparison.min_gain);
  fields("gain", comparison.gain);
  fields("gain_low", comparison.gain_low);
  fields("gain_high", comparison.gain_high);
  fields("gain_apart", comparison.gain_apart);
  fields("p_value", comparison.p_value);
  fields("as_fast", comparison.as_fast);
  fields("opponent", comparison.opponent);
  fields("disturbance", comparison.disturbance);
}

template <typename Fields, Either<Range> Object>
void describe(Fields&& fields, Object& range) {
  fields("low", range.low);
  fields("high", range.high);
}

template <typename Fields, Either<Conditions> Object>
void describe(Fields&& fields, Object& conditions) {
  fields("sm_clock_mhz", conditions.sm_clock_mhz);
  fields("memory_clock_mhz", conditions.memory_clock_mhz);
  fields("highest_celsius", conditions.highest_celsius);
  fields("highest_watts", conditions.highest_watts);
  fields("throttle_reasons", conditions.throttle_reasons);
  fields("other_programs", conditions.other_programs);
  fields("samples_redone", conditions.samples_redone);
  fields("others_cpu_share", conditions.others_cpu_share);
  fields("governor", conditions.governor);
  fields("unclean", conditions.unclean);
}

template <typename Fields, Either<Result> Object>
void describe(Fields&& fields, Object& result) {
  fields("verdict", result.verdict);
  fields("cause", result.cause);
  fields("reason", result.reason);
  fields("detail", result.detail);
  fields("warnings", result.warnings);
  fields("device", result.device);
  fields("label", result.label);
  fields("problem", result.problem);
  fields("times", result.times);
  fields("reference", result.reference);
  fields("reference_default_us", result.reference_default_us);
  fields("comparison", result.comparison);
  fields("conditions", result.conditions);
  fields("warm_us", result.warm_us);
  fields("event_floor_us", result.event_floor_us);
  fields("event_tick_us", result.event_tick_us);
  fields("differences", result.differences);
  fields("resources", result.resources);
  fields("flops", result.flops);
  fields("bytes", result.bytes);
  fields("peak_tflops", result.peak_tflops);
  fields("peak_gbytes_s", result.peak_gbytes_s);
  fields("cap_seconds", result.cap_seconds);
  fields("samples_wanted", result.samples_wanted);
  fields("bench_seconds", result.bench_seconds);
  fields("total_seconds", result.total_seconds);
  fields("phase_seconds", result.phase_seconds);
  fields("keys", result.keys);
  fields("versions", result.versions);
}

[[nodiscard]] bool is_utf8(const std::string& text) {
  try {
    [[maybe_unused]] const std::string written = Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

// Stands for a Writer where a concept has to name one.
struct AnyFields {
  template <typename Value>
  void operator()(const char* name, const Value& value) const;
};
template <typename Value>
concept Described = requires(const Value& value) { describe(AnyFields{}, value); };

class Writer {
 public:
  template <typename Value>
  void operator()(const char* name, const Value& value) {
    object_[name] = json(value);
  }
  [[nodiscard]] Json take() { return std::move(object_); }

  static Json json(bool value) { return value; }
  static Json json(std::integral auto value) { return value; }
  static Json json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
  }
  static Json json(const std::string& value) {
    if (is_utf8(value)) return value;
    std::string wide;
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        wide += c;
      } else {
        wide += static_cast<char>(0xC0U | (byte >> 6U));
        wide += static_cast<char>(0x80U | (byte & 0x3FU));
      }
    }
    return Json::object({{"latin1", wide}});
  }
  static Json json(const std::filesystem::path& value) { return json(value.string()); }
  static Json json(Phase value) { return spelling(value); }
  static Json json(Verdict value) { return spelling(value); }
  static Json json(Cause value) { return spelling(value); }
  static Json json(Outcome value) { return spelling(value); }
  static Json json(Stop value) { return static_cast<int>(value); }
  static Json json(const DeviceChoice& value) { return spelling(value); }
  template <Described Value>
  static Json json(const Value& value) {
    Writer writer;
    describe(writer, value);
    return writer.take();
  }
  template <typename Value>
  static Json json(const std::optional<Value>& value) {
    return value ? json(*value) : Json(nullptr);
  }
  template <typename Value>
  static Json json(const std::vector<Value>& values) {
    Json array = Json::array();
    for (const Value& value : values) array.push_back(json(value));
    return array;
  }
  template <typename Value>
  static Json json(const std::map<std::string, Value>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = json(value);
    return object;
  }

 private:
  Json object_ = Json::object();
};

class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {
    if (!object.is_object()) throw damaged("an object was expected, not " + object.dump());
  }

  template <typename Value>
  void operator()(const char* name, Value& value) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw damaged(std::string("it has no '") + name + "'");
    try {
      read(*found, value);
    } catch (const Json::exception& e) {
      throw damaged(std::string("'") + name + "': " + e.what());
    }
  }

  static void read(const Json& json, bool& value) { json.get_to(value); }
  template <std::integral Integer>
  static void read(const Json& json, Integer& value) {
    if (!json.is_number_integer()) throw damaged("a whole number was expected, not " + json.dump());
    const bool fits = json.is_number_unsigned() ? std::in_range<Integer>(json.get<std::uint64_t>())
                                                : std::in_range<Integer>(json.get<std::int64_t>());
    if (!fits) throw damaged("the number " + json.dump() + " is out of range");
    json.get_to(value);
  }
  static void read(const Json& json, double& value) {
    if (json == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (json == "inf" || json == "-inf") {
      value = std::copysign(std::numeric_limits<double>::infinity(), json == "inf" ? 1.0 : -1.0);
    } else {
      json.get_to(value);
    }
  }
  static void read(const Json& json, std::string& value) {
    if (!json.is_object()) {
      json.get_to(value);
      return;
    }
    const auto wide = json.at("latin1").get<std::string>();
    value.clear();
    for (std::size_t i = 0; i < wide.size(); ++i) {
      unsigned byte = static_cast<unsigned char>(wide[i]);
      if (byte >= 0x80U) {
        if (++i == wide.size()) throw damaged("half a character in latin1 text");
        byte = (byte << 6U) | (static_cast<unsigned char>(wide[i]) & 0x3FU);
      }
      value += static_cast<char>(byte);
    }
  }
  static void read(const Json& json, std::filesystem::path& value) {
    std::string text;
    read(json, text);
    value = text;
  }
  static void read(const Json& json, Phase& value) {
    for (const Phase phase :
         {Phase::start, Phase::queue, Phase::compile, Phase::check, Phase::time, Phase::harness}) {
      if (json == spelling(phase)) {
        value = phase;
        return;
      }
    }
    throw damaged("there is no phase " + json.dump());
  }
  static void read(const Json& json, Verdict& value) {
    for (const Verdict verdict : {Verdict::correct, Verdict::incorrect, Verdict::does_not_compile,
                                  Verdict::timed_out, Verdict::crashed, Verdict::unsupported}) {
      if (json == spelling(verdict)) {
        value = verdict;
        return;
      }
    }
    throw damaged("there is no verdict " + json.dump());
  }
  static void read(const Json& json, Cause& value) {
    for (const Cause cause :
         {Cause::unknown, Cause::out_of_bounds, Cause::misaligned, Cause::trap, Cause::assertion,
          Cause::barrier, Cause::instruction, Cause::stack, Cause::race, Cause::not_finite}) {
      if (json == spelling(cause)) {
        value = cause;
        return;
      }
    }
    throw damaged("there is no cause " + json.dump());
  }
  static void read(const Json& json, Outcome& value) {
    for (const Outcome outcome : {Outcome::faster, Outcome::not_faster, Outcome::inconclusive}) {
      if (json == spelling(outcome)) {
        value = outcome;
        return;
      }
    }
    throw damaged("there is no outcome " + json.dump());
  }
  static void read(const Json& json, Stop& value) {
    for (const Stop stop : {Stop::usage, Stop::environment, Stop::repository, Stop::internal}) {
      if (json == static_cast<int>(stop)) {
        value = stop;
        return;
      }
    }
    throw damaged("there is no exit code " + json.dump());
  }
  static void read(const Json& json, DeviceChoice& value) {
    try {
      value = parse_device(json.get<std::string>());
    } catch (const Error& error) {
      throw damaged(error.what());
    }
  }
  template <Described Value>
  static void read(const Json& json, Value& value) {
    describe(Reader(json), value);
  }
  template <typename Value>
  static void read(const Json& json, std::optional<Value>& value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace());
  }
  template <typename Value>
  static void read(const Json& json, std::vector<Value>& values) {
    values.clear();
    if (!json.is_array()) throw damaged("a list was expected, not " + json.dump());
    for (const Json& value : json) read(value, values.emplace_back());
  }
  template <typename Value>
  static void read(const Json& json, std::map<std::string, Value>& values) {
    values.clear();
    if (!json.is_object()) throw damaged("an object was expected, not " + json.dump());
    for (const auto& [name, value] : json.items()) read(value, values[name]);
  }

 private:
  const Json& object_;
};

[[nodiscard]] std::string line(const char* kind, const Json& body) {
  return Json::object({{kVersionKey, kVersion}, {"kind", kind}, {"body", body}}).dump() + "\n";
}

struct Envelope {
  std::string kind;
  Json body;
};

[[nodiscard]] Envelope open(const std::string& line) {
  if (line.empty() || line.back() != '\n') throw damaged("it is cut off");
  const Json message = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded()) throw damaged("it is not JSON");
  int version = 0;
  Envelope envelope;
  const Reader fields(message);
  fields(kVersionKey, version);
  if (version != kVersion) {
    throw damaged("it is of version " + std::to_string(version) + ", this program speaks version " +
                  std::to_string(kVersion) + "; the two are not of one installation");
  }
  fields("kind", envelope.kind);
  const auto body = message.find("body");
  if (body == message.end()) throw damaged("it has no 'body'");
  envelope.body = *body;
  return envelope;
}

template <typename Value>
[[nodiscard]] Value read_as(const Json& body) {
  Value value{};
  try {
    Reader::read(body, value);
  } catch (const Json::exception& e) {
    throw damaged(e.what());
  }
  return value;
}

struct EventLine {
  std::string operator()(const Phase& phase) const { return line("phase", Writer::json(phase)); }
  std::string operator()(const Outline& outline) const {
    return line("outline", Writer::json(outline.known));
  }
  std::string operator()(const Code& code) const { return line("code", Writer::json(code.ptx)); }
  std::string operator()(const Whereabouts& whereabouts) const {
    return line("whereabouts", Writer::json(whereabouts.text));
  }
  std::string operator()(const Result& result) const {
    return line("result", Writer::json(result));
  }
  std::string operator()(const Failure& failure) const {
    return line("failure", Writer::json(failure));
  }
};

}  // namespace

std::string encode(const Request& request) { return line("request", Writer::json(request)); }

std::string encode(const Event& event) { return std::visit(EventLine{}, event); }

Request decode_request(const std::string& line) {
  const Envelope envelope = open(line);
  if (envelope.kind != "request") throw damaged("a request was expected, not a " + envelope.kind);
  return read_as<Request>(envelope.body);
}

Event decode_event(const std::string& line) {
  const Envelope envelope = open(line);
  if (envelope.kind == "phase") return read_as<Phase>(envelope.body);
  if (envelope.kind == "outline") return Outline{read_as<Result>(envelope.body)};
  if (envelope.kind == "code") return Code{read_as<std::string>(envelope.body)};
  if (envelope.kind == "whereabouts") return Whereabouts{read_as<std::string>(envelope.body)};
  if (envelope.kind == "result") return read_as<Result>(envelope.body);
  if (envelope.kind == "failure") return read_as<Failure>(envelope.body);
  throw damaged("a phase, outline, code, whereabouts, result or failure was expected, not a " +
                envelope.kind);
}

}  // namespace autokernel::trial
