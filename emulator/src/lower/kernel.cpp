#include "lower/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "lower/awaited_lanes.h"
#include "lower/body.h"
#include "lower/call_graph.h"
#include "lower/control_flow.h"
#include "lower/inline_calls.h"
#include "lower/thread_call.h"
#include "lower/thread_function.h"
#include "lower/waiting_loops.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

// Of a long kernel: more modules keep more threads busy, and cost a little each.
constexpr std::size_t kPartsPerModule = 4;

void take_sites(const Writer& writer, LoweredKernel& kernel) {
  for (const auto& pending : writer.sites()) {
    kernel.sites.push_back(pending.site);
    kernel.site_texts.push_back(pending.text);
  }
  kernel.may_suspend = kernel.may_suspend || writer.may_suspend();
}

std::string module_of(std::span<const Code> codes) {
  std::set<std::string> declarations;
  std::string text;
  for (const Code& code : codes) {
    declarations.insert(code.declarations.begin(), code.declarations.end());
    text += code.text;
  }
  return module_text(declarations, text);
}

// What becomes one module of IR.
class Functions {
 public:
  Functions(const ptx::Module& module, const LaunchShape& shape, const SymbolAddresses& symbols,
            ClaimsChoice claims)
      : module_(module), shape_(shape), symbols_(symbols), claims_(claims) {}

  // `known` is what is known of the registers, of which the writer may be told less.
  void add(const ptx::Function& function, const Layout& layout, const ControlFlow& flow,
           const Analysis& known, const std::map<std::uint32_t, Collective>& collectives,
           const std::string& header) {
    const bool compares = claims_ == ClaimsChoice::compared;
    Analysis blank;
    if (compares) {
      blank = analyse(module_, function, flow, shape_, layout, symbols_, Knowledge::none);
      spread_gathered(collectives, blank);
    }
    Writer writer(module_, function, shape_, layout, symbols_, flow, compares ? blank : known,
                  scope);
    if (compares) writer.compare_with(&known.register_values);
    const Code code = write_body(writer, collectives, header);
    text_ += code.text;
    declarations_.insert(code.declarations.begin(), code.declarations.end());
    take_sites(writer, kernel_);
  }
  void add(const ThreadFunction& each, const std::string& header) {
    const ControlFlow flow = control_flow_of(module_, each.function);
    Analysis analysis = analyse(module_, each.function, flow, shape_, each.layout, symbols_);
    spread_gathered(each.collectives, analysis);
    add(each.function, each.layout, flow, analysis, each.collectives, header);
  }
  void add_text(const std::string& text) { text_ += text; }

  LoweredKernel take() {
    kernel_.modules = {module_text(declarations_, text_)};
    return std::move(kernel_);
  }

  KernelScope scope;

 private:
  // What threads meet with is one value for each of them.
  static void spread_gathered(const std::map<std::uint32_t, Collective>& collectives,
                              Analysis& analysis) {
    for (const auto& [index, collective] : collectives) {
      for (const auto& source : collective.sources) {
        analysis.register_values.at(source.gathered) = LaneValues::any();
      }
    }
  }

  const ptx::Module& module_;
  const LaunchShape& shape_;
  const SymbolAddresses& symbols_;
  ClaimsChoice claims_;
  std::string text_;
  std::set<std::string> declarations_;
  LoweredKernel kernel_;
};

std::string header_of_kernel(const std::string& name) {
  return fmt::format("void @{}(ptr noalias %ctx)", name);
}

LoweredKernel lower_threads(const ptx::Module& module, const ptx::Function& function,
                            LaunchShape shape, const SymbolAddresses& symbols,
                            const std::string& name, const CallGraph& graph, ClaimsChoice claims) {
  shape.unit = runtime::Unit::thread;
  ThreadProgram program = thread_program(module, function, graph);
  program.kernel.layout.clustered = shape.clustered;
  for (auto& [index, each] : program.functions) each.layout.clustered = shape.clustered;
  Functions functions(module, shape, symbols, claims);
  functions.scope.program = &program;
  functions.add(program.kernel, header_of_kernel(name));
  for (const auto& [index, each] : program.functions) {
    functions.add(each, fmt::format("internal i32 @{}(ptr noalias %ctx, i64 %frame)",
                                    name_of_function(index)));
  }
  if (graph.through_pointers) functions.add_text(function_tables(module, functions.scope));
  LoweredKernel kernel = functions.take();
  kernel.layout = program.kernel.layout;
  kernel.unit = shape.unit;
  kernel.local_bytes = program.local_bytes;
  kernel.grows_stack = program.grows;
  return kernel;
}

