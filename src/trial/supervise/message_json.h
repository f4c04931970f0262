// Messages between processes as JSON: structs by the names of their fields
// (autokernel/base/fields.h), all of them and with every value as it is. Only for the .cpp files
// that define messages: what it includes is heavy.
//
// Absent values are null. A number that JSON cannot write is the string "nan", "inf" or "-inf"; a
// string that is not UTF-8 is {"latin1": "..."} with one code point per byte.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/trial/message.h"
#include "trial/report/result_fields.h"
#include "trial/supervise/json_bounds.h"
#include "trial/supervise/text_bounds.h"

namespace autokernel::trial {

using MessageJson = nlohmann::json;

// What is wrong may quote all of the message.
[[nodiscard]] inline Error damaged(const std::string& what) {
  return {Stop::internal, "cannot understand a message between autokernel and its runner: " +
                              bounded(what, kLongestWarning)};
}

template <Of<Failure> Object>
void visit_fields(auto&& fields, Object& failure) {
  fields("stop", failure.stop);
  fields("what", failure.what);
  fields("is_other_device", failure.is_other_device);
}

// The last value of an enumeration that is written as a number. The file that defines the message
// specialises it.
template <typename Enumeration>
inline constexpr Enumeration kLast = Enumeration{};
template <typename Enumeration>
concept Numbered = std::is_enum_v<Enumeration> && kLast<Enumeration> != Enumeration{};

// Of this namespace, so that the fields of structs of other layers are found here as well.
struct AnyMessageFields : AnyFields {};
template <typename Value>
concept Described = requires(const Value& value) { visit_fields(AnyMessageFields{}, value); };

class Writer {
 public:
  template <typename Value>
  void operator()(const char* name, const Value& value) {
    object_[name] = json(value);
  }
  void internal(const char* name, const auto& value) { (*this)(name, value); }
  void derived(const char* /*name*/, const auto& /*work_out*/) const {}
  [[nodiscard]] MessageJson take() { return std::move(object_); }

  static MessageJson json(bool value) { return value; }
  static MessageJson json(std::integral auto value) { return value; }
  static MessageJson json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
  }
  static MessageJson json(const std::string& value) {
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
    return MessageJson::object({{"latin1", wide}});
  }
  static MessageJson json(const std::filesystem::path& value) { return json(value.string()); }
  static MessageJson json(Stop value) { return static_cast<int>(value); }
  // Between processes of one program a number will do.
  template <Numbered Value>
  static MessageJson json(Value value) {
    return static_cast<int>(value);
  }
  template <typename Text>
  static MessageJson json(const SourceText<Text>& source) {
    return json(source.text);
  }
  template <typename Texts>
  static MessageJson json(const SourceTexts<Texts>& source) {
    return json(source.texts);
  }
  template <typename Mask>
  static MessageJson json(const ThrottleReasons<Mask>& reasons) {
    return json(reasons.mask);
  }
  template <Represented Value>
  static MessageJson json(const Value& value) {
    return json(represent(value));
  }
  template <Described Value>
  static MessageJson json(const Value& value) {
    Writer writer;
    visit_fields(writer, value);
    return writer.take();
  }
  template <typename Value>
  static MessageJson json(const std::optional<Value>& value) {
    return value ? json(*value) : MessageJson(nullptr);
  }
  template <typename Value>
  static MessageJson json(const std::vector<Value>& values) {
    MessageJson array = MessageJson::array();
    for (const Value& value : values) array.push_back(json(value));
    return array;
  }
  template <typename Value>
  static MessageJson json(const std::map<std::string, Value>& values) {
    MessageJson object = MessageJson::object();
    for (const auto& [name, value] : values) object[name] = json(value);
    return object;
  }

 private:
  MessageJson object_ = MessageJson::object();
};

class Reader {
 public:
  explicit Reader(const MessageJson& object) : object_(object) {
    if (!object.is_object()) throw damaged("an object was expected, not " + object.dump());
  }

