#include "autokernel/trial/sources.h"

#include "autokernel/compile/confined_python.h"
#include "autokernel/compile/reachable_headers.h"

namespace autokernel::trial {

void take_case(Request& request, cases::CaseFiles files) {
  request.case_files = std::move(files.bytes);
  request.case_images = std::move(files.images);
  request.header_folders =
      std::make_shared<const std::vector<cases::HeaderFolder>>(std::move(files.headers));
}

cases::Case case_of(const Request& request) {
  return cases::parse({.directory = request.case_directory,
                       .bytes = request.case_files,
                       .headers = {},
                       .images = request.case_images});
}

bool runs_python(const Request& request) {
  const auto is_python = [](const std::filesystem::path& file) {
    return file.extension() == ".py";
  };
  if (is_python(request.kernel_file) ||
      (request.incumbent && is_python(request.incumbent->kernel_name))) {
    return true;
  }
  // Most cases need not be read for that.
  const auto text = request.case_files.find("case.toml");
  if (text == request.case_files.end()) return false;
  const bool may_run_it = text->second.find("compiler") != std::string::npos ||
                          text->second.find("python") != std::string::npos;
  if (!may_run_it) return false;
  const cases::Case problem = case_of(request);
  return !problem.compile.compiler.empty() ||
         std::holds_alternative<cases::PythonReference>(problem.reference);
}

Request with_reachable_headers(Request request) {
  // Looking for it may start a program: not for a kernel that has no use for it.
  if (request.python.empty() && runs_python(request)) request.python = compile::active_python();
  // Sources are searched for includes only where there is something to find.
  if (request.header_folders && request.header_folders->empty()) request.header_folders.reset();
  if (!request.header_folders) return request;
  std::vector<const compile::Headers*> folders;
  for (const cases::HeaderFolder& each : *request.header_folders) folders.push_back(&each.files);
  const auto names_for = [&](const compile::Source& source) {
    std::vector<std::string> names;
    for (auto& [name, text] : compile::reachable_headers(source, folders)) {
      names.push_back(name);
      request.headers.emplace(name, text);
    }
    return names;
  };
  request.kernel_headers = names_for({{}, request.source, request.files});
  if (request.incumbent)
    request.incumbent->headers =
        names_for({{}, request.incumbent->source, request.incumbent->files});
  std::string references;
  for (const auto& [name, bytes] : request.case_files) {
    if (name.ends_with(".cu")) references += bytes + "\n";
  }
  request.reference_headers = names_for({{}, references});
  request.header_folders.reset();
  return request;
}

}  // namespace autokernel::trial
