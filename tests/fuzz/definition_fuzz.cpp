// Any bytes are a definition, a workload, a solution and a task: taken, or refused in words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/bridge/definition.h"
#include "autokernel/bridge/solution.h"
#include "autokernel/cases/case.h"

namespace {

constexpr const char* kDefinition = R"({"name": "d", "axes": {"n": {"type": "var"}},
  "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
  "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x): return x"})";
constexpr const char* kWorkload =
    R"({"uuid": "u", "axes": {"n": 8}, "inputs": {"x": {"type": "random"}}})";

// A case that is made can be read, or its sizes are too large for one.
void import(const std::string& definition, const std::string& workloads) {
  try {
    const auto problems = autokernel::bridge::import_definition(
        {.definition_file = "definition.json",
         .definition = definition,
         .workloads_file = "workload.jsonl",
         .workloads = workloads,
         .blob = [&](const std::string&) { return std::optional(workloads); }},
        std::nullopt);
    for (const auto& problem : problems)
      static_cast<void>(autokernel::cases::parse(problem.files.at("case.toml"), {}));
  } catch (const autokernel::Error& error) {
    if (error.stop() != autokernel::Stop::usage) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  import(text, kWorkload);
  import(kDefinition, text);
  try {
    const auto solution = autokernel::bridge::read_solution("solution.json", text);
    if (!solution.sources.contains(solution.entry_file)) std::abort();
  } catch (const autokernel::Error& error) {
    if (error.stop() != autokernel::Stop::usage) std::abort();
  }
  return 0;
}