  void internal(const char* name, auto&& value) const { (*this)(name, value); }
  void derived(const char* /*name*/, const auto& /*work_out*/) const {}
  template <typename Value>
  void operator()(const char* name, Value&& value) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw damaged(std::string("it has no '") + name + "'");
    try {
      read(*found, value);
    } catch (const MessageJson::exception& e) {
      throw damaged(std::string("'") + name + "': " + e.what());
    }
  }

  static void read(const MessageJson& json, bool& value) { json.get_to(value); }
  template <std::integral Integer>
  static void read(const MessageJson& json, Integer& value) {
    if (!json.is_number_integer()) throw damaged("a whole number was expected, not " + json.dump());
    const bool fits = json.is_number_unsigned() ? std::in_range<Integer>(json.get<std::uint64_t>())
                                                : std::in_range<Integer>(json.get<std::int64_t>());
    if (!fits) throw damaged("the number " + json.dump() + " is out of range");
    json.get_to(value);
  }
  static void read(const MessageJson& json, double& value) {
    if (json == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (json == "inf" || json == "-inf") {
      value = std::copysign(std::numeric_limits<double>::infinity(), json == "inf" ? 1.0 : -1.0);
    } else {
      json.get_to(value);
    }
  }
  static void read(const MessageJson& json, std::string& value) {
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
  static void read(const MessageJson& json, std::filesystem::path& value) {
    std::string text;
    read(json, text);
    value = text;
  }
  static void read(const MessageJson& json, Stop& value) {
    for (const Stop stop : {Stop::usage, Stop::environment, Stop::repository, Stop::internal}) {
      if (json == static_cast<int>(stop)) {
        value = stop;
        return;
      }
    }
    throw damaged("there is no exit code " + json.dump());
  }
  template <Numbered Value>
  static void read(const MessageJson& json, Value& value) {
    int number = 0;
    read(json, number);
    if (number < 0 || number > static_cast<int>(kLast<Value>)) {
      throw damaged("there is no such choice as " + json.dump());
    }
    value = static_cast<Value>(number);
  }
  template <typename Text>
  static void read(const MessageJson& json, const SourceText<Text>& source) {
    read(json, source.text);
  }
  template <typename Texts>
  static void read(const MessageJson& json, const SourceTexts<Texts>& source) {
    read(json, source.texts);
  }
  template <typename Mask>
  static void read(const MessageJson& json, const ThrottleReasons<Mask>& reasons) {
    read(json, reasons.mask);
  }
  template <Represented Value>
  static void read(const MessageJson& json, Value& value) {
    decltype(represent(value)) represented;
    read(json, represented);
    if (!restore(represented, value)) throw damaged("there is no such value as " + json.dump());
  }
  template <Described Value>
  static void read(const MessageJson& json, Value& value) {
    visit_fields(Reader(json), value);
  }
  template <typename Value>
  static void read(const MessageJson& json, std::optional<Value>& value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace());
  }
  template <typename Value>
  static void read(const MessageJson& json, std::vector<Value>& values) {
    values.clear();
    if (!json.is_array()) throw damaged("a list was expected, not " + json.dump());
    for (const MessageJson& value : json) read(value, values.emplace_back());
  }
  template <typename Value>
  static void read(const MessageJson& json, std::map<std::string, Value>& values) {
    values.clear();
    if (!json.is_object()) throw damaged("an object was expected, not " + json.dump());
    for (const auto& [name, value] : json.items()) read(value, values[name]);
  }

 private:
  const MessageJson& object_;
};

// Raised when the meaning of a message or the order of its fields changes.
inline constexpr int kMessageVersion = 1;
inline constexpr const char* kMessageVersionKey = "autokernel_message";

[[nodiscard]] inline std::string line(const char* kind, const MessageJson& body) {
  return MessageJson::object(
             {{kMessageVersionKey, kMessageVersion}, {"kind", kind}, {"body", body}})
             .dump() +
         "\n";
}

struct Envelope {
  std::string kind;
  MessageJson body;
};

[[nodiscard]] inline Envelope open_envelope(const std::string& line) {
  if (line.empty() || line.back() != '\n') throw damaged("it is cut off");
  if (const char* excess = excess_of(line)) throw damaged(std::string("it ") + excess);
  MessageJson message = MessageJson::parse(line, nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded()) throw damaged("it is not JSON");
  int version = 0;
  Envelope envelope;
  const Reader fields(message);
  fields(kMessageVersionKey, version);
  if (version != kMessageVersion) {
    throw damaged("it is of version " + std::to_string(version) + ", this program speaks version " +
                  std::to_string(kMessageVersion) + "; the two are not of one installation");
  }
  fields("kind", envelope.kind);
  const auto body = message.find("body");
  if (body == message.end()) throw damaged("it has no 'body'");
  envelope.body = std::move(*body);
  return envelope;
}

template <typename Value>
[[nodiscard]] Value read_as(const MessageJson& body) {
  Value value{};
  try {
    Reader::read(body, value);
  } catch (const MessageJson::exception& e) {
    throw damaged(e.what());
  }
  return value;
}

// The name of a message that is one of several. The file that defines the message specialises it.
template <typename Message>
inline constexpr const char* kKind = nullptr;

// The alternative of the variant that the envelope names.
template <typename Variant, std::size_t Index = 0>
[[nodiscard]] Variant read_alternative(const Envelope& envelope) {
  if constexpr (Index == std::variant_size_v<Variant>) {
    throw damaged("there is no message '" + envelope.kind + "'");
  } else {
    using Message = std::variant_alternative_t<Index, Variant>;
    if (envelope.kind == kKind<Message>) return read_as<Message>(envelope.body);
    return read_alternative<Variant, Index + 1>(envelope);
  }
}

template <typename Variant>
[[nodiscard]] std::string write_alternative(const Variant& variant) {
  return std::visit(
      []<typename Message>(const Message& message) {
        return line(kKind<Message>, Writer::json(message));
      },
      variant);
}

}  // namespace autokernel::trial
