// Which device a run is to use, as --device says it. Only the choice: finding and opening the
// device is the driver's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace autokernel::driver {

// --device [PLACE/]auto|cuda[:N]|cpu.
struct DeviceChoice {
  enum class Kind : std::uint8_t {
    automatic,  // a GPU where there is one, else the emulated device
    cuda,       // GPU number `ordinal`
    cpu,        // the emulated device
  };
  Kind kind = Kind::automatic;
  int ordinal = 0;
  // The machine; empty: this one. "ssh://user@host:2222", "slurm:gpus,gres=gpu:1",
  // "launcher:docker exec -i box", or, of who has the devices of a machine, "judge:/run/it.sock".
  std::string place = {};

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

// Throws Error(usage) naming what is allowed.
[[nodiscard]] DeviceChoice parse_device(const std::string& text);
// The text that parse_device reads back as the same choice: "auto", "cuda:0", "cpu",
// "ssh://host/cuda:0".
[[nodiscard]] std::string spelling(const DeviceChoice& choice);

// How one gets to a place (DeviceChoice::place).
enum class PlaceKind : std::uint8_t { here, ssh, slurm, launcher, judge };
[[nodiscard]] PlaceKind kind_of_place(const std::string& place);
// What comes behind the kind: the host, what Slurm is asked for, the command, the judge's socket.
[[nodiscard]] std::string address_of(const std::string& place);
[[nodiscard]] std::string place_of_launcher(const std::string& command);

// Where a judge listens that nobody has told otherwise; the unit of systemd makes the folder.
inline constexpr const char* kJudgeSocket = "/run/autokernel-judge/judge.sock";

// The long options of srun that a place may name, each with a value.
inline constexpr std::array<std::string_view, 13> kSlurmOptions = {
    "account", "constraint", "cpus-per-task", "exclude", "gpus",        "gres", "mem",
    "nice",    "nodelist",   "qos",           "time",    "reservation", "wckey"};

}  // namespace autokernel::driver
