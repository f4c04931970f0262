// gnuplot draws the plots; nothing else needs it.
#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {

Lines check_gnuplot(const Facts& facts) {
  if (!facts.host.answer) return {};
  const std::string& path = facts.host.answer->gnuplot;
  if (!path.empty()) return {{"gnuplot", Standing::ok, path}};
  return {{"gnuplot", Standing::missing, "not on the PATH; only plots need it",
           "sudo apt-get install gnuplot-nox"}};
}

}  // namespace autokernel::cli::doctor
