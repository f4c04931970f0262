#include "trial/launch/device_operands.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "autokernel/cases/captured_values.h"
#include "trial/inputs/recipe.h"

namespace autokernel::trial {
namespace {

// What a job writes, as the source below knows it.
enum class Content : std::uint32_t {
  random_bytes,
  normal,
  uniform,
  integers,
  whole,
  sorted,
  offsets,
  permutation,
  captured
};

// Each thread makes one Philox block, which is four words, sixteen apart (philox.h). Loops are kept
// as they are: unrolled, they take a second to compile, and a trial waits for it.
constexpr const char* kSource = R"(
struct Job {
  unsigned long long address;
  unsigned long long count;        // elements; of random bytes, bytes
  unsigned long long first_group;  // of the sequence
  unsigned long long choices;      // integers
  unsigned long long row_length;   // whole numbers, indices
  long long first;
  double low, width;
  float factor, limit;
  unsigned tensor, purpose, content, dtype, bytes, change, spread, values, by_columns;
  int exponent_low;
  unsigned exponents;
};
struct Jobs {
  unsigned key[2];
  Job job[32];
};

__device__ inline uint4 philox(unsigned long long counter, unsigned tensor, unsigned purpose, const unsigned* key) {
  uint4 c = make_uint4(static_cast<unsigned>(counter), static_cast<unsigned>(counter >> 32), tensor, purpose);
  unsigned key0 = key[0], key1 = key[1];
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}
__device__ inline float power_of_two(int exponent) { return __int_as_float((exponent + 127) << 23); }

__device__ inline unsigned to_bf16(float value) {
  const unsigned bits = __float_as_uint(value);
  const unsigned rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
}
__device__ inline unsigned to_f16(float value) {
  const unsigned bits = __float_as_uint(value);
  const unsigned sign = (bits >> 16) & 0x8000u;
  const unsigned magnitude = bits & 0x7fffffffu;
  const unsigned subnormal = __float_as_uint(__fadd_rn(__uint_as_float(magnitude), 0.5f)) - __float_as_uint(0.5f);
  const unsigned normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const unsigned finite = magnitude < 0x38800000u ? subnormal : normal;
  const unsigned bounded = magnitude >= 0x47800000u ? 0x7c00u : finite;
  return magnitude > 0x7f800000u ? 0x7fffu : (bounded | sign);
}

// As float_to_small in inputs/conversion.h.
__device__ inline unsigned to_small(float value, unsigned shift, unsigned bias, unsigned largest) {
  const unsigned bits = __float_as_uint(value);
  const unsigned magnitude = bits & 0x7fffffffu;
  const unsigned least = bias + 1 << 23, unit = least + (shift << 23);
  const unsigned subnormal = __float_as_uint(__fadd_rn(__uint_as_float(magnitude), __uint_as_float(unit))) - unit;
  const unsigned normal = (magnitude - (bias << 23) + (1u << shift - 1) - 1 + (magnitude >> shift & 1u)) >> shift;
  const unsigned rounded = magnitude < least ? subnormal : normal;
  const unsigned finite = magnitude >= 0x47800000u || rounded > largest ? largest : rounded;
  return magnitude > 0x7f800000u ? 0x7fu : (finite | bits >> 24 & 0x80u);
}

__device__ inline unsigned mixed(unsigned value) {
  value *= 0x9E3779B1u;
  value ^= value >> 15;
  value *= 0x85EBCA6Bu;
  return value ^ value >> 13;
}
// Element i of a tensor of indices (trial/inputs/indices.h).
__device__ inline unsigned long long index(const Job& job, const unsigned* key, unsigned word, unsigned long long i) {
  unsigned long long place = i % job.row_length, length = job.row_length;
  if (job.content == 7) {
    if (length < 2) return 0;
    const uint4 rounds = philox(i / length, job.tensor, 5, key);
    const unsigned round[4] = {rounds.x, rounds.y, rounds.z, rounds.w};
    const unsigned half = (65 - __clzll(length - 1)) / 2, mask = (1u << half) - 1;
    do {
      unsigned left = static_cast<unsigned>(place >> half), right = static_cast<unsigned>(place) & mask;
#pragma unroll 1
      for (int r = 0; r < 4; ++r) {
        const unsigned next = left ^ mixed(right + round[r]) & mask;
        left = right;
        right = next;
      }
      place = static_cast<unsigned long long>(left) << half | right;
    } while (place >= length);
    return place;
  }
  if (job.content == 6) {
    if (place == 0) return job.first;
    if (place + 1 == length) return job.first + job.choices - 1;
    --place;
    length -= 2;
  }
  const unsigned long long begin = place * job.choices / length;
  const unsigned long long width = (place + 1) * job.choices / length - begin;
  return job.first + begin + (word * width >> 32);
}

// The bits of element i, which has this word.
__device__ inline unsigned long long element(const Job& job, const unsigned* key, const float* quantiles, unsigned word,
                                   unsigned long long i) {
  if (job.content == 0) return word;
  if (job.content == 8) {
    const unsigned long long chosen = job.by_columns == 1 ? word * job.choices >> 32 : i;
    const unsigned char* from = reinterpret_cast<const unsigned char*>(job.first) + chosen * job.bytes;
    unsigned long long bits = 0;
    for (unsigned b = 0; b < job.bytes; ++b) bits |= static_cast<unsigned long long>(from[b]) << 8 * b;
    // As perturbed and near_captured in cases/captured_values.h.
    if (job.by_columns == 2) return bits & ~1ull | word >> 31;
    if (job.by_columns == 0 || job.values < 2) return bits;
    const unsigned long long most = (1ull << 8 * job.bytes - 1) - 1, exponent = (bits & most) >> job.values;
    if (exponent == 0 || exponent == most >> job.values) return bits;
    const unsigned drawn = job.values / 2;
    return bits >> drawn << drawn | static_cast<unsigned>(word * job.choices) >> 32 - drawn;
  }
  if (job.content >= 5) return index(job, key, word, i);
  const long long integer = job.first + static_cast<long long>((word * job.choices) >> 32);
  const bool is_whole = job.dtype == 3 || job.dtype == 4 || (job.dtype >= 6 && job.dtype <= 10);
  if (is_whole && job.content == 3) return static_cast<unsigned long long>(integer);
  float value = 0;
  if (job.content == 1) {
    const unsigned segment = word >> 20;
    const float rest = __fmul_rn(static_cast<float>(static_cast<int>(word & 0xfffffu)), 0x1p-20f);
    const float low = quantiles[segment];
    value = __fadd_rn(low, __fmul_rn(rest, __fsub_rn(quantiles[segment + 1], low)));
  } else if (job.content == 2) {
    const float share = __fmul_rn(static_cast<float>(static_cast<int>(word >> 8)), 0x1p-24f);
    value = __fadd_rn(static_cast<float>(job.low), __fmul_rn(static_cast<float>(job.width), share));
  } else if (job.content == 3) {
    value = static_cast<float>(integer);
  } else {
    const unsigned long long line = job.by_columns ? i % job.row_length : i / job.row_length;
    const uint4 block = philox(line / 64 * 16 + line % 16, job.tensor, 1, key);
    const unsigned part = line % 64 / 16;
    const unsigned chosen = part == 0 ? block.x : part == 1 ? block.y : part == 2 ? block.z : block.w;
    const float whole = static_cast<float>(static_cast<int>(((word >> 16) * job.values) >> 16)) - job.limit;
    value = __fmul_rn(whole, power_of_two(job.exponent_low + static_cast<int>(chosen % job.exponents)));
  }
  const unsigned step = ((word & 0xffu) * (2 * job.spread + 1)) >> 8;
  const float by = job.change == 1 ? job.factor
                   : job.change == 2 ? power_of_two(static_cast<int>(step) - static_cast<int>(job.spread))
                                     : 1.0f;
  if (job.dtype == 5) {
    double wide = value;
    if (job.content == 1 && value != 0) {
      wide = __longlong_as_double(__double_as_longlong(wide) | word * 0x9E3779B1u >> 3);
    }
    if (job.content == 2) wide = __dadd_rn(job.low, __dmul_rn(job.width, __dmul_rn(word, 0x1p-32)));
    if (job.content == 3) wide = static_cast<double>(integer);
    return __double_as_longlong(job.change == 3 ? static_cast<double>(job.factor) : __dmul_rn(wide, by));
  }
  value = job.change == 3 ? job.factor : __fmul_rn(value, by);
  switch (job.dtype) {
    case 0: return __float_as_uint(value);
    case 1: return to_f16(value);
    case 2: return to_bf16(value);
    case 11: return to_small(value, 20, 120, 0x7eu);
    default: return to_small(value, 21, 112, 0x7bu);
  }
}

__device__ inline void write(unsigned long long address, unsigned long long bits, unsigned bytes) {
  if (bytes == 8 && address % 8 == 0) {
    *reinterpret_cast<unsigned long long*>(address) = bits;
  } else if (bytes == 4 && address % 4 == 0) {
    *reinterpret_cast<unsigned*>(address) = static_cast<unsigned>(bits);
  } else if (bytes == 2 && address % 2 == 0) {
    *reinterpret_cast<unsigned short*>(address) = static_cast<unsigned short>(bits);
  } else {
    for (unsigned i = 0; i < bytes; ++i) {
      reinterpret_cast<unsigned char*>(address)[i] = static_cast<unsigned char>(bits >> 8 * i);
    }
  }
}
__device__ inline bool holds(unsigned long long address, unsigned long long bits, unsigned bytes) {
  if (bytes == 4 && address % 4 == 0) return *reinterpret_cast<const volatile unsigned*>(address) == static_cast<unsigned>(bits);
  unsigned long long difference = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    difference |= reinterpret_cast<const volatile unsigned char*>(address)[i] ^ (bits >> 8 * i & 0xffu);
  }
  return difference == 0;
}

// Writes the operands; with `differs`, writes 1 there where they are others. A row of blocks for each job.
extern "C" __global__ void harness_operands(const __grid_constant__ Jobs jobs, const float* quantiles,
                                            volatile unsigned* differs) {
  const Job& job = jobs.job[blockIdx.y];
  const unsigned bytes = job.content == 0 ? 4 : job.bytes;
  const unsigned long long words = job.content == 0 ? (job.count + 3) / 4 : job.count;
  const unsigned long long blocks = (words + 63) / 64 * 16;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long b = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; b < blocks;
       b += stride) {
    const uint4 block = philox(job.first_group * 16 + b, job.tensor, job.purpose, jobs.key);
    const unsigned word[4] = {block.x, block.y, block.z, block.w};
#pragma unroll 1
    for (unsigned part = 0; part < 4; ++part) {
      const unsigned long long i = b / 16 * 64 + part * 16 + b % 16;
      if (i >= words) continue;
      const unsigned long long bits = element(job, jobs.key, quantiles, word[part], i);
      const unsigned long long address = job.address + i * bytes;
      const bool is_last = job.content == 0 && i == words - 1;
      const unsigned here = is_last ? static_cast<unsigned>(job.count - 4 * i) : bytes;
      if (differs == nullptr) {
        write(address, bits, here);
      } else if (!holds(address, bits, here)) {
        *differs = 1;
      }
    }
  }
}
)";

