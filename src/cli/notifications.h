// What commands that notify have in common: an option, the process that sends, the fields as text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/notify/delivery.h"
#include "autokernel/notify/notifier.h"
#include "cli/options.h"

namespace autokernel::cli {

// Whether nobody is told what the run does.
void add_no_notify(Options options, bool& no_notify);

// For a run in that repository. Afterwards the variables that configure notifications are gone from
// this process, so that no child has them: call it while there is one thread. Never throws for a
// wrong configuration: the notifier's remark() says it.
[[nodiscard]] notify::Notifier open_notifier(const std::filesystem::path& repository,
                                             bool no_notify);

// What 'notify --test' found, as a table with the six fields, and what to do.
[[nodiscard]] std::string tested_text(const std::vector<notify::TestedTarget>& tested);
// What is configured, without any address.
[[nodiscard]] std::string configured_text(const notify::Configuration& configuration);
// Both as one JSON object; `tested` is empty where nothing was sent.
[[nodiscard]] std::string notify_json(const notify::Configuration& configuration,
                                      const std::vector<notify::TestedTarget>& tested);

}  // namespace autokernel::cli
