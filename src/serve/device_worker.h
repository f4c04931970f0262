// A device of the judge's: a part of this program, here or at another place, that measures there
// one trial after the other, and stays for the next. Where it is lost it is started again, with
// longer and longer pauses.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "autokernel/driver/device_choice.h"
#include "serve/dispatcher.h"
#include "serve/registered_cases.h"

namespace autokernel::serve {

class DeviceWorker : public Worker {
 public:
  using Note = std::function<void(const std::string&)>;

  DeviceWorker(boost::asio::io_context& context, Dispatcher& dispatcher,
               const RegisteredCases& cases, Dispatcher::WorkerId id, driver::DeviceChoice device,
               Note note);
  ~DeviceWorker() override;

  // Starts what measures; once it has greeted, the dispatcher is told that it is ready.
  void open();
  // Nothing more is started. What is under way is ended, but for what is to be finished.
  void close(bool at_once);

  void start(const Task& task) override;
  void abort() override;

  struct Status {
    std::string device;  // "cuda:0", "ssh://box/cuda"
    std::string name;    // "NVIDIA H200"; empty: not known yet
    bool is_ready = false;
    std::string trouble;  // why it is not; empty: it is, or is being started
  };
  [[nodiscard]] Status status() const;
  [[nodiscard]] const Offered& offered() const;

 private:
  class Implementation;
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace autokernel::serve
