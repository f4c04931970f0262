// What a run does, as the events that somebody may be told of.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/loop/loop.h"
#include "autokernel/notify/event.h"

namespace autokernel::cli {

// Of an experiment that was kept, with where the run stands afterwards; `root` is that of its
// repository.
[[nodiscard]] notify::Event kept_event(const loop::Step& step, const loop::Status& status,
                                       const std::filesystem::path& root);
// Of a run that has had no gain for long.
[[nodiscard]] notify::Event plateau_event(const loop::Status& status);
// Of a run that stopped although no budget is used up; `why` in a sentence.
[[nodiscard]] notify::Event failure_event(const loop::Status& status, const std::string& why);
// `plot` is a PNG file of the run; empty: there is none.
[[nodiscard]] notify::Event finish_event(const loop::Finish& finish,
                                         const std::filesystem::path& plot,
                                         const std::filesystem::path& root);

}  // namespace autokernel::cli
