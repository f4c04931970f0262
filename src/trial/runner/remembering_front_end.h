// A front end that compiles nothing twice: what was compiled because it was expected is there when
// it is wanted. It remembers in this process alone, where nobody else can write.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "autokernel/compile/front_end.h"

namespace autokernel::trial {

class RememberingFrontEnd : public compile::FrontEnd {
 public:
  explicit RememberingFrontEnd(std::unique_ptr<const compile::FrontEnd> front_end)
      : front_end_(std::move(front_end)) {}
  // Whoever wants what is being compiled waits for it. What was thrown is thrown again.
  [[nodiscard]] compile::Compilation compile(const compile::Request& request) const override;
  [[nodiscard]] std::string version() const override { return front_end_->version(); }

 private:
  using Compiling = std::shared_future<compile::Compilation>;

  const std::unique_ptr<const compile::FrontEnd> front_end_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<compile::Request, Compiling>> known_;  // a handful
};

}  // namespace autokernel::trial
