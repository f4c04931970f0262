// Which playbook a case is for.
#include <array>
#include <vector>

#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

// Each at the place of its enumerator.
constexpr std::array kSpellings = {"compute", "memory", "reduction", "attention", "scan"};
static_assert(kSpellings.size() == static_cast<std::size_t>(kLastPlaybook) + 1);

// Operations per byte where arithmetic begins to matter. A GPU's fp32 units keep up with its memory
// to 20 (H100: 67 TFLOP/s, 3.35 TB/s), its tensor cores to 295 in bf16 (989 TFLOP/s).
constexpr double kComputeBound = 50;

}  // namespace

const char* spelling(Playbook playbook) {
  return kSpellings.at(static_cast<std::size_t>(playbook));
}

Playbook read_playbook(Section& root, const Case& problem) {
  if (!root.has("playbook")) {
    const bool is_compute = intensity_at(problem, "default") >= kComputeBound;
    return is_compute ? Playbook::compute : Playbook::memory;
  }
  const std::vector<std::string> words(kSpellings.begin(), kSpellings.end());
  const std::string word = root.word("playbook", words);
  for (std::size_t i = 0; i < kSpellings.size(); ++i) {
    if (word == kSpellings.at(i)) return static_cast<Playbook>(i);
  }
  return Playbook::memory;  // word() gives none but these
}

}  // namespace autokernel::cases
