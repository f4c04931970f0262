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

void write_unfinished(const std::filesystem::path& file, const UnfinishedDrive& unfinished) {
  const DriveRequest& asked = unfinished.asked;
  const DriveJson json = {{"tag", unfinished.tag},
                          {"agent", asked.drive.agent},
                          {"agent_seconds", asked.drive.agent_seconds},
                          {"simpler", asked.drive.simpler},
                          {"max_runs", json_of(asked.drive.budget.max_runs)},
                          {"hours", json_of(asked.drive.budget.hours)},
                          {"no_progress", json_of(asked.drive.budget.no_progress)},
                          {"agents", json_of(asked.parallel.agents)},
                          {"devices", json_of(asked.parallel.devices)},
                          {"strategy", asked.parallel.strategy},
                          {"hidden_sizes", asked.hidden_sizes.file},
                          {"timeout", json_of(asked.timeout.seconds)},
                          {"park_hours", asked.parking.most_hours},
                          {"park_retry_seconds", asked.parking.first_seconds},
                          {"begun", unfinished.begun},
                          {"experiments", unfinished.experiments}};
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
      is_cache_folder_own() && std::filesystem::is_regular_file(witness_of(file), missing) &&
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
    return UnfinishedDrive{
        .tag = json.at("tag").get<std::string>(),
        .asked = {.drive = {.agent = json.at("agent").get<std::string>(),
                            .budget = {.max_runs = optional_in<int>(json, "max_runs"),
                                       .hours = optional_in<double>(json, "hours"),
                                       .no_progress = optional_in<int>(json, "no_progress")},
                            .agent_seconds = json.at("agent_seconds").get<double>(),
                            .simpler = json.at("simpler").get<bool>()},
                  .parallel = {.agents = optional_in<int>(json, "agents"),
                               .devices = optional_in<std::string>(json, "devices"),
                               .strategy = json.at("strategy").get<std::string>()},
                  .hidden_sizes = {.file = json.at("hidden_sizes").get<std::string>()},
                  .timeout = {.seconds = optional_in<double>(json, "timeout")},
                  .parking = {.most_hours = json.at("park_hours").get<double>(),
                              .first_seconds = json.at("park_retry_seconds").get<double>()}},
        .begun = json.at("begun").get<double>(),
        .experiments = json.at("experiments").get<int>()};
  } catch (const DriveJson::exception& error) {
    throw Error(Stop::usage,
                fmt::format("cannot resume: {} makes no sense ({}); remove it, and start 'loop "
                            "run' with its options",
                            file.string(), visible_line(error.what())));
  }
}

ledger::Budget rest_of(const UnfinishedDrive& unfinished, double now, int experiments) {
  ledger::Budget rest = unfinished.asked.drive.budget;
  if (rest.max_runs)
    *rest.max_runs = std::max(0, *rest.max_runs - (experiments - unfinished.experiments));
  if (rest.hours)
    *rest.hours = std::max(0.0, *rest.hours - std::max(0.0, now - unfinished.begun) / kDriveHour);
  return rest;
}

}  // namespace autokernel::cli
