#include "trial/command/reference_server.h"

#include <fmt/format.h>

#include "autokernel/base/error.h"

namespace autokernel::trial {
namespace {

// Where the load finds them: the case's own, whatever a candidate does to its copy.
void write_prompts(const CommandSetting& setting) {
  FilesByPath prompts;
  for (const cases::SuitePlan& suite : setting.server->suites) {
    const std::string& path = suite.load.prompts;
    if (path.empty()) continue;
    const auto fixed = setting.files.fixed.find(path);
    const auto hidden = setting.files.hidden.find(path);
    if (fixed == setting.files.fixed.end() && hidden == setting.files.hidden.end())
      throw Error(Stop::usage, fmt::format("cannot load a server with suite {}: the case has no "
                                           "file {} (prompts)",
                                           suite.name, path));
    prompts[path] = fixed == setting.files.fixed.end() ? hidden->second : fixed->second;
  }
  write_files(setting.prompts, prompts);
}

}  // namespace

ReferenceServer::ReferenceServer(CommandSetting& setting) : setting_(setting) {
  setting.curl = &curl_;
  setting.prompts = setting.scratch / "prompts";
  write_prompts(setting);
  setting.reference_answers = [this](const std::string& seed) -> const ServedAnswers& {
    return answers(seed);
  };
}

const ServedAnswers& ReferenceServer::answers(const std::string& seed) {
  const auto known = answers_.find(seed);
  if (known != answers_.end()) return known->second;
  try {
    if (server_) {
      server_->resume();
    } else {
      server_.emplace(setting_, setting_.server->reference, "the reference's server",
                      [this](const std::filesystem::path& files) {
                        write_files(files, setting_.files.fixed);
                        write_files(files, setting_.files.hidden);
                      });
    }
    ServedAnswers found = server_->answers(seed);
    server_->pause();
    return answers_.emplace(seed, std::move(found)).first->second;
  } catch (const Refused& refused) {
    throw Error(Stop::environment,
                fmt::format("{}; correct [server] reference in case.toml", refused.reason()));
  }
}

}  // namespace autokernel::trial