constexpr std::size_t kJobsAtOnce = 32;  // a kernel takes 4 KiB of parameters

[[nodiscard]] Content content_of(const Recipe& recipe) {
  if (recipe.whole) return Content::whole;
  switch (recipe.declared.distribution) {
    case cases::Distribution::normal:
      return Content::normal;
    case cases::Distribution::uniform:
      return Content::uniform;
    case cases::Distribution::integers:
      return Content::integers;
    case cases::Distribution::sorted:
      return Content::sorted;
    case cases::Distribution::offsets:
      return Content::offsets;
    case cases::Distribution::permutation:
      return Content::permutation;
    case cases::Distribution::captured:
      return Content::captured;
  }
  return Content::normal;
}

// The source above knows the types by these numbers.
static_assert(static_cast<int>(cases::DType::i32) == 3 &&
              static_cast<int>(cases::DType::f64) == 5 &&
              static_cast<int>(cases::DType::boolean) == 10 &&
              static_cast<int>(cases::DType::e5m2) == 12);

[[nodiscard]] std::uint32_t number_of(Recipe::Change change) {
  switch (change) {
    case Recipe::Change::none:
      return 0;
    case Recipe::Change::times:
      return 1;
    case Recipe::Change::mixed:
      return 2;
    case Recipe::Change::constant:
      return 3;
  }
  return 0;
}

}  // namespace

