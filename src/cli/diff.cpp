// `autokernel diff`: what an experiment changed.
#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/loop/loop.h"
#include "cli/commands.h"
#include "cli/loop/open_run.h"

namespace autokernel::cli {
namespace {

class Diff : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "diff"; }
  [[nodiscard]] std::string summary() const override {
    return "Show what an experiment changed, or how two differ";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  int number_ = 0;
  std::optional<int> other_;
};

constexpr const char* kDiffExamples = R"(Examples:
  autokernel diff 7        what experiment 7 changed in its incumbent
  autokernel diff 3 7      how 7 differs from 3)";

}  // namespace

void Diff::declare(Options options) {
  options.footer(kDiffExamples);
  options.add_option("N", number_, "Number of the experiment").required();
  options.add_option("M", other_, "Another experiment, to compare N with");
}

int Diff::run(const Console& console) {
  const auto loop = loop::Loop::open_to_read(std::filesystem::current_path(), speaking_on(console));
  console.out << (other_ ? loop.diff(*other_, number_) : loop.diff(number_));
  return 0;
}

std::unique_ptr<Command> diff_command() { return std::make_unique<Diff>(); }

}  // namespace autokernel::cli
