#include "autokernel/programs/import.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/error.h"
#include "autokernel/base/system_error.h"
#include "programs/profile/chrome_trace_import.h"
#include "programs/profile/gzip.h"
#include "programs/profile/nsight_import.h"
#include "programs/profile/pieces.h"
#include "programs/profile/sqlite_file.h"

namespace autokernel::programs {
namespace {

constexpr const char* kWhatIsRead =
    "; give a trace of PyTorch's profiler, or a report of Nsight Systems exported by nsys export "
    "--type sqlite";

[[nodiscard]] std::shared_ptr<const Descriptor> opened(const std::filesystem::path& file,
                                                       const std::string& attempt) {
  // Without waiting, as the opening of a named pipe would until somebody writes to it.
  auto descriptor =
      std::make_shared<const Descriptor>(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor->is_open()) throw system_failure(Stop::usage, attempt, "open");
  struct stat status{};
  if (::fstat(descriptor->get(), &status) != 0) {
    throw system_failure(Stop::usage, attempt, "fstat");
  }
  if (S_ISDIR(status.st_mode)) throw Error(Stop::usage, attempt + ": it is a folder" + kWhatIsRead);
  if (!S_ISREG(status.st_mode)) {
    throw Error(Stop::usage, attempt + ": it is not a regular file" + kWhatIsRead);
  }
  if (status.st_size == 0) throw Error(Stop::usage, attempt + ": it is empty; record again");
  return descriptor;
}

[[nodiscard]] std::string beginning_of(const Pieces& pieces) { return std::string(pieces()); }

[[nodiscard]] bool is_json(std::string_view beginning) {
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  const std::size_t at = beginning.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (beginning[at] == '{' || beginning[at] == '[');
}

// What else people have, and what to do with it. Known by how it begins, or by the end of its name
// where it has no beginning of its own.
struct OtherFormat {
  std::string_view beginning;
  std::string_view extension;
  const char* what;
};

constexpr std::array<OtherFormat, 14> kOtherFormats = {{
    {"NVIDIA Tegra Profiler Report", ".nsys-rep",
     "it is a report of Nsight Systems; run nsys export --type sqlite on it first"},
    {"", ".qdrep", "it is a report of Nsight Systems; run nsys export --type sqlite on it first"},
    {"", ".qdstrm",
     "it is an unfinished report of Nsight Systems; run QdstrmImporter on it, and then nsys export "
     "--type sqlite"},
    {"NVR", "",
     "it is a report of Nsight Compute, which has no launches in time; record with nsys"},
    {"", ".ncu-rep",
     "it is a report of Nsight Compute, which has no launches in time; record with nsys"},
    {"PK\x03\x04", "", "it is a zip archive; unpack it first"},
    {"\x28\xb5\x2f\xfd", "", "it is compressed by zstd; expand it by unzstd first"},
    {"\xfd"
     "7zXZ",
     "", "it is compressed by xz; expand it by unxz first"},
    {"BZh", "", "it is compressed by bzip2; expand it by bunzip2 first"},
    {"<!DOCTYPE", "", "it is a page of a web site, not the file it was to be; download it again"},
    {"<!doctype", "", "it is a page of a web site, not the file it was to be; download it again"},
    {"<html", "", "it is a page of a web site, not the file it was to be; download it again"},
    {"version https://git-lfs", "",
     "it only says where Git LFS keeps the file; run git lfs pull first"},
    {"PAR1", "", "it is a Parquet file; run nsys export --type sqlite instead"},
}};

[[nodiscard]] Error unknown(const std::filesystem::path& file, std::string_view beginning,
                            const std::string& attempt) {
  const std::string extension = file.extension().string();
  for (const OtherFormat& format : kOtherFormats) {
    const bool begins = !format.beginning.empty() && beginning.starts_with(format.beginning);
    const bool ends = !format.extension.empty() && extension == format.extension;
    if (begins || ends) return {Stop::usage, fmt::format("{}: {}", attempt, format.what)};
  }
  return {Stop::usage, attempt + ": its format is unknown" + kWhatIsRead};
}

}  // namespace

Profile imported(const std::filesystem::path& file) {
  const std::string attempt = fmt::format("cannot import {}", file.string());
  const std::shared_ptr<const Descriptor> descriptor = opened(file, attempt);
  std::string beginning = beginning_of(pieces_of(descriptor, attempt));
  const bool is_compressed = is_gzip(beginning);
  const auto pieces = [&] {
    Pieces bytes = pieces_of(descriptor, attempt);
    return is_compressed ? expanded(std::move(bytes), attempt) : bytes;
  };
  if (is_compressed) beginning = beginning_of(pieces());
  Profile profile;
  if (is_json(beginning)) {
    profile = chrome_trace_profile(pieces(), attempt);
  } else if (!is_sqlite(beginning)) {
    throw unknown(file, beginning, attempt);
  } else if (is_compressed) {
    throw Error(Stop::usage, attempt + ": it is a compressed SQLite file; expand it by gunzip");
  } else {
    profile = nsight_profile(file, attempt);
  }
  profile.program = file.string();
  return profile;
}

}  // namespace autokernel::programs
