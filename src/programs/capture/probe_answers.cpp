#include "programs/capture/probe_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "autokernel/base/error.h"

namespace autokernel::programs {
namespace {

// One letter for each: begun, and then its answer in place of that.
constexpr char kBegun = '?';
constexpr char kYes = '1';
constexpr char kNo = '0';

}  // namespace

ProbeAnswers::ProbeAnswers(std::filesystem::path file) : file_(std::move(file)) {
  std::ifstream in(file_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kYes || text[i] == kNo) known_ += text[i];
    const bool has_answer = i + 1 < text.size() && text[i + 1] != kBegun;
    if (text[i] == kBegun && !has_answer) known_ += kYes;
  }
  goes_on_ = !known_.empty();
  // Written anew, so that what was begun has its answer.
  std::ofstream out(file_, std::ios::binary | std::ios::trunc);
  for (const char answer : known_) out << kBegun << answer;
  if (!out.flush()) {
    throw Error(Stop::environment, fmt::format("cannot write {}", file_.string()));
  }
}

void ProbeAnswers::append(char letter) const {
  std::ofstream out(file_, std::ios::binary | std::ios::app);
  out << letter;
  if (!out.flush()) {
    throw Error(Stop::environment, fmt::format("cannot write {}", file_.string()));
  }
}

bool ProbeAnswers::next(const std::function<bool()>& ask) {
  if (asked_ < known_.size()) return known_[asked_++] == kYes;
  append(kBegun);
  const bool answer = ask();
  append(answer ? kYes : kNo);
  known_ += answer ? kYes : kNo;
  ++asked_;
  return answer;
}

}  // namespace autokernel::programs
