#include "trial/time/query_thread.h"

#include <fmt/format.h>

#include <thread>

namespace autokernel::trial {

QueryThread::QueryThread(std::string whom) : whom_(std::move(whom)) {
  std::thread(answer_all, table_).detach();
}

QueryThread::~QueryThread() {
  const std::lock_guard lock(table_->mutex);
  table_->over = true;
  table_->changed.notify_one();
}

void QueryThread::put(std::function<void()> question) {
  const std::lock_guard lock(table_->mutex);
  table_->questions.push(std::move(question));
  table_->changed.notify_one();
}

void QueryThread::no_answer(std::chrono::milliseconds patience) const {
  throw Error(
      Stop::environment,
      fmt::format("{} has not answered for {:g} s, which no kernel can cause: see whether "
                  "nvidia-smi answers, and restart the driver or the machine if it does not",
                  whom_, std::chrono::duration<double>(patience).count()));
}

void QueryThread::answer_all(const std::shared_ptr<Table>& table) {
  for (;;) {
    std::function<void()> question;
    {
      std::unique_lock lock(table->mutex);
      table->changed.wait(lock, [&] { return table->over || !table->questions.empty(); });
      if (table->over) return;
      question = std::move(table->questions.front());
      table->questions.pop();
    }
    question();
  }
}

}  // namespace autokernel::trial
