// The format, one JSON object a file:
//
//   {"schema_version":1,"device":"...","driver_version":"...","case":"...","size":"...","at":"...",
//    "pairs":1,"pair_seconds":0.1,"pair_noise":0.1,"mean_noise":0.1,"drift":0.1,"min_gain":0.02,
//    "reach":[{"seconds":1,"gain":null}, two more],"longest":{"seconds":20,"gain":0.1},
//    "decisions":3000,"false_keeps":0}
//
// A gain is null where there is no time to tell any. docs/noise.md tells readers.
#include "cli/noise_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <system_error>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/repo/repository.h"
#include "cli/folders.h"
#include "cli/noise_fields.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;
using document::Json;
using trial::NoiseFigures;

// Raised when a field changes its meaning or goes.
constexpr int kStoreSchemaVersion = 1;
constexpr std::uint64_t kLargestStored = 64ULL << 10U;
// A month later a machine has other neighbours, and often another driver.
constexpr double kOldestSeconds = 30.0 * 24 * 3600;
constexpr std::size_t kDigits = 16;

[[nodiscard]] fs::path folder_of(const fs::path& case_directory) {
  if (const auto repository = repository_of(case_directory)) {
    return *repository / ".autokernel" / "noise";
  }
  return cache_folder() / "noise";
}

[[nodiscard]] fs::path file_name(const StoredNoise& noise) {
  const std::string identity =
      noise.device + '\n' + noise.driver_version + '\n' + noise.case_directory + '\n' + noise.size;
  return repo::hash_of_bytes(identity).substr(0, kDigits) + ".json";
}

// What we keep in a repository is invisible to git from the first moment on.
void make_folder(const fs::path& folder) {
  std::error_code failed;
  const fs::path parent = folder.parent_path();
  if (parent.filename() == ".autokernel") {
    make_folders_below(parent.parent_path(), parent.filename() / folder.filename());
  } else {
    make_folders(folder);
  }
  if (parent.filename() == ".autokernel" && !fs::exists(parent / ".gitignore", failed)) {
    write_file_atomically(parent / ".gitignore", "*\n");
  }
}

[[nodiscard]] std::string text_of(const StoredNoise& noise) {
  Json object = {{"schema_version", kStoreSchemaVersion}};
  document::ExactWriter::add_fields(object, noise);
  document::ExactWriter::add_fields(object, noise.figures);
  return document::line(object);
}

// Throws Unreadable, what nlohmann-json throws, and Error for what is no such file.
[[nodiscard]] StoredNoise noise_in(const std::string& text) {
  // A file that was cut has no end, or it is no object.
  if (!text.ends_with("}\n")) throw Error(Stop::internal, "it is truncated");
  const Json object = document::parsed(text).value_or(Json());
  if (object.at("schema_version") != kStoreSchemaVersion) {
    throw Error(Stop::internal, "another version of this program wrote it");
  }
  StoredNoise noise;
  document::ExactReader::read(object, noise);
  document::ExactReader::read(object, noise.figures);
  if (noise.figures.pairs < trial::kFewestRecordedPairs)
    throw Error(Stop::internal, "it has too few pairs");
  constexpr double kLargestFigure = 1e9;  // more pairs or seconds than anybody measures
  const auto is_wrong = [](const Json& value) {
    return value.is_number() && (value < 0 || value > kLargestFigure);
  };
  if (std::ranges::any_of(document::ExactWriter::json(noise.figures).flatten(), is_wrong))
    throw Error(Stop::internal, "it has an invalid number");
  return noise;
}

[[nodiscard]] bool is_old(const std::string& at) {
  std::tm parts{};
  if (::strptime(at.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return true;
  const double age = std::difftime(std::time(nullptr), ::timegm(&parts));
  return age > kOldestSeconds || age < -kOldestSeconds;  // the clock was wrong then, or is now
}

}  // namespace

std::string stored_case(const fs::path& case_directory) {
  std::error_code unreadable;
  const fs::path directory = fs::weakly_canonical(case_directory, unreadable);
  const auto repository = repository_of(directory);
  return repository ? directory.lexically_relative(*repository).string() : directory.string();
}

fs::path store_noise(const fs::path& case_directory, const StoredNoise& noise) {
  const fs::path folder = folder_of(case_directory);
  make_folder(folder);
  fs::path file = folder / file_name(noise);
  write_file_atomically(file, text_of(noise));
  return file;
}

KnownNoise known_noise(const fs::path& case_directory, const std::string& size) {
  const std::string name = stored_case(case_directory);
  KnownNoise known;
  std::error_code unreadable;
  for (fs::directory_iterator entry(folder_of(case_directory), unreadable), end;
       !unreadable && entry != end; entry.increment(unreadable)) {
    const fs::path& file = entry->path();
    if (file.extension() != ".json") continue;
    const auto ignore = [&](const std::string& why) {
      known.ignored.push_back(
          fmt::format("{} is ignored: {}; 'autokernel noise' measures again", file.string(), why));
    };
    try {
      StoredNoise noise = noise_in(read_file(file, "the noise of this machine", kLargestStored));
      if (noise.case_directory != name || noise.size != size) continue;
      if (is_old(noise.at)) {
        ignore("it was measured more than a month ago");
        continue;
      }
      known.devices.push_back(std::move(noise));
    } catch (const Json::exception&) {
      ignore("it is damaged");
    } catch (const document::Unreadable&) {
      ignore("it is damaged");
    } catch (const Error& error) {
      ignore(error.what());
    }
  }
  std::ranges::sort(known.ignored);
  return known;
}

const StoredNoise* noise_on(const KnownNoise& known, const std::string& device,
                            const std::string& driver_version) {
  const auto found = std::ranges::find_if(known.devices, [&](const StoredNoise& noise) {
    return noise.device == device && noise.driver_version == driver_version;
  });
  return found == known.devices.end() ? nullptr : &*found;
}

std::vector<trial::DeviceNoise> device_noise(const KnownNoise& known) {
  std::vector<trial::DeviceNoise> noise;
  noise.reserve(known.devices.size());
  for (const StoredNoise& one : known.devices) {
    noise.push_back(trial::device_noise(one.figures, one.device, one.driver_version));
  }
  return noise;
}

std::string reach_text(const NoiseFigures& figures) {
  std::string text;
  for (const auto& [seconds, gain] : figures.reach) {
    if (!gain) continue;
    text += fmt::format("{}{:.1f} %{} in {:g} s", text.empty() ? "" : ", ", 100 * *gain,
                        text.empty() ? " detectable" : "", seconds);
  }
  return text;
}

}  // namespace autokernel::cli
