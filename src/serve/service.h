// What the judge's sessions have in common: the devices, the cases, and the limits on what one
// client may ask for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/trial/order.h"
#include "serve/device_worker.h"
#include "serve/dispatcher.h"
#include "serve/ledger.h"
#include "serve/registered_cases.h"
#include "serve/unread_bytes.h"

namespace autokernel::serve {

struct ClientLimits {
  std::size_t waiting = 1000;     // trials of one client that wait at a time
  double submissions = 600;       // of one client, a minute; a large one counts as several
  std::size_t body = 8U << 20U;   // bytes of a request
  std::size_t connections = 512;  // of all clients
};

// Why a client is refused for now, by the standard's number (RFC 9110, 6585).
struct Refusal {
  int status = 400;
  std::string what;
};

class Service {
 public:
  Service(Ledger& ledger, Dispatcher& dispatcher, const RegisteredCases& cases,
          const ClientLimits& limits, std::function<double()> clock)
      : ledger_(ledger),
        dispatcher_(dispatcher),
        cases_(cases),
        limits_(limits),
        clock_(std::move(clock)) {}

  // Hands it in. Throws Refusal, and Error(usage) for what cannot be judged.
  TrialId submit(const std::string& client, const std::string& key, const RegisteredCase& own,
                 const trial::TrialOrder& order, double deadline_seconds);
  TrialId submit(const std::string& client, const std::string& key, const RegisteredCase& own,
                 const std::string& solution_order, double deadline_seconds);

  [[nodiscard]] Ledger& ledger() { return ledger_; }
  [[nodiscard]] Dispatcher& dispatcher() { return dispatcher_; }
  [[nodiscard]] const Dispatcher& dispatcher() const { return dispatcher_; }
  [[nodiscard]] const RegisteredCases& cases() const { return cases_; }
  [[nodiscard]] const ClientLimits& limits() const { return limits_; }
  [[nodiscard]] double now() const { return clock_(); }
  [[nodiscard]] std::size_t waiting() const { return dispatcher_.waiting(); }
  [[nodiscard]] std::vector<DeviceWorker::Status> devices() const;

  std::vector<std::unique_ptr<DeviceWorker>> workers;
  // Of requests that have not come whole yet.
  std::shared_ptr<UnreadBytes> unread = std::make_shared<UnreadBytes>();

 private:
  [[nodiscard]] TrialId submit(Task task, double deadline_seconds);
  // Throws Refusal where it has handed in so much already, or the disk is full.
  void require_room(const Task& task);
  // Throws Refusal where it would wait for ever.
  void require_device(Wanted wanted) const;
  [[nodiscard]] double deadline_in(double seconds) const;

  // A bucket that fills up with time, a token for each submission.
  struct Bucket {
    double tokens = 0;
    double filled = 0;  // when
  };

  Ledger& ledger_;
  Dispatcher& dispatcher_;
  const RegisteredCases& cases_;
  ClientLimits limits_;
  std::function<double()> clock_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace autokernel::serve
