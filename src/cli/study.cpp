// `autokernel study`, which no user calls: a child of extract's that replays a captured launch, and
// may crash over it.
#include "autokernel/programs/study.h"

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/driver/device.h"
#include "cli/commands.h"

namespace autokernel::cli {
namespace {

class Study : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "study"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string folder_;
  std::vector<std::string> others_;
  std::string device_ = "auto";
};

}  // namespace

void Study::declare(Options options) {
  options.add_option("FOLDER", folder_, "A captured launch").required();
  options.add_option("--other", others_, "Another launch of the same kernel");
  options.add_option("--device", device_, "");
}

int Study::run(const Console& console) {
  const auto launch = programs::read_capture(folder_, programs::Memory::read);
  const auto driver = driver::Driver::open(driver::parse_device(device_));
  try {
    console.out << programs::study_json(
        programs::study(launch, others_, driver, std::filesystem::path(folder_) / "answers"));
    return 0;
  } catch (const programs::StudyFaulted& faulted) {
    console.err << faulted.text << '\n';
    return programs::kFaultedStudy;
  }
}

std::unique_ptr<Command> study_command() { return std::make_unique<Study>(); }

}  // namespace autokernel::cli
