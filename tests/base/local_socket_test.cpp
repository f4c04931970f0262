#include "autokernel/base/local_socket.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <string>

namespace autokernel {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::IsEmpty;
using testing::SizeIs;

std::string name_of_this_test() {
  return "autokernel-test-" + std::to_string(::getpid()) + "-" +
         testing::UnitTest::GetInstance()->current_test_info()->name();
}
steady_clock::time_point soon() { return steady_clock::now() + seconds{5}; }

// Two ends that know each other.
struct Ends {
  Ends() : listening(listen_on(name)), here(connect_to(name)), there(next_connection(listening)) {}
  std::string name = name_of_this_test();
  Descriptor listening;
  Descriptor here;
  Descriptor there;
};

TEST(LocalSocket, CarriesBytesBothWays) {
  const Ends ends;
  ASSERT_TRUE(ends.there.is_open());
  EXPECT_TRUE(send_to(ends.here, "asked\n", soon()));
  EXPECT_EQ(receive_from(ends.there).bytes, "asked\n");
  EXPECT_TRUE(send_to(ends.there, "answered\n", soon()));
  const Received received = receive_from(ends.here);
  EXPECT_EQ(received.bytes, "answered\n");
  EXPECT_THAT(received.descriptors, IsEmpty());
  EXPECT_FALSE(received.is_over);
}

TEST(LocalSocket, CarriesDescriptors) {
  const Ends ends;
  const Pipe pipe = make_pipe();
  const std::array<int, 2> numbers = {pipe.reading.get(), pipe.writing.get()};
  EXPECT_TRUE(send_to(ends.there, "two\n", soon(), numbers));
  const Received received = receive_from(ends.here);
  ASSERT_THAT(received.descriptors, SizeIs(2));
  EXPECT_TRUE(write_all(received.descriptors[1].get(), "x"));
  char byte = 0;
  EXPECT_EQ(::read(pipe.reading.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
}

TEST(LocalSocket, SaysWhoIsAtTheOtherEnd) {
  const Ends ends;
  for (const Descriptor* end : {&ends.here, &ends.there}) {
    EXPECT_THAT(peer_of(*end), testing::Optional(testing::FieldsAre(::getpid(), ::getuid())));
  }
  const Pipe pipe = make_pipe();
  EXPECT_FALSE(peer_of(pipe.reading));
}

TEST(LocalSocket, HasOneOwnerOfAName) {
  const std::string name = name_of_this_test();
  Descriptor first = listen_on(name);
  EXPECT_TRUE(first.is_open());
  EXPECT_FALSE(listen_on(name).is_open());
  first.close();
  EXPECT_TRUE(listen_on(name).is_open());
}

TEST(LocalSocket, LeadsNowhereWhereNobodyListens) {
  EXPECT_FALSE(connect_to(name_of_this_test()).is_open());
  const Descriptor listening = listen_on(name_of_this_test());
  EXPECT_FALSE(next_connection(listening).is_open());
}

TEST(LocalSocket, SeesTheEnd) {
  Ends ends;
  EXPECT_TRUE(send_to(ends.there, "last words", soon()));
  ends.there.close();
  const Received received = receive_from(ends.here);
  EXPECT_EQ(received.bytes, "last words");
  EXPECT_TRUE(received.is_over);
  EXPECT_FALSE(send_to(ends.here, "too late", soon()));
}

TEST(LocalSocket, DoesNotWaitForeverForWhoDoesNotRead) {
  const Ends ends;
  const std::string much(std::size_t{8} << 20U, 'x');
  EXPECT_FALSE(send_to(ends.here, much, steady_clock::now() + std::chrono::milliseconds{20}));
}

}  // namespace
}  // namespace autokernel
