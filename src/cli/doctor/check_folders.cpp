// Where autokernel writes: room, and the right to.
#include <fmt/format.h>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {
namespace {

// Logs are 20 of 2 MiB at most, and a cache of compiled kernels has to fit beside them.
constexpr std::uint64_t kLeastFree = 256ULL << 20U;

[[nodiscard]] Line line_for(const std::string& name, const Folder& folder, Need need,
                            const std::string& elsewhere) {
  if (!folder.trouble.empty()) {
    return {name, Standing::wrong, folder.path + ": " + folder.trouble, elsewhere, need};
  }
  if (!folder.free_bytes) return {name, Standing::ok, folder.path, {}, need};
  const std::string found = fmt::format("{}, {:.1f} GiB free", folder.path,
                                        static_cast<double>(*folder.free_bytes) / kGiB);
  if (*folder.free_bytes >= kLeastFree) return {name, Standing::ok, found, {}, need};
  // A bench may still fit.
  return {name, Standing::wrong, found + "; too little",
          fmt::format("df -h {}  (and make room; or {})", folder.path, elsewhere), Need::useful};
}

}  // namespace

Lines check_folders(const Facts& facts) {
  if (!facts.host.answer) {
    return {{"folders", Standing::wrong, facts.host.trouble,
             "df  (it hangs, too, if a file system does not answer)", Need::required}};
  }
  const HostFacts& here = *facts.host.answer;
  return {
      line_for("temporary files", here.temporary, Need::required,
               "export TMPDIR=DIR  (a writable folder)"),
      line_for("cache", here.cache, Need::useful, "export XDG_CACHE_HOME=DIR  (a writable folder)"),
      line_for("logs", here.logs, Need::useful,
               "chmod u+w " + here.logs.path +
                   "  (without a log, only the first lines of a failed compile are kept)")};
}

}  // namespace autokernel::cli::doctor
