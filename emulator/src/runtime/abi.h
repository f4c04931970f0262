// What compiled kernels and the runtime agree on: the layout a compiled warp function reads, and
// the fixed list of functions it may call. The lowering writes these offsets and names into LLVM
// IR; the runtime fills the structure and implements the functions (runtime/entry_points.cpp). The
// JIT resolves exactly kEntryPoints and nothing else, so that no kernel can reach a function of the
// host process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace emulator::runtime {

inline constexpr unsigned kWarpSize = 32;

// Lanes of a warp that are threads of a block of so many threads: the last warp may be partial.
[[nodiscard]] constexpr std::uint32_t live_lanes(std::uint32_t threads, std::uint32_t warp) {
  const std::uint32_t lanes = threads - warp * kWarpSize;
  return lanes >= kWarpSize ? ~0U : (1U << lanes) - 1;
}

// What runs on a stack of its own: a warp, its lanes together under a mask, which is fast; or a
// thread, which may wait for others of its warp, call functions that call themselves, and so on.
enum class Unit : std::uint8_t { warp, thread };

// The lanes' local frames lie behind each other, each at a multiple of this: the widest access
// there is.
inline constexpr std::uint64_t kLocalFrameAlignment = 16;

// Of device memory and of variables, as on a GPU, where programs rely on it for vector loads.
inline constexpr std::uint64_t kAllocationAlignment = 512;

// Addresses of shared memory are those of the cluster: the window of the block of rank r begins at
// r times this. A block alone has rank 0.
inline constexpr std::uint32_t kSharedWindow = 1U << 24;

class Block;         // runtime/block.h: one thread block while it runs
class GatheredSums;  // runtime/gathered_sums.h

// The address range [begin, end) that an access site saw last: one allocation, whole. Compiled code
// compares against it before each access and calls the slow path when the access does not lie
// inside. Per worker and launch, since ranges of shared and local memory differ between workers.
// {1, 0} (begin > end) holds nothing.
struct Range {
  std::uint64_t begin = 1;
  std::uint64_t end = 0;
};

// Where threads that run by themselves leave the operands of a warp-wide instruction, and find its
// results: each widened to 64 bits, in the order of the text.
// The most are those of wgmma: 128 accumulators, four registers of A and some more.
inline constexpr unsigned kMeetingOperands = 144;
inline constexpr unsigned kMeetingResults = 128;
struct ThreadValues {
  std::uint64_t operand[kMeetingOperands] = {};
  std::uint64_t result[kMeetingResults] = {};
};
// The same of all lanes that meet, for the one that carries the instruction out. One per block.
struct alignas(64) Gathering {
  std::uint64_t operand[kMeetingOperands][kWarpSize] = {};
  std::uint64_t result[kMeetingResults][kWarpSize] = {};
};

// Everything a compiled function knows about where it runs. One per warp of the block a worker
// runs; where threads run by themselves, one per thread, which is lane `lane` of its warp, and all
// that is kept per lane is at that lane's place.
struct alignas(64) WarpContext {
  std::uint8_t* shared = nullptr;        // where shared addresses begin; the block's own window is
                                         // kSharedWindow * cluster_rank further
  const std::uint8_t* params = nullptr;  // kernel parameters, laid out as PTX declares them
  std::uint8_t* local = nullptr;  // 32 frames, one lane's after the other, local_stride bytes apart
  Range* ranges = nullptr;        // one per access site of the kernel
  Block* block = nullptr;
  GatheredSums* sums = nullptr;  // the worker's
  std::uint32_t live = 0;  // bit l: lane l is a thread of the block (the last warp may be partial)
  std::uint32_t warp = 0;  // index in the block
  std::uint32_t ctaid[3] = {};
  std::uint32_t ntid[3] = {};
  std::uint32_t nctaid[3] = {};
  std::uint32_t cluster[3] = {};   // its blocks in each dimension
  std::uint32_t cluster_rank = 0;  // of the block, x fastest
  std::uint32_t cluster_size = 0;  // blocks
  std::uint32_t shared_bytes = 0;  // static and dynamic together
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_stride = 0;
  std::uint64_t grid_workspace = 0;  // of a cooperative launch; 0 in others
  // Where the unit stands (runtime/unit_positions.h). Compiled code notes the line of the PTX at
  // the end of each round of a loop.
  std::uint32_t at_line = 0;
  std::uint32_t standing = 0;
  std::uint32_t lane = 0;
  std::uint32_t unit = 0;  // index among the block's units
  ThreadValues* own = nullptr;
  Gathering* gathering = nullptr;
  // The PTX line of the last call that was begun.
  std::uint32_t call_line = 0;
  // A call is refused where the host stack has come down to here.
  const std::uint8_t* stack_end = nullptr;
  // Lane indices, for block shapes that are no affine function of the lane.
  alignas(64) std::uint32_t tid[3][kWarpSize] = {};
  // Where compiled code hands vectors to entry points and finds their results: addresses, then up
  // to eight values of up to 16 bytes per lane each.
  alignas(64) std::uint64_t address[kWarpSize] = {};
  alignas(64) std::uint8_t value[8][kWarpSize * 16] = {};
};

