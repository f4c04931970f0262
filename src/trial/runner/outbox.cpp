#include "trial/runner/outbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "autokernel/base/parallel.h"
#include "autokernel/base/system_error.h"

namespace autokernel::trial {
namespace {

constexpr const char* kAttempt = "cannot share memory for a kernel's outputs";

}  // namespace

Outbox::Outbox(std::size_t bytes)
    : shared_(::memfd_create("autokernel-outputs", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!shared_.is_open()) throw system_failure(Stop::environment, kAttempt, "memfd_create");
  // A mapping has at least one byte.
  const std::size_t size = std::max<std::size_t>(1, bytes);
  // Beyond a limit on the size of files the system would send a signal as well.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {
    throw Error(Stop::environment,
                fmt::format("{}: they have {} bytes, and the limit on the size of files is {}; "
                            "raise it: ulimit -f unlimited",
                            kAttempt, size, limit.rlim_cur));
  }
  if (::ftruncate(shared_.get(), static_cast<off_t>(size)) != 0) {
    throw system_failure(Stop::environment, kAttempt, "ftruncate");
  }
  if (::fcntl(shared_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw system_failure(Stop::environment, kAttempt, "fcntl");
  }
  map(size, Access::read);
}

Outbox::Outbox(Descriptor shared) : shared_(std::move(shared)) {
  struct stat status{};
  if (::fstat(shared_.get(), &status) != 0) {
    throw system_failure(Stop::internal, kAttempt, "fstat");
  }
  map(static_cast<std::size_t>(status.st_size), Access::write);
}

void Outbox::map(std::size_t bytes, Access access) {
  const int protection = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const begin = ::mmap(nullptr, bytes, protection, MAP_SHARED, shared_.get(), 0);
  if (begin == MAP_FAILED) throw system_failure(Stop::environment, kAttempt, "mmap");
  mapping_ = Owned<Mapping>({static_cast<std::byte*>(begin), bytes},
                            [](const Mapping& mapping) { ::munmap(mapping.begin, mapping.bytes); });
}

void Outbox::prepare(const SizedCase& sized) {
  prepared_.resize(sized.tensors.size());
  for (std::size_t t = 0; t < prepared_.size(); ++t) {
    prepared_[t].resize(sized.tensors[t].is_written() ? sized.tensors[t].bytes : 0);
  }
}

std::vector<Bytes> Outbox::take(const SizedCase& sized) {
  prepare(sized);
  const std::byte* from = mapping_.get().begin;
  for (Bytes& output : prepared_) {
    copy_in_parallel({from, output.size()}, output);
    from += output.size();
  }
  return std::exchange(prepared_, {});
}

}  // namespace autokernel::trial
