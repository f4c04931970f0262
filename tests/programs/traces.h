// Traces and reports to import, and what importing them says.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "autokernel/base/error.h"
#include "programs/profile/chrome_trace_import.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {

inline std::filesystem::path trace_file(const std::string& name) {
  return std::filesystem::path(AUTOKERNEL_SOURCES) / "tests/data/traces" / name;
}
inline std::string trace_text(const std::string& name) { return test::contents(trace_file(name)); }

// In pieces so short that everything lies across the ends of some.
inline Profile profile_of(std::string_view json, std::size_t at_once = 7) {
  return chrome_trace_profile(pieces_of(json, at_once), "cannot import it");
}

// A trace of these events.
inline std::string trace_of(const std::string& events) {
  return R"({"traceEvents": [)" + events + "]}";
}

inline auto refuses_with(const std::string& what) {
  using testing::AllOf;
  using testing::HasSubstr;
  using testing::Not;
  using testing::Property;
  return testing::Throws<Error>(
      AllOf(Property(&Error::stop, Stop::usage),
            Property(&Error::what,
                     AllOf(HasSubstr("cannot import "), HasSubstr(what), Not(HasSubstr("\n"))))));
}

}  // namespace autokernel::programs
