#include "autokernel/programs/profile_file.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "programs/profile/ranking_fields.h"

namespace autokernel::programs {
namespace {

constexpr int kVersion = 1;
constexpr const char* kKind = "autokernel profile";

}  // namespace

bool restore(const std::string& text, Origin& origin) {
  for (int i = 0; i <= static_cast<int>(Origin::own); ++i) {
    origin = static_cast<Origin>(i);
    if (text == spelling(origin)) return true;
  }
  return false;
}

std::string ranking_json(const Ranking& ranking, const std::string& program_version) {
  document::Json json = document::Json::object();
  json["schema_version"] = kVersion;
  json["kind"] = kKind;
  json["written_by"] = program_version;
  document::Writer::add_fields(json, ranking);
  return document::line(json);
}

Ranking read_ranking(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    return Error(Stop::usage, fmt::format("cannot read the profile {}: {}; make one with "
                                          "'autokernel profile -- PROGRAM'",
                                          file.string(), why));
  };
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) throw refuse("there is no such file");
  const std::string text = read_file(file, "the profile");
  try {
    const std::optional<document::Json> json = document::parsed(text);
    if (!json || !json->is_object()) throw refuse("it is no JSON object");
    if (json->value("kind", "") != kKind) throw refuse("it is no profile");
    if (json->value("schema_version", 0) != kVersion) {
      throw refuse("it is of another version of autokernel");
    }
    Ranking ranking;
    document::Reader::read(*json, ranking);
    for (const RankedKernel& kernel : ranking.kernels) {
      if (kernel.device >= ranking.devices.size()) throw refuse("a kernel's device is missing");
    }
    return ranking;
  } catch (const document::Unreadable& unreadable) {
    throw refuse(unreadable.why);
  } catch (const document::Json::exception& exception) {
    throw refuse(document::why(exception));
  }
}

}  // namespace autokernel::programs
