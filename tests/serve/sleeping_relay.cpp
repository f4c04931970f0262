// In place of `autokernel relay` (a launcher starts it): greets, and answers each order with a
// made-up result after a while.
//
//   sleeping_relay GREETING MILLISECONDS
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "autokernel/trial/message.h"

int main(int count, char** arguments) {
  using namespace autokernel::trial;
  if (count < 3) return 2;
  const std::chrono::milliseconds pause{std::strtol(arguments[2], nullptr, 10)};
  std::cout << arguments[1] << '\n' << std::flush;
  Result result;
  result.verdict = Verdict::correct;
  result.device =
      DeviceReport{.name = "Sleeping device", .major = 9, .minor = 0, .emulated = false};
  result.times.emplace();
  result.times->samples_us.assign(50, 7.5);
  result.times->median_us = 7.5;
  const std::string answer = encode(Event(result));
  for (std::string order; std::getline(std::cin, order);) {
    std::cout << encode(Event(Phase::compile)) << encode(Event(Phase::time)) << std::flush;
    std::this_thread::sleep_for(pause);
    std::cout << answer << std::flush;
  }
  return 0;
}
