#include "cli/picture_file.h"

#include <filesystem>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "cli/output_files.h"

namespace autokernel::cli {

namespace fs = std::filesystem;

plot::Format picture_format(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  if (ending == ".png") return plot::Format::png;
  if (ending == ".svg") return plot::Format::svg;
  throw Error(Stop::usage,
              "cannot draw to " + visible_line(file) + ": end its name in .png or .svg");
}

void require_picture(const std::string& file) {
  if (file.empty()) return;
  static_cast<void>(picture_format(file));
  refuse_to_overwrite_source(file, "the picture");
  require_folder_of(file, "draw to");
}

}  // namespace autokernel::cli
