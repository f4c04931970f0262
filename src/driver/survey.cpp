#include "autokernel/driver/survey.h"

#include <dlfcn.h>

#include <array>

#include "autokernel/base/error.h"
#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {
namespace {

// Names of GPUs and bus addresses are far shorter; a longer one is cut by the driver.
constexpr int kLongestText = 256;

// Calls the driver until one call fails, and notes which.
class Questions {
 public:
  Questions(const Api& api, Survey& survey) : api_(&api), survey_(&survey) {}

  [[nodiscard]] bool ask(CUresult status, const char* call) {
    if (status == CUDA_SUCCESS) return true;
    survey_->failure_code = static_cast<int>(status);
    survey_->failure = fault(*api_, status, Occasion::load, call).text + " (" +
                       name_of(*api_, status) + ", " + std::to_string(static_cast<int>(status)) +
                       ")";
    survey_->call = call;
    return false;
  }

  [[nodiscard]] bool describe(int ordinal) {
    const Api& api = *api_;
    CUdevice device = 0;
    std::array<char, kLongestText> text{};
    std::size_t memory = 0;
    SurveyedGpu gpu;
    const bool answered =
        ask(api.device_get(&device, ordinal), "cuDeviceGet") &&
        ask(api.device_get_name(text.data(), kLongestText - 1, device), "cuDeviceGetName") &&
        ask(api.device_total_mem(&memory, device), "cuDeviceTotalMem") &&
        ask(api.device_get_attribute(&gpu.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                     device),
            "cuDeviceGetAttribute") &&
        ask(api.device_get_attribute(&gpu.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                     device),
            "cuDeviceGetAttribute");
    if (!answered) return false;
    gpu.name = text.data();
    gpu.memory_bytes = memory;
    if (api.device_pci_bus_id != nullptr &&
        api.device_pci_bus_id(text.data(), kLongestText - 1, device) == CUDA_SUCCESS) {
      gpu.pci_bus_id = text.data();
    }
    survey_->gpus.push_back(gpu);
    return true;
  }

 private:
  const Api* api_;
  Survey* survey_;
};

[[nodiscard]] std::string path_of(const Api& api, const std::filesystem::path& library) {
  Dl_info info{};
  const bool known =
      dladdr(reinterpret_cast<void*>(api.init), &info) != 0 && info.dli_fname != nullptr;
  return known ? info.dli_fname : library.string();
}

void ask_driver(const Api& api, Survey& survey) {
  // It answers before it is initialised, so that a driver that is too old can be distinguished from
  // none.
  if (api.driver_get_version(&survey.cuda_version) != CUDA_SUCCESS) survey.cuda_version = 0;
  Questions questions(api, survey);
  int count = 0;
  if (!questions.ask(api.init(0), "cuInit")) return;
  if (!questions.ask(api.device_get_count(&count), "cuDeviceGetCount")) return;
  for (int ordinal = 0; ordinal < count && questions.describe(ordinal); ++ordinal) {
  }
}

}  // namespace

Survey survey(const std::filesystem::path& library) {
  Survey survey;
  try {
    const auto api = open_library(library, survey.trouble);
    if (api == nullptr) return survey;
    survey.library = Survey::Library::loaded;
    survey.path = path_of(*api, library);
    ask_driver(*api, survey);
  } catch (const Error& error) {
    survey.library = Survey::Library::unusable;
    survey.trouble = error.what();
  }
  return survey;
}

}  // namespace autokernel::driver
