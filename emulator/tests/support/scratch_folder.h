// A folder of its own for each test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace emulator::testing {

// A new, empty folder. It goes with its owner, unless the test has failed: then it stays, and its
// path is printed.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder(ScratchFolder&&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes a file below the folder, with the folders it needs, and returns its path.
  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests only want the file to be there
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;
  // Makes a folder below it and returns its path.
  [[nodiscard]] std::filesystem::path folder(const std::filesystem::path& name) const;

 private:
  std::filesystem::path path_;
};

// The bytes of a file, which must exist.
[[nodiscard]] std::string contents(const std::filesystem::path& file);

}  // namespace emulator::testing
