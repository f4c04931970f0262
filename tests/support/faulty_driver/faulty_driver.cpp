// A CUDA driver that fails on demand. Every call goes on to the emulated driver, but the one that
// the environment names:
//
//   AUTOKERNEL_TEST_FAULT=CALL:N:EFFECT    the N-th use of CALL, from 1; EFFECT is `hang`, `crash`
//                                          or the CUresult that it and every later use return
//   AUTOKERNEL_TEST_FAULT_ONCE=FILE        not where that file holds anything, as it does after the
//                                          fault: so it passes, and was seen
//   AUTOKERNEL_TEST_FAULT_IN=NAME          only in processes that the system lists by a name that
//                                          begins so
//   AUTOKERNEL_TEST_CENSUS=FILE            the process and the name of each call are added to it
//   AUTOKERNEL_TEST_DEVICE=NAME            what cuDeviceGetName says
//   AUTOKERNEL_TEST_VERSION=N              what cuDriverGetVersion says
//   AUTOKERNEL_TEST_SILENT=1               the driver has no words for its errors
//   AUTOKERNEL_TEST_GPU=FOLDER             it passes for a GPU: an image for one (ELF) stands for
//                                          FOLDER/<kernel>.ptx, whichever kernel it mentions
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kInvalidImage = 200;

const char* variable(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
}

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

struct Fault {
  std::string call;
  int use = 0;  // 0: none
  std::string effect;
};

Fault wanted_fault() {
  const char* text = variable("AUTOKERNEL_TEST_FAULT");
  if (text == nullptr) return {};
  const std::string_view all = text;
  const std::size_t first = all.find(':');
  const std::size_t second = all.find(':', first + 1);
  if (second == std::string_view::npos) std::abort();  // the test is wrong
  return {std::string(all.substr(0, first)), number_in(all.substr(first + 1, second - first - 1)),
          std::string(all.substr(second + 1))};
}

const Fault& fault() {
  static const Fault wanted = wanted_fault();
  return wanted;
}

void* open_real() {
  // Where it passes for a GPU, the kernels that judge on one are compiled by the emulated device:
  // seconds, but for the first test, since what the program has turned off is on here.
  if (variable("AUTOKERNEL_TEST_GPU") != nullptr) {
    ::setenv("CUDA_CACHE_DISABLE", "0", 1);
    ::setenv("CUDA_CACHE_PATH", AUTOKERNEL_COMPILED_KERNELS, 1);
  }
  return ::dlopen(AUTOKERNEL_REAL_DRIVER, RTLD_NOW | RTLD_LOCAL);
}

void* real(const char* name) {
  static void* const driver = open_real();
  return driver == nullptr ? nullptr : ::dlsym(driver, name);
}

template <typename Function>
Function real_as(const char* name) {
  return reinterpret_cast<Function>(real(name));
}

// ---- what is called in place of a function that is to fail

int returns_code() { return number_in(fault().effect); }
const char* returns_no_text() { return nullptr; }

// ---- what is called in place of a function that is to say something else

int name_of_device(char* name, int length, int /*device*/) {
  std::strncpy(name, variable("AUTOKERNEL_TEST_DEVICE"), static_cast<std::size_t>(length));
  return 0;
}

int version_of_driver(int* version) {
  *version = number_in(variable("AUTOKERNEL_TEST_VERSION"));
  return 0;
}

int no_words(int /*status*/, const char** text) {
  *text = nullptr;
  return kInvalidValue;
}

// The whole of an ELF image: its section headers stand last.
std::string_view image_in(const char* bytes) {
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes, sizeof header);
  return {bytes, header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize};
}

