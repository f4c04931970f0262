#include "cli/product_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "autokernel/base/error.h"
#include "cli/case/catalog.h"
#include "cli/case/new_files.h"
#include "cli/case/stamp.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// As case.toml spells the types that its case has; empty for any other.
[[nodiscard]] std::string type_of(const std::string& cuda_type) {
  if (cuda_type == "R_16BF") return "bf16";
  if (cuda_type == "R_16F") return "f16";
  return cuda_type == "R_32F" ? "f32" : "";
}

}  // namespace

std::optional<std::string> why_no_product_case(const programs::Product& product) {
  const std::string type = type_of(product.a_type);
  const std::string& d_type = product.d_type.empty() ? product.c_type : product.d_type;
  if (type.empty() || product.b_type != product.a_type || d_type != product.a_type) {
    return "its types are " + product.a_type + ", " + product.b_type + " and " + d_type;
  }
  if (product.batch != 1) return "it is a batch of " + std::to_string(product.batch);
  if (!product.epilogue.empty() && product.epilogue != "DEFAULT") {
    return "it has the epilogue " + product.epilogue;
  }
  if (product.alpha != 1 || product.beta != 0) return "it is scaled, or added to what was there";
  // 0: the profile does not say.
  const auto is_packed = [](std::int64_t leading, std::int64_t rows) {
    return leading == 0 || leading == rows;
  };
  if (!is_packed(product.lda, product.transposes[0] == 'N' ? product.m : product.k) ||
      !is_packed(product.ldb, product.transposes[1] == 'N' ? product.k : product.n) ||
      !is_packed(product.d_type.empty() ? product.ldc : product.ldd, product.m)) {
    return "its matrices have gaps between their columns, or lie over each other";
  }
  if (product.order != "CCCC") return "its matrices are not column-major";
  return std::nullopt;
}

void write_product_case(const fs::path& folder, const programs::Product& product,
                        const std::string& backend) {
  // Column-major D = op(A) op(B) is row-major D^T = op(B)^T op(A)^T: the right factor comes first,
  // and a matrix that is not transposed there is stored as this case stores layout 1.
  const auto layout = [](char transposed) { return transposed == 'N' ? 1 : 2; };
  const std::string sizes = fmt::format(
      "[sizes.default]\nTYPE = \"{}\"\nM = {}\nN = {}\nK = {}\nLAYOUT_A = {}\nLAYOUT_B = {}\n\n",
      type_of(product.a_type), product.n, product.m, product.k, layout(product.transposes[1]),
      layout(product.transposes[0]));
  const fs::path target = folder.filename();
  const fs::path root = fs::absolute(folder).parent_path();
  std::vector<NewFile> files =
      stamped(root, target, target.string(), {.from = installed_case("gemm"), .backend = backend});
  for (NewFile& file : files) {
    if (file.path.filename() != "case.toml") continue;
    constexpr std::string_view kDefault = "[sizes.default]";
    const std::size_t at = file.bytes.find(kDefault);
    if (at == std::string::npos) {
      throw Error(Stop::internal, "the case gemm has no default size");
    }
    file.bytes.replace(at, kDefault.size(), sizes + "[sizes.of_the_box]");
  }
  write_new_files(root, files);
}

}  // namespace autokernel::cli
