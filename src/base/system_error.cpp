#include "autokernel/base/system_error.h"

#include <array>
#include <cerrno>
#include <system_error>

namespace autokernel {
namespace {

struct Remedy {
  int number;
  const char* words;
};

constexpr std::array<Remedy, 4> kRemedies = {
    {{ENOSPC, "; free some space on that disk and run the command again"},
     {EDQUOT, "; free some of your quota on that disk and run the command again"},
     {EIO, "; that disk is failing, see the system's log; replace it and run the command again"},
     {EROFS, "; that disk is mounted read-only: remount it and run the command again"}}};

[[nodiscard]] std::string text_of(int number) { return std::generic_category().message(number); }

}  // namespace

std::string disk_remedy(int number) {
  for (const Remedy& remedy : kRemedies) {
    if (remedy.number == number) return remedy.words;
  }
  return {};
}

std::string disk_remedy_in(const std::string& text) {
  for (const Remedy& remedy : kRemedies) {
    if (text.find(text_of(remedy.number)) != std::string::npos) return remedy.words;
  }
  return {};
}

Error system_failure(Stop stop, const std::string& attempt, const char* call) {
  return system_failure(stop, attempt, call, errno);
}

Error system_failure(Stop stop, const std::string& attempt, const char* call, int number) {
  return {stop, attempt + ": " + text_of(number) + disk_remedy(number) + " [" + call + "]"};
}

}  // namespace autokernel
