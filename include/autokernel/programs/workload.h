// What a known model asks of a GPU, without the model and without a GPU: the operations of one pass
// through it, with their sizes and costs, as a workload file states them (docs/workloads.md). The
// time that a device needs for them at least is workload_floor.h's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/driver/units.h"

namespace autokernel::programs {

// One operation that a pass runs `count` times with the same sizes. Costs are those of one run, by
// the formulas of its kind.
struct WorkloadOperation {
  std::string name;       // "attention_output", unique in the workload
  std::string kind;       // "linear": which formulas hold for it
  std::string operation;  // the case below kernels/ that is it, "gemm"; empty where there is none
  // By the size symbols of that case: {"M": 2048, "N": 4096, ...}. Where there is none, by those of
  // the kind.
  std::map<std::string, std::int64_t> sizes;
  std::string dtype;                       // of its elements, as case.toml spells it: "bf16"
  driver::Unit unit = driver::Unit::fp32;  // the fastest that can do its arithmetic
  std::int64_t count = 1;
  double flops = 0;          // a multiply-add is two
  double bytes_read = 0;     // each input once
  double bytes_written = 0;  // each output once
  double parameters = 0;     // weights that it holds, in elements; 0 where it shares another's

  [[nodiscard]] double bytes() const { return bytes_read + bytes_written; }
};

struct Workload {
  std::string model;                   // "llama-7b", the file's name without its ending
  std::string scenario;                // "decode"
  std::vector<std::string> scenarios;  // all that the file has
  std::string summary;                 // one line about the model
  std::vector<std::string> sources;    // of the numbers of its architecture
  std::int64_t batch = 1;              // sequences at once
  std::int64_t sequence = 1;  // tokens of each: those of a prompt, or those that a step of decoding
                              // sees, its own among them
  std::vector<WorkloadOperation> operations;  // in the file's order
};

// Sums over all runs of all operations.
struct WorkloadTotal {
  double flops = 0;
  double bytes = 0;
  double parameters = 0;
};
[[nodiscard]] WorkloadTotal total_of(const Workload& workload);

// What the user said; the file says the rest.
struct WorkloadChoice {
  std::optional<std::string> scenario = {};
  std::optional<std::int64_t> batch = {};     // 1 to 2^20
  std::optional<std::int64_t> sequence = {};  // 1 to 2^24
};

// From the text of a workload file; `file` names the model and stands in messages. Throws
// Error(usage): "FILE:LINE:COLUMN: what was found; what is allowed" for a mistake in the file, at
// whichever of its scenarios, and without a place for a choice that it cannot be given.
[[nodiscard]] Workload parse_workload(const std::string& text, const std::filesystem::path& file,
                                      const WorkloadChoice& choice = {});

// Folders that may hold workload files: `here`/workloads, then those beside the running program, as
// installed (../share/autokernel/workloads) and as in a build tree (../workloads). Each exists.
[[nodiscard]] std::vector<std::filesystem::path> workload_folders(
    const std::filesystem::path& here);

struct ListedWorkload {
  std::string model;
  std::filesystem::path file;
};
// The workload files right in these folders, by name. Of two for one model, the one in the earlier
// folder. No file is opened.
[[nodiscard]] std::vector<ListedWorkload> list_workloads(
    const std::vector<std::filesystem::path>& folders);

// `named` is a model of list_workloads(), or the path of a file: with a slash, or ending in .toml.
// Throws Error(usage) as parse_workload() does, and for a name that is not listed: it says which
// are, and which was probably meant.
[[nodiscard]] Workload read_workload(const std::string& named, const WorkloadChoice& choice,
                                     const std::vector<std::filesystem::path>& folders);

}  // namespace autokernel::programs
