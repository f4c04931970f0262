// Options that several commands take, declared in the same words.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace autokernel::cli {

// What the help of --case and of --device ends with: what holds without the option.
inline constexpr const char* kCaseHere = " (default: ./kernels, or . if it holds a case.toml)";
inline constexpr const char* kAnyDevice = " [auto]";

// `afterwards` follows the description.
template <typename Text>  // std::string, or an optional one
void add_case(CLI::App& app, Text& folder, const char* afterwards = kCaseHere) {
  app.add_option("--case", folder, std::string("Folder with case.toml") + afterwards)
      ->type_name("DIR");
}

template <typename Text>
void add_device(CLI::App& app, Text& device, const char* afterwards = kAnyDevice) {
  app.add_option("--device", device,
                 std::string("auto (a GPU if there is one, else the emulated device), cuda, cuda:N "
                             "or cpu (emulated)") +
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

// `counts`: "that counts", what becomes of a gain that is at least so large.
inline void add_min_gain(CLI::App& app, std::optional<double>& percent, const char* counts) {
  app.add_option("--min-gain", percent,
                 std::string("Least gain ") + counts + ", in percent of the time [0.5; emulated 2]")
      ->type_name("PERCENT");
}

// When a run is over. `usual` is what --no-progress is where it is not given.
inline void add_budget(CLI::App& app, std::optional<int>& max_runs, std::optional<double>& hours,
                       std::optional<int>& no_progress, const char* usual = "") {
  app.add_option("--max-runs", max_runs, "At most so many experiments")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--hours", hours, "At most so many hours from now")
      ->type_name("H")
      ->check(CLI::PositiveNumber);
  app.add_option("--no-progress", no_progress,
                 std::string("Stop after so many experiments in a row without a gain") + usual)
      ->type_name("K")
      ->check(CLI::PositiveNumber);
}

}  // namespace autokernel::cli
