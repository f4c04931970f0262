#include "autokernel/programs/replaced_launches.h"

#include <bit>
#include <cstring>
#include <numeric>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMagic = 0x31594c4c41544b41;  // "AKTALLY1"
constexpr std::size_t kHeaderWords = 4;               // magic, process, count, changes of nodes
constexpr std::size_t kWordsOfWrong = 5;
// Outcomes, checked and wrong, the first wrong element, and the driver's error.
constexpr std::size_t kWords = kLaunchOutcomes + 2 + kWordsOfWrong + 1;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 20U;

// Words of eight bytes, as this machine has them.
[[nodiscard]] std::vector<std::uint64_t> words_of(const std::string& bytes) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

void add(ReplacedLaunches& launches, const std::uint64_t* word) {
  for (std::uint64_t& outcome : launches.outcomes) outcome += *word++;
  launches.checked += *word++;
  launches.wrong += *word++;
  const WrongElement wrong{.launch = word[0],
                           .tensor = word[1],
                           .element = word[2],
                           .got = std::bit_cast<double>(word[3]),
                           .expected = std::bit_cast<double>(word[4])};
  if (wrong.launch != 0 && !launches.first_wrong) launches.first_wrong = wrong;
  const std::uint64_t error = word[kWordsOfWrong];
  if (launches.driver_error == 0) launches.driver_error = error;
}

}  // namespace

const char* reason(LaunchOutcome outcome) {
  switch (outcome) {
    case LaunchOutcome::replaced:
    case LaunchOutcome::replaced_in_graph:
      return "replaced";
    case LaunchOutcome::other_code:
      return "of other code under the same name";
    case LaunchOutcome::other_shape:
      return "with another grid, block, cluster or shared memory";
    case LaunchOutcome::other_values:
      return "with other numbers";
    case LaunchOutcome::other_layout:
      return "with tensors that lie otherwise, or are smaller";
    case LaunchOutcome::other_alignment:
      return "with a tensor that is not aligned to 256 bytes";
    case LaunchOutcome::other_attributes:
      return "with launch attributes that ours would not have";
    case LaunchOutcome::in_graph:
      return "recorded into a CUDA graph";
    case LaunchOutcome::graph_node:
      return "added to a CUDA graph by itself";
    case LaunchOutcome::refused:
      return "where the driver did not take the new kernel";
  }
  return "";
}

std::uint64_t ReplacedLaunches::seen() const {
  return std::accumulate(outcomes.begin(), outcomes.end(), std::uint64_t{0});
}

ProgramLaunches read_tallies(const fs::path& folder, std::size_t kernels) {
  ProgramLaunches all{.kernels = std::vector<ReplacedLaunches>(kernels)};
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".tally")) continue;
    try {
      const auto bytes = read_file_below(folder, name, "what was counted");
      if (!bytes || bytes->size() > kLargestFile) continue;
      const std::vector<std::uint64_t> words = words_of(*bytes);
      if (words.size() != kHeaderWords + kernels * kWords || words[0] != kMagic ||
          words[2] != kernels) {
        continue;
      }
      ++all.processes;
      all.node_changes += words[3];
      for (std::size_t i = 0; i < kernels; ++i) {
        add(all.kernels[i], words.data() + kHeaderWords + i * kWords);
      }
    } catch (const Error&) {
      continue;
    }
  }
  return all;
}

}  // namespace autokernel::programs
