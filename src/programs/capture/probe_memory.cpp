#include "programs/capture/probe_memory.h"

#include <string_view>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"

namespace autokernel::programs {
namespace {

// The comparison reads whole words, of which the last may reach behind the range.
constexpr std::uint64_t kWord = 4;

// Each thread strides over words. Of one that is not as expected it looks at the bytes:
//
//   at = 4 * word + byte - skew
//   differs: 0 <= at < size, found != expected, and not (begin <= at < end and found == poison)
//
// `skew` bytes of the first word lie before the range. Written as PTX, so that nothing has to be
// compiled for it.
constexpr std::string_view kCompare = R"(.version 6.0
.target sm_50
.address_size 64

.visible .entry compare(.param .u64 p_found, .param .u64 p_expected, .param .u64 p_poison, .param .u64 p_size,
                        .param .u64 p_skew, .param .u64 p_begin, .param .u64 p_end, .param .u64 p_differs) {
  .reg .pred %p<8>;
  .reg .b32 %r<20>;
  .reg .b64 %d<30>;
  ld.param.u64 %d1, [p_found];
  ld.param.u64 %d2, [p_expected];
  ld.param.u64 %d3, [p_poison];
  ld.param.u64 %d4, [p_size];
  ld.param.u64 %d5, [p_skew];
  ld.param.u64 %d6, [p_begin];
  ld.param.u64 %d7, [p_end];
  ld.param.u64 %d8, [p_differs];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  cvta.to.global.u64 %d3, %d3;
  cvta.to.global.u64 %d8, %d8;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %d9, %r1, %r2;
  cvt.u64.u32 %d10, %r3;
  add.u64 %d9, %d9, %d10;
  mul.wide.u32 %d10, %r4, %r2;
  add.u64 %d11, %d4, %d5;
  add.u64 %d11, %d11, 3;
  shr.u64 %d11, %d11, 2;
next_word:
  setp.ge.u64 %p1, %d9, %d11;
  @%p1 bra done;
  shl.b64 %d12, %d9, 2;
  add.u64 %d13, %d1, %d12;
  add.u64 %d14, %d2, %d12;
  ld.global.u32 %r5, [%d13];
  ld.global.u32 %r6, [%d14];
  setp.eq.u32 %p1, %r5, %r6;
  @%p1 bra step;
  add.u64 %d15, %d3, %d12;
  ld.global.u32 %r7, [%d15];
  xor.b32 %r8, %r5, %r6;
  xor.b32 %r9, %r5, %r7;
  sub.s64 %d16, %d12, %d5;
  mov.u32 %r10, 0;
next_byte:
  and.b32 %r11, %r8, 255;
  and.b32 %r12, %r9, 255;
  shr.u32 %r8, %r8, 8;
  shr.u32 %r9, %r9, 8;
  setp.eq.u32 %p1, %r11, 0;
  @%p1 bra same_byte;
  setp.lt.s64 %p2, %d16, 0;
  @%p2 bra same_byte;
  setp.ge.s64 %p3, %d16, %d4;
  @%p3 bra same_byte;
  setp.ge.s64 %p4, %d16, %d6;
  setp.lt.s64 %p5, %d16, %d7;
  setp.eq.u32 %p6, %r12, 0;
  and.pred %p4, %p4, %p5;
  and.pred %p4, %p4, %p6;
  @%p4 bra same_byte;
  mov.u32 %r13, 1;
  st.global.u32 [%d8], %r13;
same_byte:
  add.s64 %d16, %d16, 1;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p7, %r10, 4;
  @%p7 bra next_byte;
step:
  add.u64 %d9, %d9, %d10;
  bra next_word;
done:
  ret;
}
)";

[[nodiscard]] driver::Module loaded_comparison(const driver::Device& device) {
  // With the zero byte that ends the text.
  driver::Loading loading =
      device.load(std::as_bytes(std::span(kCompare.data(), kCompare.size() + 1)));
  if (const auto* fault = std::get_if<driver::Fault>(&loading)) {
    throw Error(Stop::environment, "cannot load the kernel that compares memory: " + fault->text);
  }
  return std::get<driver::Module>(std::move(loading));
}

[[nodiscard]] driver::Kernel comparison_in(const driver::Module& module) {
  const auto kernel = module.kernel("compare");
  if (!kernel) throw Error(Stop::internal, "the comparison of memory has no kernel");
  return *kernel;
}

// What is queued here cannot fault by itself.
void expect(const std::optional<driver::Fault>& fault) {
  if (fault) throw Error(Stop::environment, "cannot compare memory on the device: " + fault->text);
}

}  // namespace

