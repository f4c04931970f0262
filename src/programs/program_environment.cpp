#include "programs/program_environment.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/own_library.h"
#include "autokernel/base/search_path.h"
#include "autokernel/driver/survey.h"

namespace autokernel::programs {

namespace fs = std::filesystem;

fs::path program_called(const std::string& name) {
  if (name.find('/') == std::string::npos) {
    fs::path found = find_on_path(name);
    if (found.empty()) {
      throw Error(Stop::usage, fmt::format("cannot run '{}': no program of that name is on the "
                                           "PATH; for one in this folder: ./{}",
                                           name, name));
    }
    return found;
  }
  std::error_code failed;
  const fs::file_status status = fs::status(name, failed);
  if (!fs::exists(status)) {
    throw Error(Stop::usage, fmt::format("cannot run '{}': there is no such file", name));
  }
  if (fs::is_directory(status)) {
    throw Error(Stop::usage, fmt::format("cannot run '{}': it is a folder", name));
  }
  return name;
}

fs::path required_library(const std::string& name, const std::string& what) {
  const fs::path library = own_library(name);
  if (library.empty()) {
    throw Error(Stop::environment,
                fmt::format("cannot {}: {} is not beside the autokernel binary or in ../lib; "
                            "install autokernel again",
                            what, name));
  }
  return fs::absolute(library);
}

void put_before(Variables& variables, const std::string& name, const std::string& entry) {
  const Variables own = own_variables();
  const auto had = own.find(name);
  const bool has_other = had != own.end() && !had->second.empty();
  variables[name] = entry + (has_other ? ":" + had->second : "");
}

bool uses_emulated_device(const driver::DeviceChoice& choice) {
  using Kind = driver::DeviceChoice::Kind;
  if (choice.kind != Kind::automatic) return choice.kind == Kind::cpu;
  return driver::survey().gpus.empty();
}

void choose_gpu(Variables& variables, const driver::DeviceChoice& choice) {
  if (choice.kind != driver::DeviceChoice::Kind::cuda) return;
  variables["CUDA_VISIBLE_DEVICES"] = std::to_string(choice.ordinal);
}

fs::path real_driver(const driver::DeviceChoice& device) {
  if (uses_emulated_device(device)) {
    return required_library("libautokernel_cpu.so", "run the program on the emulated device");
  }
  // Of a program that is being captured from itself: what we would find is the forwarding driver.
  const Variables own = own_variables();
  if (const auto outer = own.find("AUTOKERNEL_DRIVER"); outer != own.end()) return outer->second;
  const driver::Survey survey = driver::survey();
  if (survey.library != driver::Survey::Library::loaded) {
    throw Error(Stop::environment, "cannot run programs on a GPU: " + survey.trouble);
  }
  return survey.path;
}

}  // namespace autokernel::programs