// A compiled kernel: runs one unit from its first instruction to its last. It may be suspended
// inside emu_barrier and never returned to when the launch has failed.
using WarpFunction = void (*)(WarpContext*);

// What went wrong, in the order of severity a GPU would give; the API turns these into CUresult
// values.
enum class FaultKind : std::uint32_t {
  out_of_bounds = 1,    // CUDA_ERROR_ILLEGAL_ADDRESS
  misaligned = 2,       // CUDA_ERROR_MISALIGNED_ADDRESS
  trap = 3,             // CUDA_ERROR_LAUNCH_FAILED
  assertion = 4,        // CUDA_ERROR_ASSERT
  barrier = 5,          // CUDA_ERROR_LAUNCH_FAILED: threads wait at a barrier that can never fill
  bad_instruction = 6,  // CUDA_ERROR_ILLEGAL_INSTRUCTION
  stack = 7,            // CUDA_ERROR_LAUNCH_FAILED: local memory or call stack exhausted
  // 8 is no fault of a launch: EMU_FAULT_UNSUPPORTED.
  bad_call = 9,  // CUDA_ERROR_ILLEGAL_INSTRUCTION: through a pointer that is no such function
};

enum class AccessKind : std::uint32_t { load = 0, store = 1, atomic = 2 };
// Which addresses an access site uses: those of shared memory are the cluster's (kSharedWindow),
// all others host addresses.
enum class AccessSpace : std::uint32_t {
  generic = 0,
  global = 1,
  shared = 2,
  local = 3,
  constant = 4,
  param = 5,
  cluster = 6,  // shared memory of any block of the cluster
};

// One access site of a kernel: what the runtime needs to name a fault and to run the slow path. The
// compiled kernel refers to it by index; the same index selects its Range.
struct Site {
  AccessKind kind;
  AccessSpace space;
  std::uint32_t bytes;                        // per element
  std::uint32_t elements;                     // 1, 2, 4 or 8
  std::uint32_t line;                         // in the PTX
  const char* text;                           // the PTX statement; owned by the compiled kernel
  std::uint32_t written = ~std::uint32_t{0};  // which elements a store writes, a bit for each
};

// Atomic operations, and the type they work on, as emu_atomic takes them.
enum class AtomicOp : std::uint32_t { add, min, max, inc, dec, and_, or_, xor_, exch, cas };
// With an operation: an addition that the worker may gather.
inline constexpr std::uint32_t kMayBeGathered = 1U << 8U;
enum class AtomicType : std::uint32_t {
  u32,
  s32,
  u64,
  s64,
  f32,
  f64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  b16,
  b128,
  f32_flushed,  // f32 whose subnormals are zeros; emu_atomic takes it for f32 where it has to
};

// Arithmetic on doubles in a direction, as emu_directed takes it.
enum class DirectedOp : std::uint32_t { add, sub, mul, div, fma, sqrt };
enum class Direction : std::uint32_t { zero, down, up };

// What emu_mbarrier does. `wait` asks once; `try_wait` lets other warps run first where the phase
// is not over. With `_parity` the phase is named by its lowest bit, else by a state.
enum class MbarrierOp : std::uint32_t {
  init,
  inval,
  expect_tx,
  complete_tx,
  arrive,
  arrive_drop,
  test_wait,
  test_wait_parity,
  try_wait,
  try_wait_parity,
};

