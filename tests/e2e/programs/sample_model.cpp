// A program as a framework is one: kernels of several kinds, step by step, on tensors that lie in
// one large allocation. It links nothing, prints a checksum of all results, and ends as its
// arguments say. Its kernels are sample_kernels.ptx, made of sample_kernels.cu.
//
//   sample_model [STEPS] [OPTION...]      3 steps of 8 launches each
//     --graph      capture a step into a CUDA graph, and launch that
//     --threads    two threads, each with a stream, a module and tensors of its own
//     --unload     load the kernels anew for each step
//     --no-launch  have the device do nothing
//     --spin       make steps until it is killed; says "running" on standard error
//   and in the end, after the checksum
//     --pause N    sleep for so many milliseconds
//     --exec       become this program anew, without options
//     --node       launch scale_and_shift once more, by a graph that is made node by node
//     --exit N     exit with that code
//     --crash      end by SIGSEGV
//     --kill       end by SIGKILL
//     --fault      launch a kernel that writes where nothing is
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "e2e/programs/driver_calls.h"
#include "e2e/programs/step_ranges.h"

namespace autokernel::test {
namespace {

constexpr std::size_t kArena = std::size_t{4} << 20U;  // bytes
constexpr std::size_t kAlignment = 512;                // of tensors, as PyTorch has them
// So that some tensors lie far from others.
constexpr std::size_t kGap = 8192;
constexpr int kRows = 6;
constexpr int kColumns = 50;  // so that no tensor ends where the next one begins
constexpr int kElements = kRows * kColumns;
constexpr int kTableRows = 20;
constexpr int kBins = 16;

struct Options {
  int steps = 3;
  bool graph = false, threads = false, unload = false, launch = true, spin = false;
  bool crash = false, kill = false, fault = false;
  bool exec = false, node = false;
  int pause_ms = 0;
  int exit_code = 0;
};

// As the kernel add_scaled takes it.
struct Operands {
  CUdeviceptr out, a, b;
  float alpha;
  int count;
};

[[nodiscard]] std::string kernels() {
  std::ifstream in(AUTOKERNEL_SAMPLE_KERNELS, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Gives tensors parts of an allocation, one after the other.
class Arena {
 public:
  Arena(CUdeviceptr begin, std::size_t bytes) : next_(begin), end_(begin + bytes) {}
  [[nodiscard]] CUdeviceptr take(std::size_t bytes) {
    const CUdeviceptr taken = next_;
    next_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (next_ > end_) std::abort();
    return taken;
  }

 private:
  CUdeviceptr next_, end_;
};

class Model {
 public:
  Model(const DriverCalls& driver, Arena arena, unsigned seed, const std::string& code)
      : driver_(driver), arena_(arena), random_(seed), code_(code) {
    driver_.check(driver_.make_stream(&stream_, CU_STREAM_NON_BLOCKING), "make a stream");
    load();
    table_ = floats(kTableRows * kColumns);
    state_ = floats(kElements);
    (void)arena_.take(kGap);
    rows_ = numbers(kRows, kTableRows);
    values_ = numbers(kElements, kBins);
    counts_ = numbers(kBins, 1);
    (void)arena_.take(kGap);
    for (CUdeviceptr* each : {&gathered_, &scaled_, &soft_, &added_}) {
      *each = arena_.take(kElements * sizeof(float));
    }
    sums_ = arena_.take(kRows * sizeof(float));
    before_ = arena_.take(kBins * sizeof(int));
  }

  // Other ones in each step, as the words of a text are.
  void choose_rows() {
    driver_.check(driver_.copy_to_device(rows_, random_numbers(kRows, kTableRows).data(),
                                         kRows * sizeof(int)),
                  "copy to the device");
  }

  void step() {
    launch("_ZN6sample6gatherEPfPKfPKii", kRows, kColumns, gathered_, table_, rows_, kColumns);
    launch("_ZN6sample15scale_and_shiftEPfPKfffi", 3, 128, scaled_, state_, 0.75F, 0.5F, kElements);
    launch("_ZN6sample7softmaxEPfPKfi", kRows, 32, soft_, scaled_, kColumns);
    launch("_ZN6sample8row_sumsEPfPKfi", kRows, 32, sums_, scaled_, kColumns);
    add_scaled();
    decay();
    launch("_ZN6sample9histogramEPiPKii", 3, 128, counts_, values_, kElements);
    launch("_ZN6sample6prefixEPiPKii", 1, 32, before_, counts_, kBins);
  }

  void begin_graph() {
    driver_.check(driver_.begin_capture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "capture");
    step();
    driver_.check(driver_.end_capture(stream_, &graph_), "end a capture");
    driver_.check(driver_.instantiate(&executable_, graph_, 0), "instantiate a graph");
  }
  void step_of_graph() const {
    driver_.check(driver_.launch_graph(executable_, stream_), "launch a graph");
  }

  // At the end: the graph is the only one.
  void launch_node() {
    float scale = 0.75F;
    float shift = 0.5F;
    int count = kElements;
    std::array<void*, 5> pointers{&scaled_, &state_, &scale, &shift, &count};
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.func = function("_ZN6sample15scale_and_shiftEPfPKfffi");
    parameters.gridDimX = 3;
    parameters.blockDimX = 128;
    parameters.gridDimY = parameters.gridDimZ = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = pointers.data();
    CUgraphNode node = nullptr;
    driver_.check(driver_.make_graph(&graph_, 0), "make a graph");
    driver_.check(driver_.add_kernel(&node, graph_, nullptr, 0, &parameters), "add a kernel");
    driver_.check(driver_.instantiate(&executable_, graph_, 0), "instantiate a graph");
    step_of_graph();
    wait();
  }

  void fault() {
    launch("_ZN6sample5strayEPf", 1, 1, state_);
    wait();
  }

  void wait() const { driver_.check(driver_.wait_for(stream_), "wait for a stream"); }

  void load_again() {
    wait();
    driver_.check(driver_.unload(module_), "unload the kernels");
    load();
  }

  // Of all that was computed, bit for bit.
  [[nodiscard]] std::uint64_t checksum() const {
    std::uint64_t sum = 0xcbf29ce484222325;
    const auto add = [&](CUdeviceptr from, std::size_t bytes) {
      std::vector<unsigned char> copy(bytes);
      driver_.check(driver_.copy_to_host(copy.data(), from, bytes), "copy to the host");
      for (const unsigned char byte : copy) sum = (sum ^ byte) * 0x100000001b3;
    };
    for (const CUdeviceptr each : {state_, gathered_, scaled_, soft_, added_}) {
      add(each, kElements * sizeof(float));
    }
    add(sums_, kRows * sizeof(float));
    add(counts_, kBins * sizeof(int));
    add(before_, kBins * sizeof(int));
    return sum;
  }

  void end() {
    if (executable_ != nullptr) {
      driver_.check(driver_.destroy_executable(executable_), "destroy");
    }
    if (graph_ != nullptr) driver_.check(driver_.destroy_graph(graph_), "destroy a graph");
    driver_.check(driver_.unload(module_), "unload the kernels");
    driver_.check(driver_.destroy_stream(stream_), "destroy a stream");
  }

 private:
  void load() { driver_.check(driver_.load(&module_, code_.c_str()), "load the kernels"); }

  [[nodiscard]] unsigned next_random() {
    random_ = random_ * 1664525 + 1013904223;
    return random_ >> 8U;
  }
  [[nodiscard]] CUdeviceptr copied(const auto& values) {
    const std::size_t bytes = values.size() * sizeof values[0];
    const CUdeviceptr there = arena_.take(bytes);
    driver_.check(driver_.copy_to_device(there, values.data(), bytes), "copy to the device");
    return there;
  }
  [[nodiscard]] CUdeviceptr floats(int count) {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      values.push_back(static_cast<float>(next_random() % 4096) / 2048 - 1);
    }
    return copied(values);
  }
  [[nodiscard]] std::vector<int> random_numbers(int count, unsigned below) {
    std::vector<int> values;
    values.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) values.push_back(static_cast<int>(next_random() % below));
    return values;
  }
  [[nodiscard]] CUdeviceptr numbers(int count, unsigned below) {
    return copied(random_numbers(count, below));
  }

  [[nodiscard]] CUfunction function(const char* name) const {
    CUfunction function = nullptr;
    driver_.check(driver_.function(&function, module_, name), "find a kernel");
    return function;
  }

  template <typename... Arguments>
  void launch(const char* name, unsigned grid, unsigned block, Arguments... arguments) const {
    std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
    driver_.check(driver_.launch(function(name), grid, 1, 1, block, 1, 1, 0, stream_,
                                 pointers.data(), nullptr),
                  "launch a kernel");
  }

  // As CUDA's newer functions have it, and with a structure by value.
  void add_scaled() const {
    Operands operands{added_, soft_, gathered_, 0.25F, kElements};
    std::array<void*, 1> pointers{&operands};
    CUlaunchConfig config{};
    config.gridDimX = 3;
    config.blockDimX = 128;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream_;
    driver_.check(
        driver_.launch_configured(&config, function("_ZN6sample10add_scaledENS_8OperandsE"),
                                  pointers.data(), nullptr),
        "launch a kernel");
  }

  // With all parameters in one buffer.
  void decay() const {
    struct {
      CUdeviceptr state, update;
      float rate;
      int count;
    } parameters{state_, added_, 0.9F, kElements};
    std::size_t bytes = sizeof parameters;
    std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, &parameters,
                               CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    driver_.check(driver_.launch(function("_ZN6sample5decayEPfPKffi"), 3, 1, 1, 128, 1, 1, 0,
                                 stream_, nullptr, extra.data()),
                  "launch a kernel");
  }

  const DriverCalls& driver_;
  Arena arena_;
  unsigned random_;
  const std::string& code_;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
  CUdeviceptr table_ = 0, state_ = 0, rows_ = 0, values_ = 0, counts_ = 0;
  CUdeviceptr gathered_ = 0, scaled_ = 0, soft_ = 0, added_ = 0, sums_ = 0, before_ = 0;
};

void make_steps(Model& model, const Options& options) {
  if (options.graph) model.begin_graph();
  for (int i = 0; options.spin || i < options.steps; ++i) {
    model.choose_rows();
    StepRanges::push("step");
    options.graph ? model.step_of_graph() : model.step();
    model.wait();
    StepRanges::pop();
    if (options.spin && i == 0) std::fprintf(stderr, "running\n");
    if (options.unload) model.load_again();
  }
}

void run(const DriverCalls& driver, CUcontext context, const Options& options) {
  if (!options.launch) {
    std::printf("checksum of nothing\n");
    return;
  }
  CUdeviceptr memory = 0;
  driver.check(driver.allocate(&memory, kArena), "allocate memory");
  constexpr unsigned char kEarlierUse = 0x3c;
  driver.check(driver.fill(memory, kEarlierUse, kArena), "fill memory");
  const std::string code = kernels();
  std::vector<Model> models;
  const std::size_t count = options.threads ? 2 : 1;
  models.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    models.emplace_back(driver, Arena(memory + i * kArena / count, kArena / count),
                        static_cast<unsigned>(i), code);
  }
  if (options.threads) {
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (Model& model : models) {
      threads.emplace_back([&] {
        driver.check(driver.use_context(context), "use a context");
        make_steps(model, options);
      });
    }
    for (std::thread& thread : threads) thread.join();
  } else {
    make_steps(models.front(), options);
  }
  std::uint64_t sum = 0;
  for (const Model& model : models) sum += model.checksum();
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(sum));
  std::fflush(stdout);
  if (options.node) models.front().launch_node();
  if (options.fault) models.front().fault();
  for (Model& model : models) model.end();
  driver.check(driver.free(memory), "free memory");
}

