#include "cli/shared_options.h"

namespace autokernel::cli {

template <typename Text>
void add_case(Options options, Text& folder, const std::string& afterwards) {
  options.add_option("--case", folder, "Folder with case.toml" + afterwards).type_name("DIR");
}

template <typename Text>
void add_device(Options options, Text& device, const std::string& afterwards) {
  options
      .add_option("--device", device,
                  "auto (a GPU if there is one, else emulated), cuda, cuda:N, cpu (emulated), "
                  "ssh://HOST/DEVICE, slurm:PARTITION/DEVICE, or judge/DEVICE" +
                      afterwards)
      .type_name("DEVICE");
}

template <typename Text>
void add_architecture(Options options, Text& architecture) {
  options
      .add_option("--arch", architecture, "Compile for this architecture (default: the device's)")
      .type_name("sm_XX");
}

template <typename Text>
void add_size(Options options, Text& size) {
  options.add_option("--size", size, "Problem size, by its name in case.toml [default]")
      .type_name("NAME");
}

void add_min_gain(Options options, std::optional<double>& percent, const std::string& counts) {
  options
      .add_option("--min-gain", percent,
                  "Minimum gain " + counts + ", in percent [0.5; emulated 2]")
      .type_name("PERCENT");
}

void add_budget(Options options, std::optional<int>& max_runs, std::optional<double>& hours,
                std::optional<int>& no_progress, const std::string& usual) {
  options.add_option("--max-runs", max_runs, "At most N experiments").type_name("N").positive();
  options.add_option("--hours", hours, "At most H hours from now").type_name("H").positive();
  options
      .add_option("--no-progress", no_progress,
                  "Stop after K experiments in a row without a gain" + usual)
      .type_name("K")
      .positive();
}

void add_processes(Options options, int& processes) {
  // Of one process alone nothing can be said about how far processes differ.
  constexpr int kFewest = 2;
  constexpr int kMost = 100;
  options.add_option("--processes", processes, "Number of fresh processes to measure in")
      .type_name("N")
      .within(kFewest, kMost)
      .tells_default();
}

template void add_case(Options, std::optional<std::string>&, const std::string&);
template void add_device(Options, std::string&, const std::string&);
template void add_device(Options, std::optional<std::string>&, const std::string&);
template void add_architecture(Options, std::string&);
template void add_architecture(Options, std::optional<std::string>&);
template void add_size(Options, std::string&);
template void add_size(Options, std::optional<std::string>&);

Option add_timings(Options options, bool& timings) {
  return options.add_flag("--timings", timings,
                          "Say what took how long, at the end; with --json it is always there");
}

void add_no_resident(Options options, bool& no_resident) {
  options.add_flag("--no-resident", no_resident,
                   "Neither use nor leave behind a process that has the next trial ready");
}

}  // namespace autokernel::cli
