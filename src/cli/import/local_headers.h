// The headers of a source of CUDA C++ that lie beside it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace autokernel::cli {

// The headers beside a source that it includes, and those that they include.
class LocalHeaders {
 public:
  LocalHeaders(const std::filesystem::path& source, const std::vector<std::string>& folders);

  void add_those_of(const std::string& text);
  [[nodiscard]] const std::map<std::string, std::string>& all() const { return headers_; }

 private:
  void add(const std::string& name);

  std::vector<std::filesystem::path> folders_;
  std::map<std::string, std::string> headers_;  // by the name that includes them
};

}  // namespace autokernel::cli
