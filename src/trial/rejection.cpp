#include "trial/rejection.h"

#include <fmt/format.h>

namespace autokernel::trial {
namespace {

constexpr int kReasonLines = 3;

}  // namespace

std::string first_lines(const std::string& text, int lines) {
  std::size_t end = 0;
  for (int line = 0; line < lines && end != std::string::npos; ++line) {
    end = text.find('\n', line == 0 ? 0 : end + 1);
  }
  return text.substr(0, end);
}

Rejection rejection(const driver::Fault& fault, const std::string& what) {
  const std::string code = fmt::format("({}, {})", fault.name, fault.code);
  const std::string brief = first_lines(fault.text, kReasonLines);
  switch (fault.occasion) {
    case driver::Occasion::load:
      return {Verdict::does_not_compile,
              fmt::format("the device does not take the code: {} {}", brief, code), fault.text};
    case driver::Occasion::launch:
      return {
          Verdict::crashed,
          fmt::format("the device refuses {}: {} {}; change AUTOKERNEL_LAUNCH", what, brief, code),
          fault.text};
    case driver::Occasion::run:
      return {Verdict::crashed, fmt::format("{}: {} {}", what, brief, code), fault.text};
  }
  return {};
}

}  // namespace autokernel::trial
