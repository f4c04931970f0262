#include "programs/profile/product_json.h"

#include "autokernel/base/document_json.h"

namespace autokernel::programs {

std::optional<Product> product_of_json(std::string_view text) {
  try {
    const std::optional<document::Json> json = document::parsed(text);
    if (!json) return std::nullopt;
    Product product;
    document::Reader::read(*json, product);
    return product;
  } catch (const document::Unreadable&) {
    return std::nullopt;
  } catch (const document::Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace autokernel::programs
