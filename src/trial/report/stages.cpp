#include "autokernel/trial/stages.h"

namespace autokernel::trial {
namespace {

struct StageRow {
  const char* spelling;
  const char* description;
};
// Each at the place of its enumerator.
constexpr std::array kStageRows = {
    StageRow{"compile", "The kernel compiles at every size that is checked."},
    StageRow{
        "smoke",
        "It is right on exact inputs, where the case has such, and on the inputs of the case."},
    StageRow{
        "determinism",
        "It gives the same bits on the same inputs, three times. Skipped with --quick, and where "
        "the case allows other bits."},
    StageRow{
        "stability",
        "It is right on very large and very small values, on mixed scales, zeros and constants. "
        "Skipped with --quick, and where no input is floating point."},
    StageRow{
        "sizes",
        "It is right at the other sizes of the case. Only with --full; on the emulated device not "
        "above 10^9 operations or 64 MiB, on a GPU not where tensors take a quarter of its "
        "memory."},
    StageRow{"edge_sizes", "The same for the sizes whose names begin with edge."},
    StageRow{"timed_outputs", "Every launch that was timed gave the right result."}};
static_assert(kStageRows.size() == kStages.size());
constexpr std::array kStageOutcomes = {"PASS", "FAIL", "SKIP"};
static_assert(kStageOutcomes.size() == static_cast<std::size_t>(StageOutcome::skipped) + 1);
constexpr std::array kDepthNames = {"quick", "usual", "full"};
static_assert(kDepthNames.size() == static_cast<std::size_t>(Depth::full) + 1);

}  // namespace

const char* spelling(Stage stage) {
  return kStageRows.at(static_cast<std::size_t>(stage)).spelling;
}
const char* description(Stage stage) {
  return kStageRows.at(static_cast<std::size_t>(stage)).description;
}
const char* spelling(StageOutcome outcome) {
  return kStageOutcomes.at(static_cast<std::size_t>(outcome));
}
const char* spelling(Depth depth) { return kDepthNames.at(static_cast<std::size_t>(depth)); }

}  // namespace autokernel::trial
