#include "autokernel/programs/extracted.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/programs/profile_text.h"
#include "programs/profile/ranking_fields.h"

namespace autokernel::programs {
namespace {

constexpr const char* kFile = "extracted.json";
constexpr int kVersion = 1;

}  // namespace

template <Of<ExtractedCase> Object>
void visit_fields(auto&& fields, Object& extracted) {
  fields("folder", extracted.folder);
  fields("kernel", extracted.kernel);
  fields("grid", extracted.grid);
  fields("block", extracted.block);
  fields("dynamic_shared", extracted.dynamic_shared);
  fields("operation", extracted.operation);
  fields("program", extracted.program);
  fields("bytes", extracted.bytes);
  fields("image", extracted.image);
  fields("product", extracted.product);
}

bool ExtractedCase::is_of(const RankedKernel& row) const {
  const std::string own = row.operation ? operation_text(*row.operation) : "";
  return kernel == row.name && grid == row.grid && block == row.block &&
         dynamic_shared == row.dynamic_shared && operation == own;
}

std::vector<ExtractedCase> read_extracted(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) return {};
  const auto refuse = [&](const std::string& why) {
    return Error(Stop::usage,
                 fmt::format("cannot read {}: {}; extract the cases again", file.string(), why));
  };
  try {
    const auto json = document::parsed(read_file(file, "the list of cases"));
    if (!json || !json->is_object() || json->value("schema_version", 0) != kVersion ||
        !json->contains("cases")) {
      throw refuse("it is no list of cases");
    }
    std::vector<ExtractedCase> all;
    document::Reader::read(json->at("cases"), all);
    for (const ExtractedCase& each : all) {
      const std::filesystem::path path(each.folder);
      if (path.empty() || path.has_parent_path() || path == ".." || path == ".") {
        throw refuse("a case lies in another folder than beside it");
      }
    }
    return all;
  } catch (const document::Unreadable& unreadable) {
    throw refuse(unreadable.why);
  } catch (const document::Json::exception& exception) {
    throw refuse(document::why(exception));
  }
}

void add_extracted(const std::filesystem::path& folder, const ExtractedCase& extracted) {
  std::vector<ExtractedCase> all = read_extracted(folder);
  std::erase_if(all, [&](const ExtractedCase& each) { return each.folder == extracted.folder; });
  all.push_back(extracted);
  document::Json json = document::Json::object();
  json["schema_version"] = kVersion;
  json["cases"] = document::Writer::json(all);
  write_file_atomically(folder / kFile, document::line(json));
}

}  // namespace autokernel::programs
