// Any bytes are a record: the profile of them holds what the layers above take for granted, can be
// ranked, shown in every view, and planned for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/programs/plan.h"
#include "autokernel/programs/profile_text.h"
#include "autokernel/programs/profile_views.h"
#include "autokernel/programs/ranking.h"
#include "programs/profile/record.h"

namespace {

namespace programs = autokernel::programs;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  programs::Profile profile;
  programs::RecordReader reader(profile);
  // Of two processes, or of one that became another program.
  reader.add(text);
  reader.add(text);
  reader.finish();
  for (const programs::Launch& launch : profile.launches) {
    require(launch.name < profile.names.size());
    require(launch.place.device < profile.devices.size());
    require(launch.place.process < profile.processes.size());
    require(launch.operation < static_cast<std::int64_t>(profile.operations.size()));
    require(launch.start <= launch.end);
  }
  const programs::Ranking ranking = programs::ranked(profile);
  require(!programs::profile_text(ranking, 5, 80).empty());
  require(!programs::profile_page(ranking, profile).empty());
  require(!programs::chrome_trace(profile).empty());
  require(!programs::plan_text(programs::plan_of(ranking, {}, {}), 5).empty());
  return 0;
}
