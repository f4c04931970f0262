// Which stage a trial is in, and what became of each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/trial/stages.h"
#include "trial/check/check_plan.h"

namespace autokernel::trial {

class StageBook {
 public:
  StageBook() = default;
  // `notes`: which sizes are left out, of the stages that they belong to.
  StageBook(Depth depth, const std::vector<Check>& plan, const std::map<Stage, std::string>& notes);

  // The launches of that stage begin. Whether that is news.
  [[nodiscard]] bool enter(Stage stage);
  // A launch of that stage was judged, after all of those before, and is wrong.
  void judged_wrong(Stage stage) { wrong_ = stage; }

  // As far as it is known while launches are under way: the stage that they are in has failed if
  // nothing more is heard, for a reason that is not known yet.
  [[nodiscard]] std::vector<StageReport> under_way() const;
  // Where the trial ends with a rejection, for that reason.
  [[nodiscard]] std::vector<StageReport> failed(const std::string& reason) const;
  // Where it ends well.
  [[nodiscard]] std::vector<StageReport> passed() const;

 private:
  // None where the stage is not skipped.
  [[nodiscard]] std::optional<StageReport> skipped(Stage stage) const;
  [[nodiscard]] std::vector<StageReport> up_to(Stage failing, bool earlier_are_judged,
                                               const std::string& reason) const;

  std::map<Stage, std::string> skipped_;  // and why
  std::map<Stage, std::string> notes_;
  Stage current_ = Stage::compile;
  std::optional<Stage> wrong_;
};

}  // namespace autokernel::trial
