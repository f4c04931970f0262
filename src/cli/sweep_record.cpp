#include "cli/sweep_record.h"

#include "autokernel/base/document_json.h"

namespace autokernel::cli {

using document::Json;

std::string sweep_record(const std::vector<SweepRow>& rows,
                         const std::optional<Interrupted>& interrupted) {
  // Raised when a field changes its meaning or goes; a new field does not raise it.
  constexpr int kSchemaVersion = 1;
  // What the shell shows of a program that was ended by a signal.
  constexpr int kEndedBySignal = 128;
  int exit_code = 0;
  Json sizes = Json::array();
  Json records = Json::array();
  for (const SweepRow& row : rows) {
    exit_code = worse(exit_code, row.exit_code);
    sizes.push_back(row.size);
    records.push_back(Json::parse(row.record));
  }
  Json object = {{"schema_version", kSchemaVersion}, {"program", "autokernel " AUTOKERNEL_VERSION}};
  if (interrupted) {
    object["exit_code"] = kEndedBySignal + interrupted->signal();
    object["error"] = "interrupted; nothing of it was left running";
  } else {
    object["exit_code"] = exit_code;
  }
  const auto mean = reference_mean(rows);
  object["geomean_vs_reference"] = mean ? Json(mean->ratio) : Json();
  object["sizes"] = std::move(sizes);
  object["records"] = std::move(records);
  return document::line(object);
}

}  // namespace autokernel::cli
