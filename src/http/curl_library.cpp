#include "autokernel/http/curl_library.h"

#include <dlfcn.h>

#include <array>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "http/curl_values.h"

namespace autokernel::http {
namespace {

// The one that most programs use, and the one that a system with GnuTLS alone has.
constexpr std::array kCurlNames = {"libcurl.so.4", "libcurl-gnutls.so.4"};
// CURL_GLOBAL_DEFAULT: TLS and, on Windows, sockets.
constexpr long kCurlInitAll = 3;

[[nodiscard]] Error no_curl(const std::string& attempt, const std::string& why, const char* call) {
  return {Stop::environment,
          attempt + ", which HTTP requests are made with; install libcurl 7.61 or later (Debian: " +
              "apt-get install libcurl4): " + why + " [" + call + "]"};
}

class CurlSymbols {
 public:
  CurlSymbols(void* library, std::string name) : library_(library), name_(std::move(name)) {}

  template <typename Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) {
      throw no_curl("cannot use " + name_, std::string("it has no ") + name, "dlsym");
    }
  }

 private:
  void* library_;
  std::string name_;
};

[[nodiscard]] std::string loader_words() {
  const char* text = dlerror();
  return text != nullptr ? text : "the loader gave no reason";
}

[[nodiscard]] CurlSymbols load_curl(const std::string& file) {
  std::vector<std::string> names(kCurlNames.begin(), kCurlNames.end());
  if (!file.empty()) names = {file};
  std::string why;
  for (const std::string& name : names) {
    // It keeps state for the whole process (TLS), so it stays until the process ends.
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle != nullptr) return {handle, name};
    if (why.empty()) why = loader_words();
  }
  throw no_curl("cannot load " + names.front(), why, "dlopen");
}

// Options that a libcurl does not know are refused with a code of their own; the words say which.
void require_set(const CurlLibrary& curl, CurlCode code, int option) {
  if (code == kCurlOk) return;
  throw Error(Stop::internal, "cannot set option " + std::to_string(option) + " of libcurl (" +
                                  curl.version() + "): " + curl.words(code) +
                                  " [curl_easy_setopt]");
}

void require_multi_set(const CurlLibrary& curl, CurlCode code, int option) {
  if (code == kCurlOk) return;
  throw Error(Stop::internal, "cannot set option " + std::to_string(option) + " of libcurl (" +
                                  curl.version() + "): " + curl.multi_error(code) +
                                  " [curl_multi_setopt]");
}

}  // namespace

CurlLibrary CurlLibrary::open(const std::string& file) {
  const CurlSymbols symbols = load_curl(file);
  CurlLibrary curl;
  symbols.find(curl.global_init, "curl_global_init");
  symbols.find(curl.version, "curl_version");
  symbols.find(curl.easy_error, "curl_easy_strerror");
  symbols.find(curl.easy_init, "curl_easy_init");
  symbols.find(curl.easy_cleanup, "curl_easy_cleanup");
  symbols.find(curl.easy_reset, "curl_easy_reset");
  symbols.find(curl.easy_perform, "curl_easy_perform");
  symbols.find(curl.easy_setopt, "curl_easy_setopt");
  symbols.find(curl.easy_getinfo, "curl_easy_getinfo");
  symbols.find(curl.slist_append, "curl_slist_append");
  symbols.find(curl.slist_free_all, "curl_slist_free_all");
  symbols.find(curl.multi_init, "curl_multi_init");
  symbols.find(curl.multi_cleanup, "curl_multi_cleanup");
  symbols.find(curl.multi_add_handle, "curl_multi_add_handle");
  symbols.find(curl.multi_remove_handle, "curl_multi_remove_handle");
  symbols.find(curl.multi_setopt, "curl_multi_setopt");
  symbols.find(curl.multi_socket_action, "curl_multi_socket_action");
  symbols.find(curl.multi_info_read, "curl_multi_info_read");
  symbols.find(curl.multi_error, "curl_multi_strerror");
  if (const CurlCode code = curl.global_init(kCurlInitAll); code != kCurlOk) {
    throw no_curl("cannot start libcurl", curl.words(code), "curl_global_init");
  }
  return curl;
}