// As in the source above.
struct DeviceOperands::Job {
  std::uint64_t address = 0;
  std::uint64_t count = 0;
  std::uint64_t first_group = 0;
  std::uint64_t choices = 1;
  std::uint64_t row_length = 1;
  std::int64_t first = 0;
  double low = 0;
  double width = 0;
  float factor = 1;
  float limit = 0;
  std::uint32_t tensor = 0;
  std::uint32_t purpose = 0;
  std::uint32_t content = 0;
  std::uint32_t dtype = 0;
  std::uint32_t bytes = 1;  // of an element
  std::uint32_t change = 0;
  std::uint32_t spread = 0;
  std::uint32_t values = 1;
  std::uint32_t by_columns = 0;
  std::int32_t exponent_low = 0;
  std::uint32_t exponents = 1;

  static Job of_bytes(driver::Address address, std::size_t bytes, std::size_t buffer,
                      Purpose purpose, std::size_t begin = 0) {
    Job job;
    job.address = address;
    job.count = bytes;
    job.first_group = begin / (kGroupWords * sizeof(std::uint32_t));
    job.tensor = static_cast<std::uint32_t>(buffer);
    job.purpose = static_cast<std::uint32_t>(purpose);
    return job;
  }

  static Job of_input(driver::Address address, std::uint64_t count, const Recipe& recipe) {
    Job job;
    job.address = address;
    job.count = count;
    job.tensor = recipe.index;
    job.purpose = static_cast<std::uint32_t>(Purpose::values);
    job.content = static_cast<std::uint32_t>(content_of(recipe));
    job.dtype = static_cast<std::uint32_t>(recipe.dtype);
    job.bytes = static_cast<std::uint32_t>(cases::size_of(recipe.dtype));
    job.change = number_of(recipe.change);
    job.factor = recipe.factor;
    job.spread = recipe.spread;
    const UniformRange uniform = uniform_range(recipe.dtype, recipe.declared);
    job.low = uniform.low;
    job.width = uniform.width;
    const IntegerRange integers = integer_range(recipe.declared);
    job.row_length = recipe.row_length;
    job.first = integers.first;
    job.choices = integers.choices;
    if (recipe.whole) {
      const WholeNumbers& whole = *recipe.whole;
      job.row_length = whole.row_length;
      job.limit = static_cast<float>(whole.limit);
      job.values = static_cast<std::uint32_t>(2 * whole.limit + 1);
      job.by_columns = whole.along == Along::columns ? 1 : 0;
      job.exponent_low = whole.range.low;
      job.exponents = static_cast<std::uint32_t>(whole.range.high - whole.range.low + 1);
    }
    return job;
  }