// What an mma works on. m16n8k`depth`; for f64 m8n8k4.
enum class MatrixType : std::uint32_t {
  f16,
  bf16,
  tf32,
  e4m3,
  e5m2,
  s8,
  u8,
  f64,
  f32,
  s32,
  s4,  // this and the next two: emu_product alone
  u4,
  b1,
  e3m2,  // these two in the lower bits of a byte
  e2m3,
  e2m1_in_byte,  // in the middle four bits
  e2m1,          // emu_scaled_product alone
};
struct MatrixShape {
  MatrixType a;
  MatrixType b;
  MatrixType c;  // and of the result
  unsigned depth = 0;
  bool saturate = false;
};
[[nodiscard]] constexpr unsigned bits_of(MatrixType type) {
  switch (type) {
    case MatrixType::f16:
    case MatrixType::bf16:
      return 16;
    case MatrixType::tf32:
    case MatrixType::f32:
    case MatrixType::s32:
      return 32;
    case MatrixType::e4m3:
    case MatrixType::e5m2:
    case MatrixType::s8:
    case MatrixType::u8:
    case MatrixType::e3m2:
    case MatrixType::e2m3:
    case MatrixType::e2m1_in_byte:
      return 8;
    case MatrixType::f64:
      return 64;
    case MatrixType::s4:
    case MatrixType::u4:
    case MatrixType::e2m1:
      return 4;
    case MatrixType::b1:
      return 1;
  }
  return 0;
}

// The scales of emu_scaled_product: powers of two, or e4m3 without its sign.
enum class ScaleType : std::uint32_t { ue8m0, ue4m3 };

// How the elements of a product's fragments lie across the lanes: as PTX says for mma, one after
// the other as the emulator keeps wmma's, or in four products of eight lanes each, mma.m8n8k4 of
// f16 with A and B by rows or by columns.
enum class FragmentOrder : std::uint32_t {
  mma,
  wmma,
  quads_row_row,
  quads_row_col,
  quads_col_row,
  quads_col_col
};
// What takes the place of a multiplication; of bits, the number of ones of xor or and.
enum class ProductOp : std::uint32_t { multiply, count_xor, count_and };

