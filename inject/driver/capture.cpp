#include "driver/capture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/image_digest.h"
#include "driver/memory_range.h"
#include "driver/real_driver.h"
#include "driver/relaxed_capture_mode.h"

namespace autokernel::inject {
namespace {

// What is read from the device and compared at once.
constexpr std::size_t kPiece = std::size_t{8} << 20U;
// Memory that has changed is written by blocks of this size.
constexpr std::size_t kBlock = std::size_t{64} << 10U;
// No pointer into memory of a device is less.
constexpr CUdeviceptr kLeastAddress = 1U << 16U;

std::atomic<std::uint64_t> written{0};   // bytes of memory, by all captures
std::atomic<unsigned> captures_made{0};  // numbers their folders

// A file that only this user can read.
class Output {
 public:
  explicit Output(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (file_ >= 0) close(file_);
  }
  void write(const void* bytes, std::size_t count) {
    const auto* next = static_cast<const char*>(bytes);
    while (file_ >= 0 && count > 0) {
      const ssize_t done = ::write(file_, next, count);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) {
        failure_ = errno;
        return;
      }
      next += done;
      count -= static_cast<std::size_t>(done);
    }
  }
  // 0: everything was written.
  [[nodiscard]] int failure() const { return file_ < 0 ? ENOENT : failure_; }

 private:
  int file_;
  int failure_ = 0;
};

// Memory that a parameter points into: an allocation, and the part of it that is kept.
struct Range {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CUdeviceptr kept = 0;  // where the part begins
  std::size_t kept_bytes = 0;
  unsigned type = CU_MEMORYTYPE_DEVICE;
};

struct Pointer {
  std::size_t offset;  // in the parameters
  CUdeviceptr address;
};

[[nodiscard]] bool find_range(CUdeviceptr address, Range& range) {
  if (address < kLeastAddress) return false;
  if (AUTOKERNEL_REAL(cuPointerGetAttribute)(&range.type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                             address) != CUDA_SUCCESS) {
    return false;
  }
  const auto memory = memory_at(address);
  if (!memory) return false;
  range.base = memory->begin;
  range.bytes = memory->bytes;
  return true;
}

[[nodiscard]] CUresult read_memory(void* to, CUdeviceptr from, std::size_t bytes) {
  return AUTOKERNEL_REAL(cuMemcpy)(reinterpret_cast<CUdeviceptr>(to), from, bytes);
}

[[nodiscard]] std::string hexadecimal(const std::vector<unsigned char>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

[[nodiscard]] std::string extent(const std::array<unsigned, 3>& extents) {
  return std::to_string(extents[0]) + '\t' + std::to_string(extents[1]) + '\t' +
         std::to_string(extents[2]);
}

}  // namespace

struct Capture::State {
  std::string folder;
  std::string text;     // of launch.txt
  std::string trouble;  // why it cannot be captured; empty: it can
  std::vector<Range> ranges;

  void line(const std::string& what, const std::string& fields) {
    text += what + '\t' + fields + '\n';
  }
  void fail(const std::string& why) {
    if (trouble.empty()) trouble = why;
  }

  void describe(const LaunchView& launch, const LaunchedFunction& function);
  [[nodiscard]] std::vector<unsigned char> parameters(const LaunchView& launch,
                                                      const LaunchedFunction& function);
  void find_ranges(const std::vector<unsigned char>& bytes);
  void write_image(const LaunchedFunction& function);
  void write_before();
  void write_after();
  [[nodiscard]] std::string memory_file(std::size_t range, const char* when) const {
    return folder + "/memory-" + std::to_string(range) + "-" + when + ".bin";
  }
};

void Capture::State::describe(const LaunchView& launch, const LaunchedFunction& function) {
  line("kernel", function.name());
  line("grid", extent(launch.shape.grid));
  line("block", extent(launch.shape.block));
  line("dynamic_shared", std::to_string(launch.shape.shared_bytes));
  line("cooperative", launch.cooperative ? "1" : "0");
  line("stream", launch.stream == nullptr ? "default" : "own");
  for (unsigned i = 0; i < launch.attribute_count; ++i) {
    const CUlaunchAttribute& attribute = launch.attributes[i];
    const auto* value = reinterpret_cast<const unsigned char*>(&attribute.value);
    line("attribute", std::to_string(attribute.id) + '\t' +
                          hexadecimal({value, value + sizeof attribute.value}));
  }
  line("most_dynamic_shared",
       std::to_string(function.attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)));
  line("carveout",
       std::to_string(function.attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)));
  line("non_portable_cluster",
       std::to_string(function.attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)));
  CUdevice device = 0;
  int major = 0;
  int minor = 0;
  (void)AUTOKERNEL_REAL(cuCtxGetDevice)(&device);
  (void)AUTOKERNEL_REAL(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                              device);
  (void)AUTOKERNEL_REAL(cuDeviceGetAttribute)(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                              device);
  line("capability", std::to_string(major) + '\t' + std::to_string(minor));
}

