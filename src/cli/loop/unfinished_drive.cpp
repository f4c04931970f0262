#include "cli/loop/unfinished_drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

using DriveJson = nlohmann::ordered_json;

constexpr double kDriveHour = 3600;

// Where it is kept what the file of a drive was, out of the repository.
[[nodiscard]] std::filesystem::path witness_of(const std::filesystem::path& file) {
  return cache_folder() / "drives" / sha256(std::filesystem::absolute(file).string());
}

template <typename Value>
[[nodiscard]] DriveJson json_of(const std::optional<Value>& value) {
  return value ? DriveJson(*value) : DriveJson(nullptr);
}
template <typename Value>
[[nodiscard]] std::optional<Value> optional_in(const DriveJson& json, const char* name) {
  const DriveJson& value = json.at(name);
  return value.is_null() ? std::nullopt : std::optional<Value>(value.get<Value>());
}

}  // namespace

void write_unfinished(const std::filesystem::path& file, const UnfinishedDrive& drive) {
  const DriveJson json = {{"tag", drive.tag},
                          {"agent", drive.drive.agent},
                          {"agent_seconds", drive.drive.agent_seconds},
                          {"simpler", drive.drive.simpler},
                          {"max_runs", json_of(drive.drive.budget.max_runs)},
                          {"hours", json_of(drive.drive.budget.hours)},
                          {"no_progress", json_of(drive.drive.budget.no_progress)},
                          {"agents", json_of(drive.agents)},
                          {"devices", json_of(drive.devices)},
                          {"strategy", drive.strategy},
                          {"hidden_sizes", drive.hidden_sizes},
                          {"timeout", json_of(drive.timeout)},
                          {"park_hours", drive.park_hours},
                          {"park_retry_seconds", drive.park_retry_seconds},
                          {"begun", drive.begun},
                          {"experiments", drive.experiments}};
  const std::string text = json.dump(2, ' ', false, DriveJson::error_handler_t::replace) + "\n";
  write_file_atomically(file, text);
  make_folders(witness_of(file).parent_path());
  write_file_atomically(witness_of(file), sha256(text) + "\n");
}

void remove_unfinished(const std::filesystem::path& file) {
  std::error_code gone;
  std::filesystem::remove(file, gone);
  std::filesystem::remove(witness_of(file), gone);
}

std::optional<UnfinishedDrive> read_unfinished(const std::filesystem::path& file) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, missing)))
    return std::nullopt;
  const std::string text = read_file(file, "an unfinished drive");
  const bool is_ours =
      std::filesystem::is_regular_file(witness_of(file), missing) &&
      read_file(witness_of(file), "what was written of a drive") == sha256(text) + "\n";
  if (!is_ours) {
    throw Error(Stop::usage,
                fmt::format("cannot resume: {} is not as a 'loop run' of yours has left it on this "
                            "machine, and it names a command; remove it, and start 'loop run' with "
                            "its options",
                            file.string()));
  }
  const DriveJson json = DriveJson::parse(text, nullptr, false);
  try {
    UnfinishedDrive drive;
    drive.tag = json.at("tag").get<std::string>();
    drive.drive.agent = json.at("agent").get<std::string>();
    drive.drive.agent_seconds = json.at("agent_seconds").get<double>();
    drive.drive.simpler = json.at("simpler").get<bool>();
    drive.drive.budget.max_runs = optional_in<int>(json, "max_runs");
    drive.drive.budget.hours = optional_in<double>(json, "hours");
    drive.drive.budget.no_progress = optional_in<int>(json, "no_progress");
    drive.agents = optional_in<int>(json, "agents");
    drive.devices = optional_in<std::string>(json, "devices");
    drive.strategy = json.at("strategy").get<std::string>();
    drive.hidden_sizes = json.at("hidden_sizes").get<std::string>();
    drive.timeout = optional_in<double>(json, "timeout");
    drive.park_hours = json.at("park_hours").get<double>();
    drive.park_retry_seconds = json.at("park_retry_seconds").get<double>();
    drive.begun = json.at("begun").get<double>();
    drive.experiments = json.at("experiments").get<int>();
    return drive;
  } catch (const DriveJson::exception& error) {
    throw Error(Stop::usage,
                fmt::format("cannot resume: {} makes no sense ({}); remove it, and start 'loop "
                            "run' with its options",
                            file.string(), visible_line(error.what())));
  }
}

ledger::Budget rest_of(const UnfinishedDrive& drive, double now, int experiments) {
  ledger::Budget rest = drive.drive.budget;
  if (rest.max_runs)
    *rest.max_runs = std::max(0, *rest.max_runs - (experiments - drive.experiments));
  if (rest.hours)
    *rest.hours = std::max(0.0, *rest.hours - std::max(0.0, now - drive.begun) / kDriveHour);
  return rest;
}

}  // namespace autokernel::cli