  // The elements are those that lie there, or near them.
  void take_from(driver::Address captured, std::uint64_t sets, const Recipe& recipe) {
    const bool is_drawn = recipe.use == cases::CapturedUse::drawn;
    const std::uint64_t set = is_drawn ? 0 : recipe.set % sets;
    first = static_cast<std::int64_t>(captured + set * count * bytes);
    choices = count * sets;
    by_columns = is_drawn ? 1 : recipe.use == cases::CapturedUse::kept ? 0 : 2;
    values = static_cast<std::uint32_t>(cases::mantissa_bits(recipe.dtype));
  }
};

std::string operand_kernel() { return kSource; }

DeviceOperands::DeviceOperands(const driver::Device& device, const compile::Program& program,
                               const InputMaker& maker)
    : device_(&device),
      maker_(&maker),
      module_(device, program),
      kernel_(module_.kernel("harness_operands")),
      quantiles_(device.allocate(sizeof(maker.normal().quantiles()))),
      differs_(device.allocate_mapped(sizeof(std::uint32_t))),
      shape_(filling_shape(device)),
      staging_(device) {
  device.copy_in(quantiles_.address(), std::as_bytes(std::span(maker.normal().quantiles())));
}

driver::Address DeviceOperands::captured_on_device(const SizedTensor& tensor) {
  const std::string& values = maker_->captured(tensor);
  const auto [found, is_new] = captured_.try_emplace(tensor.fill.sha256);
  if (is_new) {
    found->second = device_->allocate(values.size());
    device_->copy_in(found->second.address(), std::as_bytes(std::span(values)));
  }
  return found->second.address();
}

