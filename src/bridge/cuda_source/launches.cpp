#include "bridge/cuda_source/launches.h"

#include <algorithm>
#include <iterator>

namespace autokernel::bridge {
namespace {

class LaunchReader {
 public:
  LaunchReader(const Source& source, HostValues& values) : source_(source), values_(values) {}

  [[nodiscard]] std::vector<KernelLaunch> all() {
    std::vector<KernelLaunch> launches;
    for (const Node& root : source_.roots()) {
      walk(root, [&](const Node& at) {
        if (at.is("call_expression")) {
          for (KernelLaunch& launch : launches_at(at)) launches.push_back(std::move(launch));
        }
        return true;
      });
    }
    return launches;
  }

  [[nodiscard]] std::vector<KernelLaunch> at(const Node& call) { return launches_at(call); }

 private:
  [[nodiscard]] std::optional<KernelLaunch> launch_at(const Node& call) {
    for (const Node& child : call.children()) {
      if (child.is("kernel_call_syntax")) return by_brackets(call, child);
    }
    const std::string callee = last_name(call.field("function"));
    if (callee == "cudaLaunchKernelEx") return by_configuration(call);
    if (callee == "cudaLaunchKernel" || callee == "cudaLaunchCooperativeKernel")
      return by_list(call, callee == "cudaLaunchCooperativeKernel");
    return std::nullopt;
  }

  // One, or where a table of functions is launched from, one for each that it holds.
  [[nodiscard]] std::vector<KernelLaunch> launches_at(const Node& call) {
    std::vector<KernelLaunch> found;
    if (auto launch = launch_at(call)) return {std::move(*launch)};
    const Node callee = call.field("function");
    const Function* const around = source_.function_around(call);
    if (!callee.is("subscript_expression") || around == nullptr) return found;
    const std::string table = callee.field("argument").string();
    walk(around->body, [&](const Node& at) {
      if (at.is("assignment_expression") && at.field("left").is("subscript_expression") &&
          at.field("left").field("argument").text() == table) {
        table_entry_ = at.field("right");
        values_.set_table_entry(found.size());
        if (auto launch = launch_at(call)) found.push_back(std::move(*launch));
        table_entry_ = Node();
        values_.set_table_entry(0);
      }
      return true;
    });
    return found;
  }

  // Which kernel a node names: k, x::k<float>, (void*)k, or a variable that holds one.
  [[nodiscard]] bool find_kernel(KernelLaunch& launch, Node named) {
    while (named.is("cast_expression") || named.is("pointer_expression") ||
           named.is("parenthesized_expression")) {
      const Node inner = named.is("cast_expression")      ? named.field("value")
                         : named.is("pointer_expression") ? named.field("argument")
                         : named.children().empty()       ? Node()
                                                          : named.children()[0];
      named = inner;
    }
    if (named.is("call_expression") && arguments_of(named).size() == 1)
      named = arguments_of(named)[0];
    Node instance = named;
    if (instance.is("qualified_identifier")) instance = instance.field("name");
    if (instance.is("template_function"))
      launch.template_arguments = instance.field("arguments").children();
    std::vector<const Function*> fitting;
    for (const Function* const function : source_.functions_called(last_name(named))) {
      if (function->is_kernel && !function->is_specialization && fits(*function, launch))
        fitting.push_back(function);
    }
    narrow(fitting, named, launch);
    if (!fitting.empty()) {
      launch.kernel = fitting.front();
      launch.is_ambiguous = fitting.size() > 1;
      return true;
    }
    // auto kernel = k<float>;
    if (!named.is("identifier") || depth_ > 4) return false;
    const auto from = values_.origin(named.string(), named, launch.frame);
    if (!from || !from->value || from->value == named) return false;
    ++depth_;
    const bool found = find_kernel(launch, from->value);
    --depth_;
    return found;
  }

  // Of several kernels of one name: by their namespace, then by the types of their pointers.
  void narrow(std::vector<const Function*>& kernels, const Node& named,
              const KernelLaunch& launch) {
    const auto keep = [&](const auto& fits_better) {
      std::vector<const Function*> better;
      std::ranges::copy_if(kernels, std::back_inserter(better), fits_better);
      if (!better.empty()) kernels = std::move(better);
    };
    if (kernels.size() < 2) return;
    std::string written = named.string().substr(0, named.text().find('<'));
    if (written.starts_with("::")) written.erase(0, 2);
    keep([&](const Function* each) {
      return each->qualified == written || each->qualified.ends_with("::" + written);
    });
    keep([&](const Function* each) { return each->qualified == written; });
    keep([&](const Function* each) { return each->parameters.size() == launch.arguments.size(); });
    keep([&](const Function* each) {
      for (std::size_t i = 0; i < each->parameters.size() && i < launch.arguments.size(); ++i) {
        if (each->parameters[i].pointers == 0) continue;
        const auto from = values_.pointer(launch.arguments[i], launch.frame);
        if (from && !from->type.empty() &&
            source_.resolved_type(each->parameters[i].type) != from->type)
          return false;
      }
      return true;
    });
  }