void CurlLibrary::set(CurlEasy* easy, CurlLong option, long value) const {
  const int number = static_cast<int>(option);
  require_set(*this, easy_setopt(easy, number, value), number);
}

void CurlLibrary::set(CurlEasy* easy, CurlText option, const char* value) const {
  const int number = static_cast<int>(option);
  require_set(*this, easy_setopt(easy, number, value), number);
}

void CurlLibrary::set(CurlEasy* easy, CurlPointer option, void* value) const {
  const int number = static_cast<int>(option);
  require_set(*this, easy_setopt(easy, number, value), number);
}

void CurlLibrary::set(CurlEasy* easy, CurlSize option, std::int64_t value) const {
  const int number = static_cast<int>(option);
  require_set(*this, easy_setopt(easy, number, value), number);
}

void CurlLibrary::set(CurlEasy* easy, CurlCallback option, CurlBytes value) const {
  const int number = static_cast<int>(option);
  require_set(*this, easy_setopt(easy, number, value), number);
}

void CurlLibrary::set(CurlMulti* multi, CurlMultiLong option, long value) const {
  const int number = static_cast<int>(option);
  require_multi_set(*this, multi_setopt(multi, number, value), number);
}

void CurlLibrary::set(CurlMulti* multi, CurlMultiPointer option, void* value) const {
  const int number = static_cast<int>(option);
  require_multi_set(*this, multi_setopt(multi, number, value), number);
}

void CurlLibrary::set(CurlMulti* multi, CurlSocketCallback value) const {
  const int number = static_cast<int>(CurlMultiCallback::socket);
  require_multi_set(*this, multi_setopt(multi, number, value), number);
}

void CurlLibrary::set(CurlMulti* multi, CurlTimerCallback value) const {
  const int number = static_cast<int>(CurlMultiCallback::timer);
  require_multi_set(*this, multi_setopt(multi, number, value), number);
}

long CurlLibrary::info(CurlEasy* easy, CurlInfoLong info) const {
  long value = 0;
  return easy_getinfo(easy, static_cast<int>(info), &value) == kCurlOk ? value : 0;
}

void* CurlLibrary::info(CurlEasy* easy, CurlInfoPointer info) const {
  void* value = nullptr;
  return easy_getinfo(easy, static_cast<int>(info), &value) == kCurlOk ? value : nullptr;
}

std::int64_t CurlLibrary::info(CurlEasy* easy, CurlInfoTime info) const {
  std::int64_t value = 0;
  return easy_getinfo(easy, static_cast<int>(info), &value) == kCurlOk ? value : 0;
}

Owned<CurlEasy*> CurlLibrary::make_easy() const {
  CurlEasy* easy = easy_init();
  if (easy == nullptr) {
    throw Error(Stop::environment, "cannot make a transfer: out of memory [curl_easy_init]");
  }
  return {easy, [cleanup = easy_cleanup](CurlEasy* owned) { cleanup(owned); }};
}

Owned<CurlMulti*> CurlLibrary::make_multi() const {
  CurlMulti* multi = multi_init();
  if (multi == nullptr) {
    throw Error(Stop::environment, "cannot make transfers: out of memory [curl_multi_init]");
  }
  return {multi, [cleanup = multi_cleanup](CurlMulti* owned) { cleanup(owned); }};
}

void CurlLibrary::append(Owned<CurlList*>& list, const std::string& line) const {
  // It gives back the first of the list, which only the first line changes.
  CurlList* longer = slist_append(list.get(), line.c_str());
  if (longer == nullptr) {
    throw Error(Stop::environment, "cannot add a header line: out of memory [curl_slist_append]");
  }
  if (list.get() == nullptr) {
    list = Owned<CurlList*>(longer, [free = slist_free_all](CurlList* owned) { free(owned); });
  }
}

std::string CurlLibrary::words(CurlCode code) const {
  const char* text = easy_error(code);
  return text != nullptr ? text : "error " + std::to_string(code);
}

}  // namespace autokernel::http
