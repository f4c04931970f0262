// Profiles to try things on.
#pragma once

#include <cstdint>
#include <string>

#include "autokernel/programs/profile.h"

namespace autokernel::programs::sample {

// A profile of one process and one device, to which launches are added.
struct SampleProfile {
  SampleProfile() {
    profile.source = "CUPTI";
    profile.program = "./program";
    profile.processes.push_back({.id = 7, .command = "./program"});
    profile.devices.emplace_back();
    profile.devices.back().name = "NVIDIA H200";
  }

  Launch& launch(const std::string& name, Nanoseconds start, Nanoseconds end) {
    std::uint32_t index = 0;
    while (index < profile.names.size() && profile.names[index] != name) ++index;
    if (index == profile.names.size()) profile.names.push_back(name);
    Launch launch;
    launch.name = index;
    launch.start = start;
    launch.end = end;
    launch.grid = {.x = 4, .y = 1, .z = 1};
    launch.block = {.x = 128, .y = 1, .z = 1};
    launch.place.stream = 7;
    profile.launches.push_back(launch);
    return profile.launches.back();
  }

  Profile profile;
};

}  // namespace autokernel::programs::sample
