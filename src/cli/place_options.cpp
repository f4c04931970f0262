#include "cli/place_options.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "autokernel/trial/known_places.h"

namespace autokernel::cli {

void PlaceOptions::declare(Options options, const std::string& afterwards) {
  add_device(options, device, afterwards);
  options
      .add_option(
          "--launcher", launcher,
          "Measure where CMD starts a program: 'docker exec -i box', 'kubectl exec -i pod --'")
      .type_name("CMD");
}

driver::DeviceChoice PlaceOptions::choice() const {
  driver::DeviceChoice choice = driver::parse_device(device.value_or("auto"));
  if (!launcher) {
    // A command is to be named as one: a record spells it as a device.
    if (driver::kind_of_place(choice.place) != driver::PlaceKind::launcher)
      trial::remember_place(choice.place);
    return choice;
  }
  if (!choice.place.empty()) {
    throw Error(Stop::usage, fmt::format("--launcher and --device {} both name a machine: give one "
                                         "of them",
                                         device.value_or("")));
  }
  if (launcher->find_first_not_of(" \t\n") == std::string::npos)
    throw Error(Stop::usage, "--launcher must be a command");
  choice.place = driver::place_of_launcher(*launcher);
  // What cannot be read again from the record of a run is refused.
  if (driver::parse_device(driver::spelling(choice)) != choice)
    throw Error(Stop::usage, "--launcher must be a command");
  trial::remember_place(choice.place);
  return choice;
}

}  // namespace autokernel::cli