std::vector<unsigned char> Capture::State::parameters(const LaunchView& launch,
                                                      const LaunchedFunction& function) {
  std::vector<LaunchedFunction::Parameter> listed;
  if (!function.list_parameters(listed)) {
    fail("the driver does not tell a kernel's parameters; it takes one of CUDA 12.4 or later");
    return {};
  }
  std::vector<unsigned char> bytes = packed_parameters(launch);
  const std::vector<std::vector<unsigned char>> each = parameters_of(launch, listed);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto& [offset, count] = listed[i];
    line("parameter", std::to_string(offset) + '\t' + std::to_string(count));
    bytes.resize(std::max(bytes.size(), offset + count));
    if (launch.extra == nullptr && !each[i].empty()) {
      std::memcpy(bytes.data() + offset, each[i].data(), count);
    }
  }
  line("bytes", hexadecimal(bytes));
  return bytes;
}

void Capture::State::find_ranges(const std::vector<unsigned char>& bytes) {
  std::map<CUdeviceptr, Range> found;
  std::map<CUdeviceptr, CUdeviceptr> lowest;  // pointer into each
  for (std::size_t offset = 0; offset + sizeof(CUdeviceptr) <= bytes.size();
       offset += sizeof(CUdeviceptr)) {
    CUdeviceptr address = 0;
    std::memcpy(&address, bytes.data() + offset, sizeof address);
    Range range;
    if (!find_range(address, range)) continue;
    found[range.base] = range;
    const auto [entry, is_new] = lowest.try_emplace(range.base, address);
    if (!is_new) entry->second = std::min(entry->second, address);
    line("pointer", std::to_string(offset) + '\t' + std::to_string(address));
  }
  // An allocation that is too large is kept from the first pointer into it on.
  const std::uint64_t most = request().most_bytes;
  std::uint64_t used = written.load();
  for (auto& [base, range] : found) {
    const std::uint64_t left = most > used ? most - used : 0;
    range.kept = range.base;
    if (range.bytes > left) range.kept = lowest[base] / kBlock * kBlock;
    range.kept = std::max(range.kept, range.base);
    range.kept_bytes = std::min<std::uint64_t>(range.bytes - (range.kept - range.base), left);
    if (range.kept_bytes == 0) {
      fail("it is given more memory than may be kept (--budget): " + std::to_string(range.bytes) +
           " bytes in one allocation");
      return;
    }
    used += range.kept_bytes;
    line("range", std::to_string(range.base) + '\t' + std::to_string(range.bytes) + '\t' +
                      std::to_string(range.kept) + '\t' + std::to_string(range.kept_bytes) + '\t' +
                      (range.type == CU_MEMORYTYPE_HOST ? "host" : "device"));
    ranges.push_back(range);
  }
  written = used;
}

void Capture::State::write_image(const LaunchedFunction& function) {
  const auto image = image_of(function.code());
  if (image == nullptr) {
    fail("its code was loaded in a way that is not known");
    return;
  }
  line("image", image_digest(*image));
  Output output(folder + "/image.bin");
  output.write(image->data(), image->size());
  if (output.failure() != 0)
    fail(std::string("cannot write its code: ") + std::strerror(output.failure()));
}

