// `autokernel plan`: which kernel of a program to work on next.
#include "autokernel/programs/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/sort_stably.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/programs/known_devices.h"
#include "autokernel/programs/profile_file.h"
#include "autokernel/programs/profile_text.h"
#include "autokernel/programs/verification_file.h"
#include "autokernel/programs/workload.h"
#include "autokernel/programs/workload_floor.h"
#include "cli/commands.h"
#include "cli/plan_efforts.h"
#include "cli/shell_word.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Plan : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "plan"; }
  [[nodiscard]] std::string summary() const override {
    return "Choose which kernel of a program to work on next";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] programs::Plan made() const;
  [[nodiscard]] fs::path folder() const { return cases_.value_or("cases"); }
  void print_next(const programs::Plan& plan, const Console& console) const;
  void print_verified(const Console& console) const;
  void print_model(const std::string& model, const Console& console) const;

  std::string what_ = "status";
  std::string profile_ = "autokernel-profile.json";
  std::optional<std::string> cases_;
  std::optional<std::string> model_;
  std::string gpu_ = "h100-sxm";
  std::optional<std::string> scenario_;
  std::optional<int> batch_;
  std::optional<int> sequence_;
  int top_ = 20;
  bool json_ = false;
};

constexpr const char* kExamples = R"(Examples:
  autokernel plan
  autokernel plan next
  autokernel plan report --profile big.json --cases work
  autokernel plan --model llama-7b --scenario decode --gpu h200

From the profile and from what the runs of the loop have gained: each kernel's share of the whole,
what its roofline or its bytes leave to be saved, and what is still to be had (docs/plan.md).
--model takes a known model in the place of a profile, without any GPU (docs/workloads.md).)";

constexpr double kPercent = 100;

[[nodiscard]] std::string sizes_text(const programs::WorkloadOperation& operation) {
  std::string text;
  for (const auto& [symbol, value] : operation.sizes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", symbol, value);
  }
  return text;
}

}  // namespace

void Plan::declare(Options options) {
  options.footer(kExamples);
  options
      .add_option(
          "WHAT", what_,
          "status: all kernels; next: the one to work on, and why; report: both, as Markdown")
      .one_of({"status", "next", "report"});
  options.add_option("--profile", profile_, "The profile [autokernel-profile.json]")
      .type_name("FILE");
  options.add_option("--cases", cases_, "Where the cases are that 'extract' made [cases]")
      .type_name("DIR");
  options.add_option("--model", model_, "Plan for a known model, or a workload file, instead")
      .type_name("NAME");
  options.add_option("--scenario", scenario_, "With --model: prefill, decode, or one of the file's")
      .type_name("NAME");
  options.add_option("--batch", batch_, "With --model: sequences at once")
      .type_name("N")
      .within(1, 1 << 20);
  options.add_option("--sequence", sequence_, "With --model: tokens of each")
      .type_name("N")
      .within(1, 1 << 24);
  options.add_option("--gpu", gpu_, "With --model: the GPU to plan for [h100-sxm]")
      .type_name("NAME");
  options.add_option("--top", top_, "Show that many kernels [20]").type_name("N").positive();
  options.add_flag("--json", json_, "Print the plan as one JSON object");
}

// What the kernels that were kept have brought the program, when that was last looked at.
void Plan::print_verified(const Console& console) const {
  const auto kept = programs::read_verification(folder());
  if (!kept || !kept->speedup) return;
  console.out << fmt::format(
      "\nin the program  {:.3f}x with {} of the kernels (99 % interval {:.3f} to {:.3f}), verified "
      "{}\n",
      kept->speedup->ratio, kept->right().size(), kept->speedup->low, kept->speedup->high,
      visible_line(kept->date));
}

programs::Plan Plan::made() const {
  const programs::Ranking ranking = programs::read_ranking(profile_);
  std::error_code failed;
  if (cases_ && !fs::is_directory(*cases_, failed)) {
    throw Error(Stop::usage, fmt::format("there is no folder {} with cases; 'autokernel extract "
                                         "--out {}' makes it",
                                         *cases_, *cases_));
  }
  const std::vector<programs::ExtractedCase> cases = programs::read_extracted(folder());
  return programs::plan_of(ranking, cases, efforts_of(folder(), cases));
}