std::vector<DeviceOperands::Job> DeviceOperands::jobs(const Operands& operands,
                                                      const Occasion& occasion, Wanted wanted) {
  std::vector<Job> jobs;
  const std::size_t guard = operands.guard_bytes();
  for (std::size_t b = 0; b < operands.buffer_count(); ++b) {
    const driver::Address begin = operands.address(b);
    const std::size_t bytes = operands.bytes(b);
    jobs.push_back(Job::of_bytes(begin - guard, guard, b, Purpose::guards));
    jobs.push_back(Job::of_bytes(begin + bytes, guard, b, Purpose::guards, guard));
    if (wanted == Wanted::unchanged && !operands.is_input(b)) continue;
    if (!operands.is_read(b)) {
      jobs.push_back(Job::of_bytes(begin, bytes, b, Purpose::noise));
      continue;
    }
    const SizedTensor& tensor = occasion.sized->tensors[b];
    const Recipe recipe = recipe_of(*occasion.sized, b, occasion.input_kind, occasion.key);
    jobs.push_back(Job::of_input(begin, tensor.count, recipe));
    if (tensor.fill.distribution == cases::Distribution::captured) {
      jobs.back().take_from(captured_on_device(tensor), maker_->captured(tensor).size() / bytes,
                            recipe);
    }
  }
  return jobs;
}

void DeviceOperands::queue_jobs(const std::vector<Job>& jobs, const Key& key,
                                driver::Address differs, const driver::Stream& stream) const {
  struct Jobs {
    std::array<std::uint32_t, 2> key;
    std::array<Job, kJobsAtOnce> job;
  };
  for (std::size_t first = 0; first < jobs.size(); first += kJobsAtOnce) {
    Jobs some{.key = key.words, .job = {}};
    const std::size_t count = std::min(kJobsAtOnce, jobs.size() - first);
    std::copy_n(jobs.begin() + static_cast<std::ptrdiff_t>(first), count, some.job.begin());
    driver::Shape shape = shape_;
    shape.grid[1] = static_cast<std::uint32_t>(count);
    queue(stream, kernel_, shape, some, quantiles_.address(), differs);
  }
}

void DeviceOperands::load(Operands& operands, const Occasion& occasion, const Key& noise,
                          const driver::Stream& stream) {
  std::vector<Job> values = jobs(operands, occasion, Wanted::all);
  if (noise != occasion.key) {
    const auto bytes = std::ranges::partition(values, [](const Job& job) {
      return job.content != static_cast<std::uint32_t>(Content::random_bytes);
    });
    queue_jobs({bytes.begin(), bytes.end()}, noise, 0, stream);
    values.erase(bytes.begin(), bytes.end());
  }
  queue_jobs(values, occasion.key, 0, stream);
  scalars_.resize(occasion.sized->tensors.size());
  for (std::size_t t = operands.tensor_count(); t < scalars_.size(); ++t) {
    maker_->make_one(*occasion.sized, t, occasion.input_kind, occasion.key, scalars_[t]);
  }
  operands.set_scalars(scalars_);
}

std::optional<Disturbance> DeviceOperands::disturbed(const Operands& operands,
                                                     const Occasion& occasion,
                                                     const driver::Stream& stream) {
  const std::atomic_ref<std::uint32_t> differs(*static_cast<std::uint32_t*>(differs_.host()));
  differs.store(0);
  queue_jobs(jobs(operands, occasion, Wanted::unchanged), occasion.key, differs_.device(), stream);
  expect_queued(stream.wait());
  if (differs.load() == 0) return std::nullopt;
  return described(operands, occasion);
}

Disturbance DeviceOperands::described(const Operands& operands, const Occasion& occasion) {
  std::vector<Bytes> inputs;
  maker_->make(*occasion.sized, occasion.input_kind, occasion.key, inputs);
  HostSide host;
  operands.make_guards(occasion.key, host);
  auto found = operands.disturbed(inputs, host);
  if (found) return *std::move(found);
  return {"its inputs, or what lies around its buffers, change while nothing runs", Cause::unknown};
}

}  // namespace autokernel::trial
