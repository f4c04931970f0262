// Calls into a library that may hang: they run in a thread of their own, and each has a deadline.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <utility>

#include "autokernel/base/error.h"

namespace autokernel::trial {

// One call at a time, in the order asked. The thread is never joined: one that hangs ends with the
// process.
class QueryThread {
 public:
  // `whom` is for messages: "NVML".
  explicit QueryThread(std::string whom);
  QueryThread(const QueryThread&) = delete;
  QueryThread& operator=(const QueryThread&) = delete;
  QueryThread(QueryThread&&) = delete;
  QueryThread& operator=(QueryThread&&) = delete;
  ~QueryThread();

  // What `question` returns, once it does. It must own all that it uses.
  template <typename Question>
  [[nodiscard]] auto ask(Question question) {
    using Reply = decltype(question());
    auto task = std::make_shared<std::packaged_task<Reply()>>(std::move(question));
    std::future<Reply> answer = task->get_future();
    put([task] { (*task)(); });
    return answer;
  }

  // The answer. Throws Error(environment) where it takes longer than `patience`.
  template <typename Reply>
  [[nodiscard]] Reply answer(std::future<Reply> to, std::chrono::milliseconds patience) const {
    if (to.wait_for(patience) != std::future_status::ready) no_answer(patience);
    return to.get();
  }

 private:
  // What both threads know; it lives as long as either.
  struct Table {
    std::mutex mutex;
    std::condition_variable changed;
    std::queue<std::function<void()>> questions;
    bool over = false;
  };

  void put(std::function<void()> question);
  [[noreturn]] void no_answer(std::chrono::milliseconds patience) const;
  static void answer_all(const std::shared_ptr<Table>& table);

  std::string whom_;
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace autokernel::trial