std::unique_ptr<ProbeMemory> ProbeMemory::made(const driver::Device& device,
                                               const CapturedLaunch& launch, const Replay& replay,
                                               const std::vector<Bytes>& expected) {
  try {
    return std::make_unique<ProbeMemory>(device, launch, replay, expected);
  } catch (const Error& error) {
    if (error.stop() != Stop::environment) throw;
    return nullptr;
  }
}

ProbeMemory::ProbeMemory(const driver::Device& device, const CapturedLaunch& launch,
                         const Replay& replay, const std::vector<Bytes>& expected)
    : device_(device),
      launch_(launch),
      replay_(replay),
      stream_(device.make_stream()),
      module_(loaded_comparison(device)),
      compare_(comparison_in(module_)),
      found_(device.allocate(sizeof(std::uint32_t))) {
  for (std::size_t r = 0; r < launch.ranges.size(); ++r) {
    RangeCopies copies{.before = copy_like(r),
                       .expected = copy_like(r),
                       .poisons = {copy_like(r), copy_like(r), copy_like(r), copy_like(r)}};
    device.copy_in(copies.before.address, launch.ranges[r].before);
    device.copy_in(copies.expected.address, expected[r]);
    ranges_.push_back(std::move(copies));
  }
}

ProbeMemory::Copy ProbeMemory::copy_like(std::size_t range) const {
  driver::Buffer buffer =
      device_.allocate(launch_.ranges[range].before.size() + kReplayAlignment + kWord);
  const driver::Address address = buffer.address() + replay_.address(range) % kReplayAlignment;
  return {std::move(buffer), address};
}

void ProbeMemory::copy(driver::Address to, driver::Address from, std::uint64_t bytes) const {
  if (bytes == 0) return;
  expect(stream_.copy(to, from, bytes));
  expect(stream_.wait());
}

void ProbeMemory::restore(std::size_t range) const {
  copy(replay_.address(range), ranges_[range].before.address, launch_.ranges[range].before.size());
}

bool ProbeMemory::has_poison(std::size_t poison, std::size_t range) const {
  return ranges_[range].has_poison.at(poison);
}

void ProbeMemory::add_poison(std::size_t poison, std::size_t range,
                             std::span<const std::byte> bytes) {
  device_.copy_in(ranges_[range].poisons.at(poison).address, bytes);
  ranges_[range].has_poison.at(poison) = true;
}

void ProbeMemory::put(std::size_t poison, const Part& part) const {
  copy(replay_.address(part.range) + part.begin,
       ranges_[part.range].poisons.at(poison).address + part.begin, part.end - part.begin);
}

bool ProbeMemory::differs(std::size_t range, std::size_t poison, const Part& poisoned) const {
  const bool is_poisoned = range == poisoned.range;
  const RangeCopies& copies = ranges_[range];
  const driver::Address skew = replay_.address(range) % kWord;
  driver::Address found = replay_.address(range) - skew;
  driver::Address expected = copies.expected.address - skew;
  driver::Address poison_bytes = copies.poisons.at(poison).address - skew;
  std::uint64_t size = launch_.ranges[range].before.size();
  std::uint64_t skewed = skew;
  std::uint64_t begin = is_poisoned ? poisoned.begin : 0;
  std::uint64_t end = is_poisoned ? poisoned.end : 0;
  driver::Address answer = found_.address();
  std::array<void*, 8> parameters = {&found,  &expected, &poison_bytes, &size,
                                     &skewed, &begin,    &end,          &answer};
  expect(stream_.zero(found_.address(), sizeof(std::uint32_t)));
  expect(stream_.launch(compare_, driver::filling_shape(device_), parameters));
  expect(stream_.wait());
  std::uint32_t differs = 0;
  device_.copy_out(std::as_writable_bytes(std::span(&differs, 1)), found_.address());
  return differs != 0;
}

}  // namespace autokernel::programs
