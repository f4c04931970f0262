// What a file of Python says is right, in a process that is confined and sees inputs alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autokernel/base/process.h"
#include "autokernel/base/scratch.h"
#include "trial/check/reference.h"

namespace autokernel::trial {

// The process, which is started at once and imports what it needs while others are at work.
class PythonProcess {
 public:
  // `python` where the reference names none. Throws Error(environment) where it cannot be started.
  PythonProcess(const cases::Case& problem, const std::string& python);

  // Fills `expected` for all that is written. Throws Error(usage) where the reference fails, with
  // what it said, and Error(environment) where the process ended.
  void compute(const SizedCase& sized, const std::vector<Bytes>& inputs,
               std::vector<Bytes>& expected);

 private:
  void say(const std::string& line);
  [[nodiscard]] std::string heard();
  void require_answer();
  [[nodiscard]] std::string printed();

  const cases::Case* problem_;
  ScratchDirectory scratch_;
  std::filesystem::path folder_;
  std::unique_ptr<Child> child_;
  bool is_loaded_ = false;
  std::string received_;
};

class PythonReference : public Reference {
 public:
  // It must live longer.
  explicit PythonReference(PythonProcess& process) : process_(&process) {}
  [[nodiscard]] const std::vector<Bytes>& expected(const SizedCase& sized,
                                                   const std::vector<Bytes>& inputs) override {
    process_->compute(sized, inputs, expected_);
    return expected_;
  }

 private:
  PythonProcess* process_;
  std::vector<Bytes> expected_;
};

}  // namespace autokernel::trial
