#include "cli/shared_options.h"

#include <CLI/CLI.hpp>

namespace autokernel::cli {

template <typename Text>
void add_case(CLI::App& app, Text& folder, const std::string& afterwards) {
  app.add_option("--case", folder, "Folder with case.toml" + afterwards)->type_name("DIR");
}

template <typename Text>
void add_device(CLI::App& app, Text& device, const std::string& afterwards) {
  app.add_option("--device", device,
                 "auto (a GPU if there is one, else the emulated device), cuda, cuda:N or cpu "
                 "(emulated)" +
                     afterwards)
      ->type_name("DEVICE");
}

template <typename Text>
void add_architecture(CLI::App& app, Text& architecture) {
  app.add_option("--arch", architecture, "Compile for this architecture (default: the device's)")
      ->type_name("sm_XX");
}

template <typename Text>
void add_size(CLI::App& app, Text& size) {
  app.add_option("--size", size, "Size of the problem, by its name in case.toml [default]")
      ->type_name("NAME");
}

void add_min_gain(CLI::App& app, std::optional<double>& percent, const std::string& counts) {
  app.add_option("--min-gain", percent,
                 "Least gain " + counts + ", in percent of the time [0.5; emulated 2]")
      ->type_name("PERCENT");
}

void add_budget(CLI::App& app, std::optional<int>& max_runs, std::optional<double>& hours,
                std::optional<int>& no_progress, const std::string& usual) {
  app.add_option("--max-runs", max_runs, "At most so many experiments")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--hours", hours, "At most so many hours from now")
      ->type_name("H")
      ->check(CLI::PositiveNumber);
  app.add_option("--no-progress", no_progress,
                 "Stop after so many experiments in a row without a gain" + usual)
      ->type_name("K")
      ->check(CLI::PositiveNumber);
}

template void add_case(CLI::App&, std::optional<std::string>&, const std::string&);
template void add_device(CLI::App&, std::string&, const std::string&);
template void add_device(CLI::App&, std::optional<std::string>&, const std::string&);
template void add_architecture(CLI::App&, std::string&);
template void add_architecture(CLI::App&, std::optional<std::string>&);
template void add_size(CLI::App&, std::string&);
template void add_size(CLI::App&, std::optional<std::string>&);

}  // namespace autokernel::cli