void Plan::print_next(const programs::Plan& plan, const Console& console) const {
  if (!plan.next) {
    console.out << "nothing: no kernel has much left to gain\n";
    return;
  }
  const programs::PlanItem& item = plan.items[*plan.next];
  console.out << fmt::format("{}: {}\n", spelling(item.advice),
                             visible_line(item.kernel.short_name));
  console.out << fmt::format(
      "because {}; it takes {:.1f} % of the whole, of which {:.1f} % of the whole could be saved\n",
      item.why, kPercent * item.share, kPercent * item.still);
  if (item.extracted) {
    console.out << "case: " << shell_word((folder() / item.extracted->folder).string()) << '\n';
  } else {
    console.out << "first: autokernel extract --kernel " << shell_word(item.kernel.name)
                << " -- PROGRAM\n";
  }
}

void Plan::print_model(const std::string& model, const Console& console) const {
  programs::WorkloadChoice choice;
  choice.scenario = scenario_;
  if (batch_) choice.batch = *batch_;
  if (sequence_) choice.sequence = *sequence_;
  const programs::Workload workload =
      programs::read_workload(model, choice, programs::workload_folders(fs::current_path()));
  const driver::DeviceInfo device = programs::known_device(gpu_);
  const std::vector<programs::OperationFloor> floors = programs::floors_of(workload, device);
  double total_us = 0;
  for (const programs::OperationFloor& floor : floors) total_us += floor.total_us;
  console.out << fmt::format(
      "plan for    {} ({}), {}, batch {}, {} tokens\non          {}\nat least    {} for one "
      "pass\n\n",
      workload.model, workload.summary, workload.scenario, workload.batch, workload.sequence,
      device.name, programs::duration_text(total_us));
  console.out << fmt::format("{:>7}  {:>5}  {:>9}  {:<8}  {:<26}  {:<17}  {}\n", "share", "calls",
                             "each", "bound", "operation", "case", "sizes");
  std::vector<std::size_t> order(floors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  sort_stably(order, std::greater<>{}, [&](std::size_t i) { return floors[i].total_us; });
  for (const std::size_t i : order) {
    const programs::WorkloadOperation& operation = workload.operations[i];
    console.out << fmt::format(
        "{:>5.1f} %  {:>5}  {:>9}  {:<8}  {:<26}  {:<17}  {}\n", kPercent * floors[i].share,
        operation.count, programs::duration_text(floors[i].floor_us), floors[i].bound,
        operation.name, operation.operation.empty() ? "-" : operation.operation,
        sizes_text(operation));
  }
  for (const std::size_t i : order) {
    if (workload.operations[i].operation.empty()) continue;
    console.out << fmt::format(
        "\nnext        autokernel case new my_{0} --from {0}\n            add a size {1} to its "
        "case.toml: {2:.1f} % of the least time\n",
        workload.operations[i].operation, sizes_text(workload.operations[i]),
        kPercent * floors[i].share);
    break;
  }
}

int Plan::run(const Console& console) {
  if (model_) {
    if (json_) throw Error(Stop::usage, "--model and --json exclude each other");
    print_model(*model_, console);
    return 0;
  }
  if (scenario_ || batch_ || sequence_) {
    throw Error(Stop::usage, "--scenario, --batch and --sequence go with --model NAME");
  }
  const programs::Plan plan = made();
  if (json_) {
    console.out << programs::plan_json(plan);
  } else if (what_ == "next") {
    print_next(plan, console);
  } else if (what_ == "report") {
    console.out << programs::plan_report(plan, top_);
  } else {
    console.out << programs::plan_text(plan, top_);
    print_verified(console);
  }
  return 0;
}

std::unique_ptr<Command> plan_command() { return std::make_unique<Plan>(); }

}  // namespace autokernel::cli
