// Options that several commands take, declared in the same words. A text is a std::string with its
// default in it, or an optional one.
#pragma once

#include <optional>
#include <string>

#include "cli/options.h"

namespace autokernel::cli {

// What the help of --case and of --device ends with: what holds without the option.
inline constexpr const char* kCaseHere = " (default: ./kernels, or . if it has a case.toml)";
inline constexpr const char* kAnyDevice = " [auto]";

template <typename Text>
void add_case(Options options, Text& folder, const std::string& afterwards = kCaseHere);
template <typename Text>
void add_device(Options options, Text& device, const std::string& afterwards = kAnyDevice);
template <typename Text>
void add_architecture(Options options, Text& architecture);
template <typename Text>
void add_size(Options options, Text& size);

// `counts`: "that is kept", what happens to a gain of at least that size.
void add_min_gain(Options options, std::optional<double>& percent, const std::string& counts);

// When a run is over. `usual`: what --no-progress is where it is not given.
void add_budget(Options options, std::optional<int>& max_runs, std::optional<double>& hours,
                std::optional<int>& no_progress, const std::string& usual = "");

// Whether the text ends with what took how long.
Option add_timings(Options options, bool& timings);

// Whether runners that were got ready before are left alone, and none is got ready.
void add_no_resident(Options options, bool& no_resident);

// Of --allow.
inline constexpr const char* kAllowHelp = "Run Python that the record names, confined";

// How many processes measure again, each with new inputs; `processes` holds the default.
void add_processes(Options options, int& processes);

}  // namespace autokernel::cli
