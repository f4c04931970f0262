#include "cli/doctor/facts_message.h"

#include <nlohmann/json.hpp>

// The library finds these by the namespace of the type they are for. A value that does not exist is
// null.
template <typename Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  static void to_json(json& to, const std::optional<Value>& from) {
    to = from ? json(*from) : json(nullptr);
  }
  static void from_json(const json& from, std::optional<Value>& to) {
    if (from.is_null()) {
      to.reset();
    } else {
      to = from.get<Value>();
    }
  }
};

template <>
struct nlohmann::adl_serializer<std::filesystem::path> {
  static void to_json(json& to, const std::filesystem::path& from) { to = from.string(); }
  static void from_json(const json& from, std::filesystem::path& to) {
    to = from.get<std::string>();
  }
};

namespace autokernel::driver {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SurveyedGpu, name, major, minor, memory_bytes, pci_bus_id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Survey, library, path, trouble, cuda_version, failure_code,
                                   failure, call, gpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuIdentity, index, name, uuid, pci_bus_id)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MigState, on, on_after_reset, instances)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuState, sm_clock_mhz, memory_clock_mhz, throttle_reasons,
                                   power_watts, celsius)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuSettings, highest_sm_clock_mhz, highest_memory_clock_mhz,
                                   persistence, power_limit_watts, default_power_limit_watts, mig)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuProcess, id, memory_bytes)
// What doctor reads of it.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceInfo, name, ordinal, major, minor, emulated)
}  // namespace autokernel::driver

namespace autokernel::trial {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompilerReadiness, version, library, headers, refusal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceReadiness, device, fault)
}  // namespace autokernel::trial

namespace autokernel::cli::doctor {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WatchedGpu, identity, state, settings, processes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Watched, trouble, driver_version, gpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Library, version)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Folder, path, trouble, free_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Repository, root, branch, under_way, locked, git_folder)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostFacts, visible_devices, has_gpu_node, gnuplot, curl,
                                   curl_trouble, temporary, cache, logs, repository)

template <typename Answer>
std::string encode(const Asked<Answer>& asked) {
  const nlohmann::json line = {{"answer", asked.answer}, {"trouble", asked.trouble}};
  // Texts of drivers and names of files need not be UTF-8.
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  return line.dump(-1, ' ', false, kReplace) + "\n";
}

template <typename Answer>
Asked<Answer> decode(const std::string& line) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    return {json.at("answer").get<std::optional<Answer>>(), json.at("trouble").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    return {{}, std::string("the probe failed: ") + error.what()};
  }
}

template std::string encode(const Asked<driver::Survey>&);
template std::string encode(const Asked<Watched>&);
template std::string encode(const Asked<trial::CompilerReadiness>&);
template std::string encode(const Asked<trial::DeviceReadiness>&);
template std::string encode(const Asked<Library>&);
template std::string encode(const Asked<HostFacts>&);
template Asked<driver::Survey> decode(const std::string&);
template Asked<Watched> decode(const std::string&);
template Asked<trial::CompilerReadiness> decode(const std::string&);
template Asked<trial::DeviceReadiness> decode(const std::string&);
template Asked<Library> decode(const std::string&);
template Asked<HostFacts> decode(const std::string&);

}  // namespace autokernel::cli::doctor
