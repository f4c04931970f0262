#include "autokernel/base/descriptor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>

namespace autokernel {
namespace {

// More than a pipe holds: a single call writes no more than that.
TEST(WriteAll, WritesWhatTakesManyCalls) {
  Pipe pipe = make_pipe();
  const std::string sent(std::size_t{1} << 20U, 'x');
  std::string got;
  std::thread reader([&] {
    std::array<char, 4096> piece{};
    for (ssize_t count = 0; (count = ::read(pipe.reading.get(), piece.data(), piece.size())) > 0;) {
      got.append(piece.data(), static_cast<std::size_t>(count));
    }
  });
  EXPECT_TRUE(write_all(pipe.writing.get(), sent));
  pipe.writing.close();
  reader.join();
  EXPECT_EQ(got, sent);
}

TEST(WriteAll, SaysWhyItCannot) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe = make_pipe();
  pipe.reading.close();
  EXPECT_FALSE(write_all(pipe.writing.get(), "x"));
  EXPECT_EQ(errno, EPIPE);
  std::signal(SIGPIPE, SIG_DFL);
}

}  // namespace
}  // namespace autokernel
