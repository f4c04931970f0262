#include "cli/restore.h"

#include <filesystem>

#include "autokernel/base/visible_text.h"
#include "autokernel/loop/loop.h"
#include "cli/loop/opening.h"

namespace autokernel::cli {
namespace {

constexpr const char* kRestoreExamples = R"(Examples:
  autokernel restore 7     experiment 7 as it was tried, to continue from there
  autokernel restore 0     the baseline

The branch does not move. An edit that is in no experiment is never overwritten.)";

}  // namespace

void Restore::declare(Options options) {
  options.footer(kRestoreExamples);
  options.add_option("N", number_, "Number of the experiment; 0 is the baseline").required();
}

int Restore::run(const Console& console) {
  auto loop =
      loop::Loop::open(std::filesystem::current_path(), "autokernel restore", speaking_on(console));
  loop.restore(number_);
  console.err << "autokernel: " << visible_line(loop.run().editable) << " holds experiment "
              << number_ << " now\n";
  return 0;
}

}  // namespace autokernel::cli
