// Pages of the process's own address space with unmapped room on both sides, so that running off
// either end faults and never reaches a neighbour.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator::runtime {

class Reservation {
 public:
  enum class Place : std::uint8_t {
    anywhere,
    low,  // below 2 GiB, where an address fits into 32 bits, whichever way they are extended
  };

  Reservation() = default;
  // `bytes` (rounded up to whole pages) of readable and writable zero pages, with at least
  // `guard_bytes` of inaccessible address space before and behind. Throws std::bad_alloc.
  Reservation(std::size_t bytes, std::size_t guard_bytes, Place place = Place::anywhere);
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation();

  [[nodiscard]] std::uint8_t* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // The address space taken, guards included.
  [[nodiscard]] std::size_t span() const noexcept { return span_; }
  // Gives the pages back to the system but keeps the addresses, which fault from now on.
  void retire() noexcept;

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t span_ = 0;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace emulator::runtime