// What no warp can run, whatever its launch.
bool needs_threads(const CallGraph& graph) {
  return graph.recurses || graph.through_pointers || graph.allocates ||
         (!graph.functions.empty() &&
          (graph.inlined > kMostInlined || graph.inlined_names > kMostInlinedNames));
}

}  // namespace

Layout layout_of(const ptx::Module& module, const ptx::Function& kernel, EngineChoice choice) {
  const CallGraph graph = call_graph(module, kernel);
  const bool threads = choice == EngineChoice::threads ||
                       (choice == EngineChoice::automatic && needs_threads(graph));
  if (threads) {
    const ThreadProgram program = thread_program(module, kernel, graph);
    Layout layout = program.kernel.layout;
    layout.local_bytes = program.local_bytes;
    return layout;
  }
  const std::optional<ptx::Function> inlined = with_calls_inlined(module, kernel);
  return lay_out(module, inlined ? *inlined : kernel);
}

LoweredKernel lower_kernel(const ptx::Module& module, const ptx::Function& function,
                           const LaunchShape& shape, const SymbolAddresses& symbols,
                           const std::string& name, EngineChoice choice, PartsChoice parts,
                           ClaimsChoice claims) {
  const CallGraph graph = call_graph(module, function);
  const bool automatic = choice == EngineChoice::automatic;
  if (choice == EngineChoice::threads || (automatic && needs_threads(graph))) {
    return lower_threads(module, function, shape, symbols, name, graph, claims);
  }
  const std::optional<ptx::Function> inlined = with_calls_inlined(module, function);
  const ptx::Function& body = inlined ? *inlined : function;
  Layout layout = lay_out(module, body);
  layout.clustered = shape.clustered;
  const bool compares = claims == ClaimsChoice::compared;
  const std::uint32_t length = part_length(body, compares ? PartsChoice::never : parts);
  ControlFlow flow = control_flow_of(module, body, length);
  Analysis analysis = analyse(module, body, flow, shape, layout, symbols);
  if (automatic && lanes_come_to_barriers_one_by_one(body, flow, analysis)) {
    return lower_threads(module, function, shape, symbols, name, graph, claims);
  }
  if (lanes_wait_for_each_other(body, flow, analysis) ||
      lanes_wait_for_named_ones(body, flow, analysis)) {
    flow = control_flow_of(module, body, length, LanesChoice::in_turns);
    let_waiting_loops_come_last(body, flow);
    analysis = analyse(module, body, flow, shape, layout, symbols);
  }
  const std::vector<std::uint32_t> firsts = first_blocks(flow, length);
  LoweredKernel kernel;
  if (firsts.size() == 1) {
    Functions functions(module, shape, symbols, claims);
    functions.add(body, layout, flow, analysis, {}, header_of_kernel(name));
    kernel = functions.take();
  } else {
    PartsFrame frame = parts_frame(body, flow, analysis);
    KernelScope scope;
    Writer writer(module, body, shape, layout, symbols, flow, analysis, scope, &frame);
    const std::vector<Code> codes = write_parts(writer, name, firsts);
    kernel.modules.push_back(module_of(std::span(codes).first(1)));
    for (std::size_t begin = 1; begin < codes.size(); begin += kPartsPerModule) {
      const std::size_t end = std::min(begin + kPartsPerModule, codes.size());
      kernel.modules.push_back(module_of(std::span(codes).subspan(begin, end - begin)));
    }
    take_sites(writer, kernel);
  }
  kernel.layout = layout;
  kernel.local_bytes = layout.local_bytes;
  return kernel;
}

}  // namespace emulator::lower
