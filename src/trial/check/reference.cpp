#include "trial/check/reference.h"

#include "autokernel/base/error.h"
#include "autokernel/base/parallel.h"
#include "trial/inputs/conversion.h"

namespace autokernel::trial {
namespace {

[[noreturn]] void broken(const SizedCase& sized, const std::string& reason) {
  throw Error(Stop::usage, "cannot run the reference kernel of case " + sized.problem->name +
                               " at size '" + sized.size_name + "': " + reason + "; fix it in " +
                               sized.problem->directory.string());
}

}  // namespace

Product product_of(const SizedCase& sized, const std::string& left, const std::string& right) {
  const SizedTensor& a = sized.tensors[sized.index_of(left)];
  const SizedTensor& b = sized.tensors[sized.index_of(right)];
  const std::int64_t depth = a.extents.back();
  return {static_cast<std::int64_t>(a.count) / depth, static_cast<std::int64_t>(b.count) / depth,
          depth};
}

const std::vector<Bytes>& LibraryReference::expected(const SizedCase& sized,
                                                     const std::vector<Bytes>& inputs) {
  const std::size_t left = sized.index_of(gemm_.left);
  const std::size_t right = sized.index_of(gemm_.right);
  const std::size_t output = sized.index_of(gemm_.output);
  const SizedTensor& tensor = sized.tensors[output];
  result_.resize(tensor.count);
  library_->multiply(product_of(sized, gemm_.left, gemm_.right), sized.tensors[left].tensor->dtype,
                     inputs[left], inputs[right], result_);
  expected_.resize(sized.tensors.size());
  Bytes& rounded = expected_[output];
  rounded.resize(tensor.bytes);
  const cases::DType dtype = tensor.tensor->dtype;
  const std::size_t element = cases::size_of(dtype);
  in_parallel(result_.size(), 1, [&](std::size_t first, std::size_t end) {
    from_floats(dtype, std::span(result_).subspan(first, end - first),
                std::span(rounded).subspan(first * element, (end - first) * element));
  });
  return expected_;
}

KernelReference::Loaded& KernelReference::loaded_for(const SizedCase& sized) {
  const auto known = loaded_.find(sized.size_name);
  if (known != loaded_.end()) return known->second;
  auto loading = Candidate::load(*device_, programs_->at(sized.size_name), sized);
  if (const auto* refused = std::get_if<Rejection>(&loading)) broken(sized, refused->reason);
  Candidate kernel = std::get<Candidate>(std::move(loading));
  DeviceMemory memory(*device_, Operands::required_bytes(*device_, sized, kernel.extras()));
  Operands operands(*device_, sized, kernel.extras(), memory);
  return loaded_
      .emplace(sized.size_name, Loaded{std::move(kernel),
                                       std::move(memory),
                                       std::move(operands),
                                       device_->make_stream(),
                                       {}})
      .first->second;
}

const std::vector<Bytes>& KernelReference::expected(const SizedCase& sized,
                                                    const std::vector<Bytes>& inputs) {
  Loaded& loaded = loaded_for(sized);
  // What it leaves unwritten must not look like a result: it is filled with bits of a key nobody
  // else has.
  loaded.operands.load(inputs, draw_key(), loaded.host);
  launch(loaded, sized);
  expected_ = loaded.operands.outputs();
  return expected_;
}

const Operands& KernelReference::on_device(const Occasion& occasion, DeviceOperands& source) {
  Loaded& loaded = loaded_for(*occasion.sized);
  source.load(loaded.operands, occasion, draw_key(), loaded.stream);
  launch(loaded, *occasion.sized);
  return loaded.operands;
}

void KernelReference::launch(Loaded& loaded, const SizedCase& sized) {
  const Candidate& kernel = loaded.kernel;
  kernel.restore_objects();
  auto fault = kernel.launch(loaded.stream, loaded.operands);
  const auto late = loaded.stream.wait();
  if (!fault) fault = late;
  if (fault) broken(sized, rejection(*fault, kernel.launches_text(), "its launch").reason);
}

}  // namespace autokernel::trial
