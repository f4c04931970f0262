// What the emulated device allows: the limits of a Hopper GPU, so that what launches here launches
// there.
#pragma once

#include <cstdint>

namespace emulator::api {

inline constexpr std::uint32_t kThreadsPerBlock = 1024;
inline constexpr std::uint32_t kBlockX = 1024;
inline constexpr std::uint32_t kBlockY = 1024;
inline constexpr std::uint32_t kBlockZ = 64;
inline constexpr std::uint32_t kGridX = 2147483647;
inline constexpr std::uint32_t kGridYZ = 65535;
// Shared memory of a block: without asking, and at most after cuFuncSetAttribute; and of a
// multiprocessor, of which each block takes a part for the system.
inline constexpr std::uint32_t kStaticSharedBytes = 48 * 1024;
inline constexpr std::uint32_t kOptInSharedBytes = 227 * 1024;
inline constexpr std::uint32_t kMultiprocessorSharedBytes = 228 * 1024;
inline constexpr std::uint32_t kReservedSharedBytes = 1024;
inline constexpr std::uint32_t kThreadsPerMultiprocessor = 2048;
inline constexpr std::uint32_t kBlocksPerMultiprocessor = 32;
// Of an H100 SXM. The emulated device says it has one for each of its threads; this is what kernels
// are written for whose blocks wait for each other.
inline constexpr std::uint32_t kMultiprocessors = 132;
// Blocks of a cluster, on any GPU that has clusters, and where the program asks for what only some
// have (CUDA C++ Programming Guide, "Thread Block Clusters").
inline constexpr std::uint32_t kLargestPortableCluster = 8;
inline constexpr std::uint32_t kLargestCluster = 16;
inline constexpr std::uint32_t kRegistersPerMultiprocessor = 65536;
inline constexpr std::uint32_t kConstantBytes = 64 * 1024;
// Of streams; smaller is more urgent.
inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;
// What a program may ask for as the stack of a thread: the local memory a GPU's thread can have.
inline constexpr std::uint64_t kMostStackBytes = std::uint64_t{512} * 1024;
// Of kernel parameters.
inline constexpr std::uint32_t kParameterBytes = 32764;

}  // namespace emulator::api
