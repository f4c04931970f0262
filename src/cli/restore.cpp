// `autokernel restore`: puts the source of an experiment into the editable files.
#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/visible_text.h"
#include "autokernel/loop/loop.h"
#include "cli/commands.h"
#include "cli/loop/open_run.h"

namespace autokernel::cli {
namespace {

class Restore : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "restore"; }
  [[nodiscard]] std::string summary() const override {
    return "Restore the kernel to an experiment's source";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  int number_ = 0;
};

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
  const bool several = !loop.run().editable_files.empty();
  console.err << "autokernel: restored " << visible_line(loop.run().editable)
              << (several ? " and its other files" : "") << " to experiment " << number_ << '\n';
  return 0;
}

std::unique_ptr<Command> restore_command() { return std::make_unique<Restore>(); }

}  // namespace autokernel::cli
