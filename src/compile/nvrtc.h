// NVRTC's functions, found in the library at run time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace autokernel::compile {

// A library that cannot be used; what() says why.
class BadLibrary : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Nvrtc {
 public:
  struct Header {
    std::string name;
    std::string text;
  };
  enum class Outcome : std::uint8_t { compiled, rejected, option_not_understood };
  struct Output {
    Outcome outcome = Outcome::rejected;
    std::string log;
    std::string ptx;  // where the compile got that far
    std::vector<std::byte> cubin;
  };

  // A path, or a bare name for the loader. Throws BadLibrary.
  explicit Nvrtc(const std::filesystem::path& library);
  Nvrtc(Nvrtc&&) noexcept;
  Nvrtc& operator=(Nvrtc&&) noexcept;
  ~Nvrtc();

  // Throws Error(environment) where NVRTC breaks, as opposed to the source.
  [[nodiscard]] Output compile(const std::string& source, const std::string& name,
                               const std::vector<Header>& headers,
                               const std::vector<std::string>& options) const;
  [[nodiscard]] std::pair<int, int> version() const;
  // The architectures it compiles for: 75, 80, 90, ...
  [[nodiscard]] std::vector<int> architectures() const;
  [[nodiscard]] const std::filesystem::path& library() const;  // the file that was opened

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

}  // namespace autokernel::compile
