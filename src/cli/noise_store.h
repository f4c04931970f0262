// What `autokernel noise` has found out about this machine, kept until it is measured again: one
// small file for each device, driver, case and size.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/trial/noise.h"

namespace autokernel::cli {

struct StoredNoise {
  std::string device;
  std::string driver_version;
  std::string case_directory;  // from the root of its repository, or absolute where it is in none
  std::string size;
  std::string at;  // "2026-01-31T12:34:56Z"
  trial::NoiseFigures figures;
  friend bool operator==(const StoredNoise&, const StoredNoise&) = default;
};

// How a case is called in a file.
[[nodiscard]] std::string stored_case(const std::filesystem::path& case_directory);

// Into .autokernel/noise of the repository that holds the case, or where there is none into the
// user's cache folder; in place of an earlier one of the same. Gives the file. Throws
// Error(environment).
std::filesystem::path store_noise(const std::filesystem::path& case_directory,
                                  const StoredNoise& noise);

// All that is known of a case with a size, one for each device. A file that is damaged, of another
// version of this program or older than a month is left out, and `ignored` says so, a line each.
struct KnownNoise {
  std::vector<StoredNoise> devices;
  std::vector<std::string> ignored;
};
[[nodiscard]] KnownNoise known_noise(const std::filesystem::path& case_directory,
                                     const std::string& size);

// That of one device; null where it was never measured, or with another driver.
[[nodiscard]] const StoredNoise* noise_on(const KnownNoise& known, const std::string& device,
                                          const std::string& driver_version);

// For a request's `noise`.
[[nodiscard]] std::vector<trial::DeviceNoise> device_noise(const KnownNoise& known);

// "5.1 % detectable in 1 s, 2.3 % in 5 s, 2.3 % in 30 s".
[[nodiscard]] std::string reach_text(const trial::NoiseFigures& figures);

}  // namespace autokernel::cli
