// What `autokernel export` is to export: an experiment, or a kernel as it lies in a case.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/cases/case.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/trial/result.h"
#include "cli/command.h"

namespace autokernel::cli {

struct SourceOptions {
  std::optional<int> number;  // of an experiment
  std::string tag;            // its run; empty: the one on this branch
  std::optional<std::string> case_directory;
  std::optional<std::string> kernel_file;
};

struct ExportedSource {
  std::filesystem::path folder;  // of the case
  cases::Case problem;
  trial::Request request;  // at the default size, with the kernel's files in it
  std::string main;        // "kernel.cu"
  std::optional<ledger::Experiment> experiment;
};

// Throws Error(usage) for an experiment whose kernel was not right, and for a case of commands.
[[nodiscard]] ExportedSource exported_source(const SourceOptions& options, const Console& console);

}  // namespace autokernel::cli
