#include "trial/runner/report_bounds.h"

#include <string>
#include <utility>

#include "trial/supervise/text_bounds.h"

namespace autokernel::trial {
namespace {

void cut(std::string& text, std::size_t limit) { text = bounded(std::move(text), limit); }

struct BoundTexts {
  void operator()(Code& code) const {
    if (code.ptx.size() > kLongestPtx) code.ptx.resize(kLongestPtx);
  }
  void operator()(Whereabouts& whereabouts) const { cut(whereabouts.text, kLongestReason); }
  void operator()(Compiled& compiled) const {
    bound_warnings(compiled.warnings);
    cut(compiled.log, kLongestDetail);
    cut(compiled.nvrtc, kLongestName);
    cut(compiled.outbox, kLongestName);
  }
  void operator()(Timed& timed) const { bound_warnings(timed.warnings); }
  void operator()(Rejection& rejection) const {
    cut(rejection.reason, kLongestReason);
    cut(rejection.detail, kLongestDetail);
  }
  void operator()(Failure& failure) const { cut(failure.what, kLongestReason); }
  // A name that is too long fits no plan, and whoever says so cuts it (launch_account.cpp).
  void operator()(KeyRequest& /*request*/) const {}
  void operator()(Delivered& /*delivered*/) const {}
  void operator()(Phase& /*phase*/) const {}
  void operator()(LaunchOver& /*over*/) const {}
  void operator()(SampleTaken& /*sample*/) const {}
  void operator()(Opened& /*report*/) const {}
  void operator()(BatchDone& /*done*/) const {}
  void operator()(ChecksDone& /*done*/) const {}
};

}  // namespace

void bound_texts(Report& report) { std::visit(BoundTexts{}, report); }

}  // namespace autokernel::trial
