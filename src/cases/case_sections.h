// The parts of case.toml that parse.cpp puts together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/cases/section.h"

namespace autokernel::cases {

// [sizes.default], [sizes.check] and any others, all of the same symbols: numbers and types.
struct AllSizes {
  std::map<std::string, Sizes> sizes;
  std::map<std::string, Types> types;  // empty where no symbol is a type
};
[[nodiscard]] AllSizes read_sizes(Section& root);
// runtime_sizes, which may be missing: symbols of these sizes.
[[nodiscard]] std::vector<std::string> read_runtime_sizes(
    Section& root, const std::map<std::string, Sizes>& sizes);
// Every [[tensor]], with extents that make sense at each of the sizes, then every [[scalar]].
[[nodiscard]] std::vector<Tensor> read_tensors(Section& root, const AllSizes& all);
// [reference]. The files that it names must be among `files`; null: they are not looked for.
[[nodiscard]] Reference read_reference(Section& root, const Case& problem, const CaseFiles* files);
// baselines, which may be missing: files as those of the reference.
[[nodiscard]] std::vector<BaselineProgram> read_baselines(Section& root, const Case& problem,
                                                          const CaseFiles* files);
// The keys of [check] that say how near to right a result must be. Needs the reference, which
// decides what is possible and whose tensors are the default.
struct Correctness {
  Exactness exactness;
  Tolerance tolerance;
  std::map<DType, Tolerance> tolerances = {};
};
[[nodiscard]] Correctness read_correctness(Section& check, const Case& problem);

// [score] and [guard], which may be missing; they name sizes of the case.
[[nodiscard]] Goal read_goal(Section& root, const Case& problem);
// kernel, which may be missing: the main file.
[[nodiscard]] std::string read_kernel_name(Section& root);
// [compile], which may be missing. Needs the kernel's name.
[[nodiscard]] CompilePlan read_compile_plan(Section& root, const Case& problem,
                                            const CaseFiles* files);
// playbook, which may be missing: then it follows from the cost at the default size, which must be
// known.
[[nodiscard]] Playbook read_playbook(Section& root, const Case& problem);
// editable_files, which may be missing. Needs the reference and the compile plan, whose files it
// cannot name.
[[nodiscard]] EditableFiles read_editable_files(Section& root, const Case& problem);

// From a hundredth of a second to a week.
inline constexpr NumberRange kDeadlines = {.low = 0.01, .high = 604'800};

// Calls `read` for each table [[key]], whose keys it must all take; at most so many. The tables may
// be missing.
void read_tables(Section& root, const std::string& key, std::size_t most,
                 const std::function<void(Section& table)>& read);

// [command], [metric], [[guard]] and [limits], and editable: what such a case has in place of all
// the above but name and problem.
void read_command(Section& root, Case& problem);
// A line for the shell, or several, each of which must succeed.
[[nodiscard]] std::string read_lines(Section& section, const std::string& key);
// The same, and one at least.
[[nodiscard]] std::string required_lines(Section& section, const std::string& key);
// [server], [load] and [[suite]]. Needs what is editable.
void read_server(Section& root, const Case& problem, ServerPlan& server);
// The metric, in `section`, must be one that a load gives and that a server cannot prepare for.
void require_metric_of_load(const Section& section, const Metric& metric, const ServerPlan& server);
// Whoever holds back the first token has a better rate of the others: a metric of these needs a
// guard.
void require_guard_of_latency(const Section& root, const CommandPlan& plan);
// All files below its folder that are neither editable nor ignored, by path. Links, folders that
// begin with '.', and repositories within it are passed over. Throws Error(usage) where there is
// too much.
void read_files_of_command(const Case& problem, const CommandPlan& plan,
                           std::map<std::string, std::string>& bytes);

// Whether it is within the folder of the case, other than the kernel, and ends like one of these.
[[nodiscard]] bool is_file_beside(const std::filesystem::path& file, const Case& problem,
                                  const std::vector<std::string>& endings);
// What that file holds; empty where `files` is null. Throws where it is not among them: "KEY VERB
// "reference.cu", which is not a file in ...".
[[nodiscard]] std::string source_of(const Section& section, const std::string& key,
                                    const std::filesystem::path& file, const CaseFiles* files,
                                    const char* verb = "is");
// The files of the reference and of baselines.
struct NamedFile {
  std::filesystem::path file;
  const char* role;  // "the reference", for messages
};
[[nodiscard]] std::vector<NamedFile> named_files(const Case& problem);

// "sin", "max": words that formulas, and C++ most of the time, have another use for.
[[nodiscard]] bool is_function(const std::string& name);

// Runs `compute` and puts the place of `key` in front of what an Error(usage) in it says.
void placed(const Section& section, const std::string& key, const std::function<void()>& compute);

// The tensor that `key` names, which must have this role.
[[nodiscard]] const Tensor& named_tensor(Section& section, const std::string& key,
                                         const Case& problem, Role role);
// left x right = output: throws, naming `section`, where the shapes do not fit at some size or the
// types are not those a matrix product can have.
void require_product(const Section& section, const Case& problem, const Tensor& left,
                     const Tensor& right, const Tensor& output);

// Throws, naming `section`, where tensors other than `output` are written: they would be compared
// with nothing.
void require_only_output(const Section& section, const Case& problem, const Tensor& output);

}  // namespace autokernel::cases
