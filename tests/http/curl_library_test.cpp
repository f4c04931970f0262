#include "autokernel/http/curl_library.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"

namespace autokernel::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(CurlLibrary, IsFound) {
  const CurlLibrary curl = CurlLibrary::open();
  EXPECT_THAT(std::string(curl.version()), StartsWith("libcurl/"));
}

TEST(CurlLibrary, ThatIsMissingIsAnErrorOfTheEnvironment) {
  try {
    static_cast<void>(CurlLibrary::open("libno-such-curl.so.4"));
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), HasSubstr("cannot load libno-such-curl.so.4"));
    EXPECT_THAT(error.what(), HasSubstr("apt-get install libcurl4"));
  }
}

TEST(CurlLibrary, ThatIsAnotherLibraryIsRefused) {
  try {
    static_cast<void>(CurlLibrary::open("libm.so.6"));
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), HasSubstr("it has no curl_global_init"));
  }
}

TEST(CurlLibrary, TakesOptionsAndGivesThemBack) {
  const CurlLibrary curl = CurlLibrary::open();
  const Owned<CurlEasy*> easy = curl.make_easy();
  int mark = 0;
  curl.set(easy.get(), CurlText::url, "http://127.0.0.1:1/");
  curl.set(easy.get(), CurlLong::no_signal, 1L);
  curl.set(easy.get(), CurlPointer::private_data, &mark);
  EXPECT_EQ(curl.info(easy.get(), CurlInfoPointer::private_data), &mark);
  EXPECT_EQ(curl.info(easy.get(), CurlInfoLong::response_code), 0);
}

TEST(CurlLibrary, SaysWhichOptionItRefuses) {
  const CurlLibrary curl = CurlLibrary::open();
  const Owned<CurlEasy*> easy = curl.make_easy();
  EXPECT_THROW(curl.set(easy.get(), CurlText::protocols, "no-such-protocol"), Error);
}

TEST(CurlLibrary, KeepsHeaderLinesInOneList) {
  const CurlLibrary curl = CurlLibrary::open();
  Owned<CurlList*> list;
  curl.append(list, "A: 1");
  CurlList* const first = list.get();
  curl.append(list, "B: 2");
  EXPECT_EQ(list.get(), first);
}

TEST(CurlLibrary, HasWordsForItsCodes) {
  EXPECT_THAT(CurlLibrary::open().words(kCurlTimedOut), HasSubstr("Timeout"));
}

}  // namespace
}  // namespace autokernel::http