extern "C" {

// Checks each lane of `mask` whose address (context->address[lane], for shared space a window
// offset) is used by `site`, faults at the first bad one, loads site.elements elements: element e
// of lane l goes to value[e] + l * site.bytes. Records the range seen in ranges[site] where all
// lanes lie in one allocation.
void emu_load(WarpContext* context, std::uint32_t site, std::uint32_t mask);
// The same for a store of value[e] + l * site.bytes; lanes in ascending order, so that the highest
// lane wins.
void emu_store(WarpContext* context, std::uint32_t site, std::uint32_t mask);
// Atomic read-modify-write, lane by lane: operand in value[0], the swap value of cas in value[1];
// the old value is left in value[2]. op is AtomicOp, type is AtomicType. With kMayBeGathered no old
// value is. A lane's site.elements
// elements, each taken by itself, lie behind each other. As on a GPU, f32 sums flush subnormals
// everywhere but in shared memory.
void emu_atomic(WarpContext* context, std::uint32_t site, std::uint32_t mask, std::uint32_t op,
                std::uint32_t type);
// Checks that [address, address + bytes) is inside one allocation that `site` may use and records
// it in ranges[site]; faults otherwise, naming the lowest lane of `mask`.
void emu_check(WarpContext* context, std::uint32_t site, std::uint32_t mask, std::uint64_t address,
               std::uint64_t bytes);
// For accesses that were taken to lie inside, and turn out not to: reports [address, address +
// bytes) as out of bounds, naming the lowest lane of `mask`. Never returns.
[[noreturn]] void emu_outside(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                              std::uint64_t address, std::uint64_t bytes);
// bar.sync / barrier.sync of barrier `id` by the lanes of `mask`; `threads` is the number of
// threads that take part, 0 for all of the block. Comes back when all have arrived. `line` names
// the PTX line. arrive != 0: does not wait.
void emu_barrier(WarpContext* context, std::uint32_t mask, std::uint32_t id, std::uint32_t threads,
                 std::uint32_t line, std::uint32_t arrive);
// Barrier with a reduction: predicate bits of the lanes in `predicate`. op 0 = popc, 1 = and, 2 =
// or.
std::uint32_t emu_barrier_reduce(WarpContext* context, std::uint32_t mask, std::uint32_t id,
                                 std::uint32_t threads, std::uint32_t line, std::uint32_t predicate,
                                 std::uint32_t op);
// Never returns. kind is FaultKind; the message names the lowest lane of `mask` and the PTX line.
[[noreturn]] void emu_fault(WarpContext* context, std::uint32_t kind, std::uint32_t mask,
                            std::uint32_t line);
// Never returns, either: `lanes` carry out a warp-wide instruction, and their own mask leaves them
// out.
[[noreturn]] void emu_outside_mask(WarpContext* context, std::uint32_t lanes, std::uint32_t line);
// vprintf: per lane a format pointer (context->address[lane]) and a pointer to its packed arguments
// (value[0], 8 bytes per lane), both host addresses, checked. Leaves the number of arguments in
// value[1] as 32-bit integers.
void emu_printf(WarpContext* context, std::uint32_t mask, std::uint32_t line);
// __assertfail(message, file, line, function, char_size): per lane message in address, file in
// value[0], line number in value[1] (4 bytes per lane), function in value[2]. Does not return.
[[noreturn]] void emu_assert(WarpContext* context, std::uint32_t mask, std::uint32_t line);
// Device-side malloc of context->address[lane] bytes: leaves the block's address in value[0], 8
// bytes per lane, null where the heap has no room.
void emu_malloc(WarpContext* context, std::uint32_t mask);
// free of the block at context->address[lane]; of null nothing.
void emu_free(WarpContext* context, std::uint32_t mask, std::uint32_t line);
// f64 arithmetic rounded in a direction, of all 32 lanes: operands in value[0] to value[2], the
// result is left in value[3]. operation is DirectedOp, direction is Direction.
void emu_directed(WarpContext* context, std::uint32_t operation, std::uint32_t direction);
// %clock64 and %globaltimer: nanoseconds of a monotonic clock.
std::uint64_t emu_clock(WarpContext* context);
// emu_load, emu_store, emu_check and emu_atomic, with the same arguments, for calls from inline
// assembly: every register keeps its value (register_preserving_calls.S). Not to be called from
// C++.
void emu_load_kept();
void emu_store_kept();
void emu_check_kept();
void emu_atomic_kept();
// ldmatrix: `count` matrices of 8 x 8 elements of 16 bits; context->address[8 * i + r] is where row
// r of matrix i lies, 16 bytes of it. Register i of lane l is left in value[0] + (i * 32 + l) * 4.
// All 32 lanes have to run it together.
void emu_load_matrix(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                     std::uint32_t count, std::uint32_t transposed);
// stmatrix: the same in the other direction.
void emu_store_matrix(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                      std::uint32_t count, std::uint32_t transposed);
// ldmatrix of bytes: `count` matrices of `rows` rows of 16 elements of 8, 6 or 4 bits, each row at
// the beginning of 16 bytes; context->address[rows * i + r] is where row r of matrix i lies. Each
// element is left in a byte of the registers, as ldmatrix lays them out: 8 rows as they are, 16
// transposed, in two registers.
void emu_load_byte_matrix(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                          std::uint32_t count, std::uint32_t rows, std::uint32_t bits);
// stmatrix of bytes: `count` matrices of 16 x 8, a register each, of which
// context->address[8 * i + c] is where the 16 bytes of column c go.
void emu_store_byte_matrix(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                           std::uint32_t count);
// mma: register r of lane l of A in value[1], of B in value[2] and of C in value[3], each at (r *
// 32
// + l) * 4 bytes (f64: * 8); the result's are left in value[0]. Types are MatrixType. All 32 lanes
// have to run it together.
void emu_mma(WarpContext* context, std::uint32_t mask, std::uint32_t line, std::uint32_t a,
             std::uint32_t b, std::uint32_t c, std::uint32_t depth, std::uint32_t saturate);
// wmma: a fragment of rows x columns elements lies across the lanes in an order of the emulator's
// own (runtime/matrix.h), which PTX leaves open. Loads it from, or stores it to,
// context->address[lane] of the lowest lane, whose lines are `stride` elements apart; element (r,
// c) lies at r * stride + c, or where `by_column` is set at c * stride + r. Register r of lane l is
// at value[0] + (r * 32 + l)
// * 4. `type` is MatrixType.
void emu_load_fragment(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                       std::uint32_t rows, std::uint32_t columns, std::uint32_t type,
                       std::uint32_t stride, std::uint32_t by_column);
void emu_store_fragment(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                        std::uint32_t rows, std::uint32_t columns, std::uint32_t type,
                        std::uint32_t stride, std::uint32_t by_column);
// D = A x B + C of such fragments: A in value[0], C in value[2], B in value[4]; D is left in
// value[2]. `shape` is rows | columns << 8 | depth << 16.
void emu_wmma(WarpContext* context, std::uint32_t mask, std::uint32_t line, std::uint32_t shape,
              std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
              std::uint32_t saturate);
// Products of the shapes that emu_mma and emu_wmma do not know. A from value[0] on, B from value[4]
// on, C from value[6] on, where D is left, in registers as there. `types` is a | b << 8 | c << 16 |
// d << 24; `shape` is rows | columns << 8 | depth << 16; `how` is FragmentOrder | ProductOp << 8,
// and with bit 16 sums are clamped.
void emu_product(WarpContext* context, std::uint32_t mask, std::uint32_t line, std::uint32_t types,
                 std::uint32_t shape, std::uint32_t how);
// cp.async: copies `bytes` from context->address[lane] to the address in value[0], 8 bytes per
// lane. Of them the number in value[1], 4 bytes per lane, comes from memory, the others are zeros;
// where that is 0, nothing is read.
void emu_copy(WarpContext* context, std::uint32_t load_site, std::uint32_t store_site,
              std::uint32_t mask, std::uint32_t bytes);
// mbarrier, lane by lane, on the object at context->address[lane]. In value[0], 8 bytes per lane: a
// count for init and arrivals, a number of bytes for transactions, a state or a parity for waits.
// In value[1], 8 bytes per lane: the state before an arrival; whether a wait is over. op is
// MbarrierOp.
void emu_mbarrier(WarpContext* context, std::uint32_t site, std::uint32_t mask, std::uint32_t op);
// cp.async.bulk: copies from context->address[lane] to the address in value[0], 8 bytes per lane,
// as many bytes as value[1] says, 8 bytes per lane: a multiple of 16.
void emu_bulk_copy(WarpContext* context, std::uint32_t load_site, std::uint32_t store_site,
                   std::uint32_t mask);
// The same of those of each 16 bytes that the lower half of value[2], 4 bytes per lane, has a bit
// for.
void emu_bulk_copy_masked(WarpContext* context, std::uint32_t load_site, std::uint32_t store_site,
                          std::uint32_t mask);
// st.bulk: as many bytes as value[0] says, 8 bytes per lane, become 0 at context->address[lane].
void emu_bulk_fill(WarpContext* context, std::uint32_t site, std::uint32_t mask);
// clusterlaunchcontrol.try_cancel: takes a cluster that nobody has begun from the launch, so that
// it never runs. The response, of 16 bytes, goes to the shared address context->address, and its
// bytes arrive at the mbarrier at value[0]; where `multicast` is not 0, to these places of all
// blocks of the cluster.
void emu_try_cancel(WarpContext* context, std::uint32_t store_site, std::uint32_t barrier_site,
                    std::uint32_t mask, std::uint32_t multicast);
// cp.reduce.async.bulk: as emu_bulk_copy, but the elements there take part in an atomic operation
// on those at the destination. op is AtomicOp, type is AtomicType.
void emu_bulk_reduce(WarpContext* context, std::uint32_t load_site, std::uint32_t atomic_site,
                     std::uint32_t mask, std::uint32_t op, std::uint32_t type);
// cp.async.bulk with .multicast: the same to the shared memory of each block of the cluster whose
// bit is set in value[3], 4 bytes per lane, at the destination's place in its own window. The bytes
// complete at its mbarrier, at the place of the address in value[2], 8 bytes per lane.
void emu_bulk_multicast(WarpContext* context, std::uint32_t load_site, std::uint32_t store_site,
                        std::uint32_t barrier_site, std::uint32_t mask);
// cp.async.bulk.tensor and its like, lane by lane, with the tensor map at context->address[lane].
// In value[0], 8 bytes per lane, where the box lies in shared memory; in value[1] the first four
// coordinates, 4 bytes per lane each, in value[2] the fifth and three offsets; in value[3], 8 bytes
// per lane, the mbarrier of a load; in value[4], 4 bytes per lane, the blocks of a multicast. `how`
// is a TensorCopy as a number (runtime/tensor_copy.h), which also names the four sites from the
// first on.
void emu_tensor_copy(WarpContext* context, std::uint32_t first_site, std::uint32_t mask,
                     std::uint32_t how);
// tensormap.replace of the map at context->address[lane]: `field` and its index as
// runtime/tensor_map.h numbers them; the value in value[0], 8 bytes per lane.
void emu_tensor_map_replace(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                            std::uint32_t field, std::uint32_t index);
// barrier.cluster: arrives, or with wait != 0 waits until all threads of the cluster have.
void emu_cluster_barrier(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                         std::uint32_t wait);
// mma.sp: registers of A in value[1], of B in value[2] and of C in value[0], where D is left, as
// emu_mma has them; metadata in value[3], 4 bytes per lane. `types` is a | b << 8 | d << 16.
void emu_sparse_product(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                        std::uint32_t types, std::uint32_t depth, std::uint32_t selector,
                        std::uint32_t saturate);
// mma with .block_scale: registers of A in value[1], of B in value[2] and of C in value[0], where D
// is left, as emu_mma has them. In value[3] the metadata of a sparse A, in value[4] and value[5]
// the scales of A and of B, 4 bytes per lane each; in value[6] the selectors, four words per lane
// (runtime/scaled_product.h). `types` is a | b << 8 | ScaleType << 16; `shape` is depth | scales <<
// 16, and has bit 24 where A is sparse.
void emu_scaled_product(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                        std::uint32_t types, std::uint32_t shape);
// setmaxnreg to `count` registers of each thread of a warp that began with `at_entry`: gives some
// up, or where `takes` waits until enough are free.
void emu_registers(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                   std::uint32_t at_entry, std::uint32_t count, std::uint32_t takes);
// wgmma.mma_async begins: checks what the warp's lanes bring. In value[5], 8 bytes per lane: the
// descriptors of A where it is in shared memory, then those of B. `types` is a | b << 8 | d << 16,
// as MatrixType; `shape` is columns | depth << 16; `how` is ProductOptions as a number
// (runtime/warpgroup_product.h); in `adds` are the lanes whose scale-d is true.
void emu_wgmma_begin(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                     std::uint32_t types, std::uint32_t shape, std::uint32_t how,
                     std::uint32_t adds);
// Some columns of it, of the warp's 16 rows: `columns` is the first | groups of eight << 16. Of
// each group the registers of D are in value[0] and so on, as mma.m16n8k* has them, where the
// result is left. In value[4] are those of A where it is in registers, in value[6] the metadata of
// a sparse A, 4 bytes per lane.
void emu_wgmma(WarpContext* context, std::uint32_t types, std::uint32_t columns,
               std::uint32_t depth, std::uint32_t how, std::uint32_t adds);
// wgmma.commit_group, and wgmma.wait_group with all but the last `pending` groups.
void emu_wgmma_commit(WarpContext* context, std::uint32_t mask, std::uint32_t line);
void emu_wgmma_wait(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                    std::uint32_t pending);
// The instruction at `line` touches a register of the wgmma at `product_line`: a fault where that
// is still under way.
void emu_wgmma_touch(WarpContext* context, std::uint32_t line, std::uint32_t product_line);
// Threads that run by themselves, at a warp-wide instruction whose `operands` operands lie in
// context->own: waits until all lanes of `members` that have not exited have come to an instruction
// of this kind. For one of them it then gives all these lanes, whose operands are in
// context->gathering: that one has to carry the instruction out and to call emu_deal. The others
// get 0, and their results in context->own.
std::uint32_t emu_meet(WarpContext* context, std::uint32_t kind, std::uint32_t members,
                       std::uint32_t operands, std::uint32_t line);
// Deals the results in context->gathering out to `lanes` and lets them go on.
void emu_deal(WarpContext* context, std::uint32_t lanes, std::uint32_t results);
// A call through a pointer that is no function's address, or that of a function with other
// parameters. Never returns.
[[noreturn]] void emu_bad_call(WarpContext* context, std::uint32_t line, std::uint64_t address,
                               std::uint32_t known);
// griddepcontrol.wait: comes back once all launches before this one have completed.
void emu_await_launches(WarpContext* context, std::uint32_t line);
// griddepcontrol.launch_dependents: as far as it depends on this block, the next launch may begin.
void emu_trigger(WarpContext* context);
// nanosleep, and the back edges of loops that can spin: lets other warps of the block run.
void emu_yield(WarpContext* context);
}

struct EntryPoint {
  const char* name;
  void* address;
};

// Every function a compiled kernel may call. The JIT defines these symbols, the few of the
// compiler's own run-time library that lowered arithmetic needs (jit/compiler_runtime.cpp), and no
// others.
[[nodiscard]] std::span<const EntryPoint> entry_points();

}  // namespace emulator::runtime
