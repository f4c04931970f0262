#include "autokernel/trial/record.h"

#include <initializer_list>
#include <optional>
#include <set>

#include "autokernel/base/document_json.h"
#include "autokernel/base/files.h"
#include "trial/report/result_fields.h"

namespace autokernel::trial {

using document::Json;
using document::line;
using document::Unreadable;

bool is_utf8(const std::string& text) {
  try {
    [[maybe_unused]] const std::string written = Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

// Only what can be read back byte for byte; a record without its source is replayed with --kernel.
template <typename Text>
[[nodiscard]] Json represent(const SourceText<Text>& source) {
  return is_utf8(source.text) ? Json(source.text) : Json();
}
[[nodiscard]] static bool restore(const Json& json, const SourceText<std::string>& source) {
  if (!json.is_null()) json.get_to(source.text);
  return true;
}

template <typename Texts>
[[nodiscard]] Json represent(const SourceTexts<Texts>& source) {
  Json object = Json::object();
  for (const auto& [path, text] : source.texts) {
    if (!is_utf8(text)) return {};
    object[path] = text;
  }
  return object;
}
[[nodiscard]] static bool restore(const Json& json,
                                  const SourceTexts<std::map<std::string, std::string>>& source) {
  if (!json.is_null()) json.get_to(source.texts);
  return true;
}

using ReasonNames = std::optional<std::vector<std::string>>;
template <typename Mask>
[[nodiscard]] ReasonNames represent(const ThrottleReasons<Mask>& reasons) {
  if (!reasons.mask) return std::nullopt;
  return driver::throttle_names(*reasons.mask);
}
[[nodiscard]] static bool restore(const ReasonNames& names,
                                  const ThrottleReasons<std::optional<std::uint64_t>>& reasons) {
  reasons.mask.reset();
  if (names) reasons.mask = driver::throttle_named(*names);
  return true;
}

namespace {

// Raised when a field changes its meaning or goes; a new field does not raise it.
constexpr int kRecordSchemaVersion = 1;

[[nodiscard]] Json begun() {
  return {{"schema_version", kRecordSchemaVersion}, {"program", "autokernel " AUTOKERNEL_VERSION}};
}

[[nodiscard]] std::string line_of_error(int exit_code, const char* what) {
  Json object = begun();
  object["exit_code"] = exit_code;
  object["error"] = what;
  return document::line(object);
}

// A Reader takes what is missing for null, as older records may lack it. These do not lack a field
// of `Value`, except those named.
template <typename Value>
void require_fields(const Json& object, const std::set<std::string>& may_lack = {}) {
  const Json complete = document::Writer::json(Value{});
  for (const auto& [name, value] : complete.items()) {
    if (!may_lack.contains(name)) static_cast<void>(object.at(name));
  }
}
// Null is not among the values of these.
void require_values(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (object.at(name).is_null()) throw Unreadable{std::string("'") + name + "' is null"};
  }
}

[[nodiscard]] Request request_in(const Json& object) {
  const Json& requested = object.at("request");
  require_fields<Request>(requested, {"against", "files", "depth"});
  require_values(requested, {"case", "kernel", "device", "size"});
  if (const auto against = requested.find("against");
      against != requested.end() && !against->is_null()) {
    require_fields<Incumbent>(*against, {"files"});
    require_values(*against, {"name", "source"});
  }
  for (const Json& key : object.at("keys")) require_values(key, {"launch", "key"});
  Request request;
  document::Reader::read(requested, request);
  // Of a kernel that lacks a file a replay would be of another one.
  const auto files = requested.find("files");
  if (files != requested.end() && files->is_null()) request.source.clear();
  document::Reader::read(object.at("keys"), request.keys);
  return request;
}

[[nodiscard]] Error unusable(const std::filesystem::path& file, const std::string& why) {
  return {Stop::usage, "cannot replay " + file.string() + ": " + why +
                           "; --replay takes what 'autokernel bench --json' printed"};
}

}  // namespace

std::string record(const Request& request, const Result& result, const std::string& log) {
  using document::Writer;
  Json object = begun();
  Writer::add_fields(object, result);
  object["log"] = Writer::json(log);
  object["replayed"] = !request.keys.empty();
  object["request"] = Writer::json(request);
  object["keys"] = Writer::json(result.keys);
  return document::line(object);
}

std::string record(const Error& error) {
  return line_of_error(static_cast<int>(error.stop()), error.what());
}

std::string record(const Interrupted& interrupted) {
  // What the shell shows of a program that was ended by a signal.
  constexpr int kEndedBySignal = 128;
  return line_of_error(kEndedBySignal + interrupted.signal(),
                       "interrupted; nothing of it was left running");
}

Request recorded_request(const std::filesystem::path& file) {
  const std::string text = read_file(file, "the record to replay");
  try {
    const std::optional<Json> object = document::parsed(text);
    if (!object || !object->is_object()) throw unusable(file, "it is not one JSON object");
    int version = 0;
    document::Reader::read(object->at("schema_version"), version);
    if (version != kRecordSchemaVersion) {
      throw unusable(file, "its schema_version is " + std::to_string(version) +
                               ", this program reads " + std::to_string(kRecordSchemaVersion));
    }
    if (object->contains("error")) throw unusable(file, "no trial was run");
    return request_in(*object);
  } catch (const Json::exception& damage) {
    throw unusable(file, document::why(damage));
  } catch (const Unreadable& damage) {
    throw unusable(file, damage.why);
  }
}

std::optional<Conditions> recorded_conditions(const std::string& record) {
  try {
    const std::optional<Json> object = document::parsed(record);
    if (!object || !object->is_object()) return {};
    const auto found = object->find("conditions");
    if (found == object->end() || !found->is_object()) return {};
    require_fields<Conditions>(*found, {"environment", "niceness", "processors", "emulation"});
    Conditions conditions;
    document::Reader::read(*found, conditions);
    return conditions;
  } catch (const Json::exception&) {
    return {};
  } catch (const Unreadable&) {
    return {};
  }
}

}  // namespace autokernel::trial