  [[nodiscard]] static bool fits(const Function& function, const KernelLaunch& launch) {
    return launch.arguments.empty() || function.parameters.size() >= launch.arguments.size();
  }

  [[nodiscard]] std::optional<KernelLaunch> by_brackets(const Node& call,
                                                        const Node& configuration) {
    KernelLaunch launch;
    launch.place = call;
    launch.frame = values_.frame_of(call);
    launch.arguments = arguments_of(call);
    if (!find_kernel(launch, table_entry_ ? table_entry_ : call.field("function")))
      return std::nullopt;
    const std::vector<Node> parts = configuration.children();
    if (!parts.empty()) launch.grid = values_.extents(parts[0], launch.frame);
    if (parts.size() > 1) launch.block = values_.extents(parts[1], launch.frame);
    if (parts.size() > 2) set_shared(launch, parts[2]);
    return launch;
  }

  void set_shared(KernelLaunch& launch, const Node& node) {
    if (!node || node.text() == "0") return;
    launch.shared_bytes = values_.value(node, launch.frame);
    launch.has_shared_bytes = !launch.shared_bytes || launch.shared_bytes->number() != 0.0;
  }

  // cudaLaunchKernel(kernel, grid, block, args, shared, stream)
  [[nodiscard]] std::optional<KernelLaunch> by_list(const Node& call, bool cooperative) {
    const std::vector<Node> given = arguments_of(call);
    if (given.size() < 4) return std::nullopt;
    KernelLaunch launch;
    launch.place = call;
    launch.frame = values_.frame_of(call);
    launch.cooperative = cooperative;
    launch.grid = values_.extents(given[1], launch.frame);
    launch.block = values_.extents(given[2], launch.frame);
    if (given.size() > 4) set_shared(launch, given[4]);
    // void* args[] = {&a, (void*)&b};
    const auto list = values_.origin(given[3].string(), given[3], launch.frame);
    if (list) {
      for (Node each : list->value.children()) {
        while (each.is("cast_expression")) each = each.field("value");
        launch.arguments.push_back(each.is("pointer_expression") ? each.field("argument") : each);
      }
    }
    if (!find_kernel(launch, given[0])) return std::nullopt;
    return launch;
  }

  // cudaLaunchKernelEx(&config, kernel, arguments...)
  [[nodiscard]] std::optional<KernelLaunch> by_configuration(const Node& call) {
    std::vector<Node> given = arguments_of(call);
    if (given.size() < 2) return std::nullopt;
    KernelLaunch launch;
    launch.place = call;
    launch.frame = values_.frame_of(call);
    launch.arguments.assign(given.begin() + 2, given.end());
    if (!find_kernel(launch, given[1]) || launch.frame == nullptr) return std::nullopt;
    const Node config = given[0].is("pointer_expression") ? given[0].field("argument") : given[0];
    const std::string name = config.string();
    walk(launch.frame->function->body, [&](const Node& at) {
      if (!at.is("assignment_expression") || at.begin() >= call.begin()) return true;
      const std::string left = at.field("left").string();
      const Node right = at.field("right");
      if (left == name + ".gridDim") launch.grid = values_.extents(right, launch.frame);
      if (left == name + ".blockDim") launch.block = values_.extents(right, launch.frame);
      if (left == name + ".dynamicSmemBytes") set_shared(launch, right);
      if (right.text() == "cudaLaunchAttributeCooperative") launch.cooperative = true;
      if (right.text() == "cudaLaunchAttributeProgrammaticStreamSerialization")
        launch.programmatic = true;
      for (std::size_t i = 0; i < launch.cluster.size(); ++i) {
        const char* const ending = i == 0   ? "clusterDim.x"
                                   : i == 1 ? "clusterDim.y"
                                            : "clusterDim.z";
        if (left.ends_with(ending)) launch.cluster.at(i) = values_.value(right, launch.frame);
      }
      return true;
    });
    return launch;
  }

  const Source& source_;
  HostValues& values_;
  Node table_entry_;  // in the place of what is called
  int depth_ = 0;
};

}  // namespace

std::vector<KernelLaunch> launches_of(const Source& source, HostValues& values) {
  return LaunchReader(source, values).all();
}

std::vector<KernelLaunch> launches_at(const Source& source, HostValues& values, const Node& call) {
  return LaunchReader(source, values).at(call);
}

}  // namespace autokernel::bridge
