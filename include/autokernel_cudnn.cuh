// Served to the baselines of a case as <autokernel_cudnn.cuh>: a graph of cuDNN's as a baseline.
// The program defines autokernel_cudnn::describe(), which makes the graph.
#pragma once

#if !__has_include(<cudnn.h>)
#error "cuDNN is not installed: pip install nvidia-cudnn-cu13"
#endif
#if !__has_include(<cudnn_frontend.h>)
#error "cuDNN's front end is not installed: pip install nvidia-cudnn-frontend"
#endif

#include <autokernel_baseline.h>
#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cudnn_frontend.h>
#include <dlfcn.h>

#include <autokernel_sizes.cuh>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace cudnn_frontend {
void* cudnn_dlhandle = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
}

namespace autokernel_cudnn {

namespace fe = cudnn_frontend;
using fe::graph::Graph;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;
using Extents = std::vector<std::int64_t>;

// Makes the graph and says in a few words what it is.
std::string describe(Graph& graph);

struct State {
  cudnnHandle_t handle = nullptr;
  Graph graph;
  std::string name;
  std::string configuration;
  std::string fault;
  std::unordered_map<std::int64_t, void*> pack;
};
inline State& state() {
  static State it;
  return it;
}
inline const char* fail(const std::string& why) {
  state().fault = why;
  return state().fault.c_str();
}

// bf16, where nothing else is said.
template <typename Type>
inline constexpr fe::DataType_t kDataType = fe::DataType_t::BFLOAT16;
template <>
inline constexpr fe::DataType_t kDataType<__half> = fe::DataType_t::HALF;
template <>
inline constexpr fe::DataType_t kDataType<float> = fe::DataType_t::FLOAT;

// A tensor of the kernel's by the index of its argument; `strides` count elements.
template <typename Type = __nv_bfloat16>
Tensor tensor(Graph& graph, int argument, const Extents& extents, const Extents& strides) {
  state().pack[argument] = nullptr;
  return graph.tensor(fe::graph::Tensor_attributes()
                          .set_uid(argument)
                          .set_dim(extents)
                          .set_stride(strides)
                          .set_data_type(kDataType<Type>));
}
// Makes what the graph computes that argument.
template <typename Type = __nv_bfloat16>
void give(const Tensor& output, int argument, const Extents& extents, const Extents& strides) {
  state().pack[argument] = nullptr;
  output->set_output(true).set_uid(argument).set_dim(extents).set_stride(strides).set_data_type(
      kDataType<Type>);
}

}  // namespace autokernel_cudnn

extern "C" const char* autokernel_baseline_prepare(AutokernelBaseline* baseline) {
  using namespace autokernel_cudnn;
  State& it = state();
  if (fe::cudnn_dlhandle == nullptr) return fail("libcudnn.so.9 cannot be loaded");
  const std::size_t version = fe::detail::get_backend_version();
  it.name = "cuDNN " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
            "." + std::to_string(version % 100);
  if (fe::detail::create_handle(&it.handle) != CUDNN_STATUS_SUCCESS)
    return fail(it.name + " cannot be opened");
  it.graph.set_io_data_type(fe::DataType_t::BFLOAT16)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  it.configuration = describe(it.graph);
  // The plan that it would choose itself.
  auto built = it.graph.build(it.handle, {fe::HeurMode_t::A});
  if (built.is_bad()) return fail(it.name + " has no plan for this: " + built.get_message());
  std::int64_t workspace = 0;
  if (it.graph.get_workspace_size(workspace).is_bad()) return fail("it tells no workspace");
  std::string plan;
  if (it.graph.get_plan_name(plan).is_good()) it.configuration += ", plan " + plan;
  *baseline = {it.name.c_str(), it.configuration.c_str(),
               static_cast<unsigned long long>(workspace)};
  return nullptr;
}

extern "C" const char* autokernel_baseline_launch(void* const* arguments, void* workspace,
                                                  CUstream_st* stream) {
  using namespace autokernel_cudnn;
  State& it = state();
  fe::detail::set_stream(it.handle, stream);
  for (auto& [argument, address] : it.pack)
    address = autokernel_argument<void*>(arguments, static_cast<int>(argument));
  auto done = it.graph.execute(it.handle, it.pack, workspace);
  return done.is_bad() ? fail(done.get_message()) : nullptr;
}