[[nodiscard]] Options options_of(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    const auto number = [&](int at) {
      return at < count ? static_cast<int>(std::strtol(arguments[at], nullptr, 10)) : 0;
    };
    if (word == "--exit") {
      options.exit_code = number(++i);
    } else if (word == "--pause") {
      options.pause_ms = number(++i);
    } else if (word == "--no-launch") {
      options.launch = false;
    } else if (word.starts_with("--")) {
      options.graph |= word == "--graph";
      options.threads |= word == "--threads";
      options.unload |= word == "--unload";
      options.spin |= word == "--spin";
      options.node |= word == "--node";
      options.exec |= word == "--exec";
      options.crash |= word == "--crash";
      options.kill |= word == "--kill";
      options.fault |= word == "--fault";
    } else {
      options.steps = number(i);
    }
  }
  return options;
}

int run_program(const Options& options) {
  const DriverCalls driver;
  const StepRanges ranges;
  CUdevice device = 0;
  CUcontext context = nullptr;
  driver.check(driver.init(0), "start CUDA");
  driver.check(driver.device(&device, 0), "find a device");
  driver.check(driver.retain_context(&context, device), "make a context");
  driver.check(driver.use_context(context), "use a context");
  run(driver, context, options);
  std::this_thread::sleep_for(std::chrono::milliseconds{options.pause_ms});
  if (options.exec) ::execl("/proc/self/exe", "sample_model", nullptr);
  if (options.crash || options.kill) {
    const rlimit none{};
    (void)::setrlimit(RLIMIT_CORE, &none);
    (void)std::signal(SIGSEGV, SIG_DFL);  // whoever watches for it, a sanitizer say
    (void)std::raise(options.crash ? SIGSEGV : SIGKILL);
  }
  driver.check(driver.release_context(device), "release the context");
  return options.exit_code;
}

}  // namespace
}  // namespace autokernel::test

int main(int count, char** arguments) {
  return autokernel::test::run_program(autokernel::test::options_of(count, arguments));
}
