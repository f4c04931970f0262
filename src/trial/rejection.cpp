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

Rejection rejection(const driver::Fault& fault, const std::string& launches,
                    const std::string& occasion) {
  const std::string brief = fmt::format("{} ({}, {}) [{}]", first_lines(fault.text, kReasonLines),
                                        fault.name, fault.code, fault.call);
  switch (fault.occasion) {
    case driver::Occasion::load:
      return {Verdict::does_not_compile, "the device does not take the code: " + brief, fault.text};
    case driver::Occasion::launch:
      return {Verdict::crashed,
              fmt::format("the device refuses the launch of {}: {}; change AUTOKERNEL_LAUNCH",
                          launches, brief),
              fault.text};
    case driver::Occasion::run:
      return {Verdict::crashed, fmt::format("{}: {}", occasion, brief),
              fmt::format("{}\nin the launch of {}, {}", fault.text, launches, occasion)};
  }
  return {};
}

}  // namespace autokernel::trial
