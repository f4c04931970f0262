// Memory that a launcher and its runner share, in which outputs travel from one to the other. The
// runner copies what it finds at once: what the launcher may still write to is no evidence.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/owned.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

class Outbox {
 public:
  // Room for that many bytes, of a size that nobody can change any more: one that shrank would
  // take its reader down. Throws Error(environment).
  explicit Outbox(std::size_t bytes);
  // The launcher's side: what it was handed as a descriptor. Throws Error(internal).
  explicit Outbox(Descriptor shared);

  // To be handed to the launcher.
  [[nodiscard]] const Descriptor& descriptor() const { return shared_; }

  // The launcher's side: where the tensors that are written go, one after the other.
  [[nodiscard]] std::span<std::byte> room() const {
    return {mapping_.get().begin, mapping_.get().bytes};
  }
  // The outputs of a launch at that size, indexed like the tensors; inputs are empty.
  [[nodiscard]] std::vector<Bytes> take(const SizedCase& sized);
  // Has memory ready for the next ones: the system hands it out page by page, at the first write to
  // each, which takes several times as long as a copy.
  void prepare(const SizedCase& sized);

 private:
  struct Mapping {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    friend bool operator==(const Mapping&, const Mapping&) = default;
  };
  enum class Access : std::uint8_t { read, write };
  void map(std::size_t bytes, Access access);

  Descriptor shared_;
  Owned<Mapping> mapping_;
  std::vector<Bytes> prepared_;
};

}  // namespace autokernel::trial