void Capture::State::write_before() {
  std::vector<char> piece(kPiece);
  for (std::size_t i = 0; i < ranges.size() && trouble.empty(); ++i) {
    const Range& range = ranges[i];
    Output output(memory_file(i, "before"));
    for (std::size_t done = 0; done < range.kept_bytes && trouble.empty(); done += kPiece) {
      const std::size_t count = std::min(kPiece, range.kept_bytes - done);
      if (read_memory(piece.data(), range.kept + done, count) != CUDA_SUCCESS) {
        fail("its memory cannot be read");
      }
      output.write(piece.data(), count);
    }
    if (output.failure() != 0) {
      fail(std::string("cannot write its memory: ") + std::strerror(output.failure()));
    }
  }
}

// The blocks that are not as before, each behind its number.
void Capture::State::write_after() {
  std::vector<char> piece(kPiece);
  std::vector<char> before(kPiece);
  for (std::size_t i = 0; i < ranges.size() && trouble.empty(); ++i) {
    const Range& range = ranges[i];
    std::ifstream earlier(memory_file(i, "before"), std::ios::binary);
    Output output(memory_file(i, "after"));
    for (std::size_t done = 0; done < range.kept_bytes; done += kPiece) {
      const std::size_t count = std::min(kPiece, range.kept_bytes - done);
      if (read_memory(piece.data(), range.kept + done, count) != CUDA_SUCCESS) {
        fail("its memory cannot be read after the launch");
        return;
      }
      earlier.read(before.data(), static_cast<std::streamsize>(count));
      for (std::size_t begin = 0; begin < count; begin += kBlock) {
        const std::size_t bytes = std::min(kBlock, count - begin);
        if (std::memcmp(piece.data() + begin, before.data() + begin, bytes) == 0) continue;
        const std::uint64_t number = (done + begin) / kBlock;
        output.write(&number, sizeof number);
        output.write(piece.data() + begin, bytes);
      }
    }
    if (output.failure() != 0) {
      fail(std::string("cannot write its results: ") + std::strerror(output.failure()));
    }
  }
}

Capture::Capture(const LaunchView& launch, const LaunchedFunction& function,
                 std::uint64_t occurrence)
    : state_(new State) {
  State& state = *state_;
  state.folder =
      request().folder + "/" + std::to_string(getpid()) + "-" + std::to_string(captures_made++);
  if (mkdir(state.folder.c_str(), 0700) != 0) {
    state.fail("no folder");
    return;
  }
  const RelaxedCaptureMode relaxed;
  state.text = "autokernel-capture\t1\n";
  state.line("occurrence", std::to_string(occurrence));
  state.describe(launch, function);
  if (AUTOKERNEL_REAL(cuCtxSynchronize)() != CUDA_SUCCESS)
    state.fail("the device reports an error of an earlier launch");
  const std::vector<unsigned char> bytes = state.parameters(launch, function);
  state.find_ranges(bytes);
  if (state.trouble.empty()) state.write_image(function);
  if (state.trouble.empty()) state.write_before();
}

void Capture::finish(CUresult launched) {
  State& state = *state_;
  const RelaxedCaptureMode relaxed;
  if (launched != CUDA_SUCCESS) state.fail("the driver refused the launch");
  if (state.trouble.empty() && AUTOKERNEL_REAL(cuCtxSynchronize)() != CUDA_SUCCESS) {
    state.fail("the launch ended with an error");
  }
  if (state.trouble.empty()) state.write_after();
  state.line("end", state.trouble.empty() ? "whole" : "trouble\t" + state.trouble);
  const std::string unfinished = state.folder + "/launch.unfinished";
  {
    Output output(unfinished);
    output.write(state.text.data(), state.text.size());
  }
  (void)std::rename(unfinished.c_str(), (state.folder + "/launch.txt").c_str());
}

Capture::~Capture() { delete state_; }

void note_graph(const LaunchedFunction& function) {
  const std::string path = request().folder + "/" + std::to_string(getpid()) + "-graphs.txt";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string line = function.name() + '\n';
  [[maybe_unused]] const ssize_t count = ::write(file, line.data(), line.size());
  close(file);
}

}  // namespace autokernel::inject
