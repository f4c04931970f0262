// The tests that hold whole trials are also the program that a trial starts as its launcher.
#include <gmock/gmock.h>
#include <unistd.h>

#include <string_view>

#include "autokernel/base/process.h"
#include "autokernel/trial/launcher.h"
#include "trial/runner/hostile_launcher.h"

int main(int argc, char** argv) {
  using autokernel::Descriptor;
  if (argc == 2 && std::string_view(argv[1]) == "launcher") {
    return autokernel::trial::run_launcher({.orders = Descriptor(STDIN_FILENO),
                                            .reports = Descriptor(autokernel::kMessagesDescriptor),
                                            .outbox = Descriptor(autokernel::kSharedDescriptor)});
  }
  if (argc == 3 && std::string_view(argv[1]) == "hostile launcher") {
    return autokernel::trial::lie_to_the_runner(
        argv[2], {.orders = Descriptor(STDIN_FILENO),
                  .reports = Descriptor(autokernel::kMessagesDescriptor),
                  .outbox = Descriptor(autokernel::kSharedDescriptor)});
  }
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