// By the kernel.
std::map<std::string, std::string> read_texts() {
  std::map<std::string, std::string> texts;
  const char* folder = variable("AUTOKERNEL_TEST_GPU");
  if (folder == nullptr) return texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    texts[entry.path().stem().string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return texts;
}

// Whoever is confined later can open no file then.
const std::map<std::string, std::string>& texts() {
  static const std::map<std::string, std::string> read = read_texts();
  return read;
}

std::string text_for(std::string_view image) {
  for (const auto& [kernel, text] : texts()) {
    // A function's code stands in a section of its name.
    if (image.find(".text." + kernel) != std::string_view::npos) return text;
  }
  return {};
}

int load_module(void** module, const char* image, unsigned options, int* names, void** values) {
  const auto load = real_as<decltype(&load_module)>("cuModuleLoadDataEx");
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return load(module, image, options, names, values);
  const std::string text = text_for(image_in(image));
  return text.empty() ? kInvalidImage : load(module, text.c_str(), options, names, values);
}

// The emulated device has the cache of a big GPU, and all of it is written and read over before
// each launch that is timed: seconds, here, for nothing.
int attribute(int* value, int name, int device) {
  constexpr int kL2CacheSize = 38;
  constexpr int kSmallCache = 1 << 16;
  if (name != kL2CacheSize)
    return real_as<decltype(&attribute)>("cuDeviceGetAttribute")(value, name, device);
  *value = kSmallCache;
  return 0;
}

// Events of the emulated device leave out what queueing costs, and the host's clock would notice:
// with this much for each launch there is room for it.
int elapsed(float* milliseconds, void* /*start*/, void* /*stop*/) {
  *milliseconds = 10;
  return 0;
}

// ---- who answers a call

void* replacement(std::string_view name) {
  if (name == "cuDeviceGetName" && variable("AUTOKERNEL_TEST_DEVICE") != nullptr) {
    return reinterpret_cast<void*>(&name_of_device);
  }
  if (name == "cuDriverGetVersion" && variable("AUTOKERNEL_TEST_VERSION") != nullptr) {
    return reinterpret_cast<void*>(&version_of_driver);
  }
  if (name.starts_with("cuGetError") && variable("AUTOKERNEL_TEST_SILENT") != nullptr) {
    return reinterpret_cast<void*>(&no_words);
  }
  if (variable("AUTOKERNEL_TEST_GPU") != nullptr) {
    if (name == "cuModuleLoadDataEx") return reinterpret_cast<void*>(&load_module);
    if (name == "cuDeviceGetAttribute") return reinterpret_cast<void*>(&attribute);
    if (name == "cuEventElapsedTime") return reinterpret_cast<void*>(&elapsed);
    // No driver of a GPU has these.
    if (name.starts_with("emu")) return reinterpret_cast<void*>(&returns_no_text);
  }
  return nullptr;
}

int once_file() {
  static const int file = ::open(variable("AUTOKERNEL_TEST_FAULT_ONCE"),
                                 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  return file;
}

bool is_in_that_process() {
  const char* wanted = variable("AUTOKERNEL_TEST_FAULT_IN");
  if (wanted == nullptr) return true;
  std::array<char, 16> name{};  // as long as the system keeps
  return ::prctl(PR_GET_NAME, name.data()) == 0 &&
         std::string_view(name.data()).starts_with(wanted);
}

// A fault that passes hits one call; any other that one and those that follow.
bool is_due(std::string_view name) {
  static std::atomic<int> uses{0};
  static const bool is_here = is_in_that_process();
  if (!is_here || fault().use == 0 || name != fault().call) return false;
  const int use = ++uses;
  if (variable("AUTOKERNEL_TEST_FAULT_ONCE") == nullptr) return use >= fault().use;
  if (use != fault().use) return false;
  // By what a confined process may still do.
  const bool first = ::lseek(once_file(), 0, SEEK_END) == 0;
  if (first && ::write(once_file(), "x", 1) != 1) std::abort();
  return first;
}

void count(std::string_view name) {
  const char* census = variable("AUTOKERNEL_TEST_CENSUS");
  if (census == nullptr) return;
  static const int file = ::open(census, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const std::string line = std::to_string(::getpid()) + " " + std::string(name) + "\n";
  if (::write(file, line.data(), line.size()) < 0) std::abort();
}

void* faulty(std::string_view name) {
  if (fault().effect == "hang") {
    for (;;) ::pause();
  }
  if (fault().effect == "crash") {
    ::signal(SIGSEGV, SIG_DFL);  // whoever watches for it, a sanitizer say
    ::raise(SIGSEGV);
  }
  return name.starts_with("emu") ? reinterpret_cast<void*>(&returns_no_text)
                                 : reinterpret_cast<void*>(&returns_code);
}

}  // namespace

// The function to go on to, in place of the one that was called.
extern "C" [[gnu::visibility("hidden")]] void* autokernel_test_answer(const char* name) {
  static_cast<void>(texts());
  if (variable("AUTOKERNEL_TEST_FAULT_ONCE") != nullptr) static_cast<void>(once_file());
  count(name);
  if (is_due(name)) return faulty(name);
  if (void* other = replacement(name)) return other;
  if (void* function = real(name)) return function;
  std::abort();  // the emulated driver has every one
}

// An entry point knows its name and nothing of its parameters: those stay where they are, in
// registers and on the stack, while the answer is looked up, and are the answer's from there on.
asm(R"(
.text
autokernel_test_forward:
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  sub $8, %rsp
  mov %rax, %rdi
  call autokernel_test_answer
  add $8, %rsp
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  jmp *%rax
)");

#define CALL(name)                                                  \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name \
      ":\n  lea 1f(%rip), %rax\n"                                   \
      "  jmp autokernel_test_forward\n"                             \
      "1: .asciz \"" #name "\"\n");
#define TEXT(name) CALL(name)
#include "support/faulty_driver/calls.inc"
#undef TEXT
#undef CALL
