#include "serve/http_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/json_bounds.h"
#include "autokernel/base/landlock.h"
#include "autokernel/base/number.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/solution.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/order.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/sources.h"
#include "serve/answer.h"
#include "serve/judge_request.h"
#include "serve/metrics.h"
#include "serve/solution_run.h"

namespace autokernel::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLongestWait = 60;  // of a poll: proxies cut off what takes longer
constexpr std::size_t kMostOfBatch = 1000;
// Of what is read for it: nobody else is answered meanwhile.
constexpr std::size_t kLargestBatch = std::size_t{16} << 20U;
// A solution is four levels deep, and has some sources.
constexpr document::JsonBounds kBounds = {.deepest = 32, .most_values = 100'000};

[[nodiscard]] std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}
[[nodiscard]] HttpReply replied(const Json& json, int status = 200) {
  return {.status = status, .body = dump(json)};
}

// ---- what is read ------------------------------------------------------------------------------

[[nodiscard]] Json body_of(const HttpRequest& request) {
  if (const char* excess = document::excess_of(request.body, kBounds))
    throw Refusal{.status = 400, .what = std::string("the body ") + excess};
  Json body = Json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  if (!body.is_object()) throw Refusal{.status = 400, .what = "the body is no JSON object"};
  return body;
}

// The text of that name; `otherwise` where there is none.
[[nodiscard]] std::string text_in(const Json& json, const char* name,
                                  const std::optional<std::string>& otherwise = {}) {
  const auto found = json.find(name);
  if (found != json.end() && found->is_string()) return found->get<std::string>();
  if (found == json.end() && otherwise) return *otherwise;
  throw Refusal{.status = 422, .what = fmt::format("'{}' has to be a text", name)};
}
[[nodiscard]] std::optional<double> number_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  throw Refusal{.status = 422, .what = fmt::format("'{}' has to be a number", name)};
}
[[nodiscard]] std::map<std::string, std::string> files_in(const Json& json) {
  std::map<std::string, std::string> files;
  const auto found = json.find("files");
  if (found == json.end()) return files;
  if (!found->is_object())
    throw Refusal{.status = 422, .what = "'files' has to be an object: path to text"};
  for (const auto& [path, text] : found->items()) {
    if (!text.is_string()) throw Refusal{.status = 422, .what = "a file of 'files' is no text"};
    files[path] = text.get<std::string>();
  }
  return files;
}

// A field that is misspelt would be missed by nobody.
void require_known(const Json& json, const std::vector<std::string_view>& fields) {
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(fields, name) != fields.end()) continue;
    throw Refusal{.status = 422,
                  .what = fmt::format("there is no field '{}'; there are {}", visible_line(name),
                                      fmt::join(fields, ", "))};
  }
}
// 0: the usual one.
[[nodiscard]] double deadline_in(const Json& json) {
  const std::optional<double> seconds = number_in(json, "deadline_seconds");
  if (seconds && !(*seconds > 0))
    throw Refusal{.status = 422, .what = "'deadline_seconds' has to be above 0"};
  return seconds.value_or(0);
}

[[nodiscard]] double timeout_of(const HttpRequest& request) {
  const auto found = request.query.find("timeout");
  if (found == request.query.end()) return 0;
  double seconds = 0;
  if (!read_number(found->second, seconds) || !(seconds >= 0))
    throw Refusal{.status = 422, .what = "'timeout' has to be a number of seconds"};
  return std::min(seconds, kLongestWait);
}

// What stands in the path for the "{...}" of the pattern, and nothing for one without; none where
// the path is another.
[[nodiscard]] std::optional<std::string> part_in(const std::string& path,
                                                 std::string_view pattern) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos)
    return path == pattern ? std::optional(std::string()) : std::nullopt;
  const std::string_view before = pattern.substr(0, open);
  const std::string_view behind = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= before.size() + behind.size()) return std::nullopt;
  if (!path.starts_with(before) || !path.ends_with(behind)) return std::nullopt;
  std::string part = path.substr(before.size(), path.size() - before.size() - behind.size());
  if (part.find('/') != std::string::npos) return std::nullopt;
  return part;
}

// ---- what is shown -----------------------------------------------------------------------------

[[nodiscard]] Json time_or_null(double time) { return time > 0 ? Json(time) : Json(nullptr); }

[[nodiscard]] Json trial_json(const Task& task) {
  Json json = {{"id", task.id},
               {"state", spelling(task.state)},
               {"case", task.case_name},
               {"attempts", task.attempts},
               {"device", task.device},
               {"received", task.received},
               {"begun", time_or_null(task.begun)},
               {"ended", time_or_null(task.ended)},
               {"result", nullptr},
               {"error", nullptr}};
  if (!is_over(task.state)) return json;
  if (const std::string why = reason_of(task); !why.empty()) json["error"] = why;
  if (task.state != State::done || task.kind != TaskKind::trial) return json;
  const trial::Event event = trial::decode_event(task.answer);
  json["result"] = Json::parse(trial::record(trial::decode_trial_order(task.order).request,
                                             std::get<trial::Result>(event), {}));
  return json;
}

// As FlashInfer-Bench's server names the states.
[[nodiscard]] const char* status_of(State state) {
  switch (state) {
    case State::queued:
      return "pending";
    case State::running:
      return "running";
    case State::done:
      return "completed";
    case State::failed:
    case State::cancelled:
    case State::expired:
      break;
  }
  return "failed";
}

[[nodiscard]] Json task_json(const Task& task, const RegisteredCase* own) {
  const SolutionOrder order = decode_solution_order(task.order);
  const Json solution = Json::parse(order.solution, nullptr, /*allow_exceptions=*/false);
  Json json = {{"task_id", task.key},
               {"status", status_of(task.state)},
               {"definition", own == nullptr ? std::string() : own->definition_name},
               {"solution", solution.is_object() ? solution.value("name", "") : ""},
               {"traces", nullptr},
               {"error", nullptr}};
  if (const std::string why = is_over(task.state) ? reason_of(task) : ""; !why.empty())
    json["error"] = why;
  if (task.state != State::done) return json;
  Json traces = Json::array();
  std::istringstream lines(task.answer);
  for (std::string line; std::getline(lines, line);) {
    Json trace = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!trace.is_object()) continue;
    const std::string uuid = trace.contains("workload") && trace["workload"].is_object()
                                 ? trace["workload"].value("uuid", "")
                                 : "";
    if (order.uuids.empty() || std::ranges::find(order.uuids, uuid) != order.uuids.end())
      traces.push_back(std::move(trace));
  }
  json["traces"] = std::move(traces);
  return json;
}

[[nodiscard]] Json case_json(const RegisteredCase& own) {
  return {{"name", own.name},
          {"digest", own.digest},
          {"problem", own.problem},
          {"sizes", own.sizes},
          {"kernel", own.request.kernel_file.filename().string()},
          {"definition", own.definition_name.empty() ? Json(nullptr) : Json(own.definition_name)}};
}

[[nodiscard]] Json devices_json(const std::vector<DeviceWorker::Status>& devices) {
  Json list = Json::array();
  for (const DeviceWorker::Status& device : devices) {
    list.push_back({{"device", device.device},
                    {"name", device.name.empty() ? Json(nullptr) : Json(device.name)},
                    {"healthy", device.is_ready},
                    {"trouble", device.trouble.empty() ? Json(nullptr) : Json(device.trouble)}});
  }
  return list;
}

// Sizes of the case that have the values of these workloads.
[[nodiscard]] std::string sizes_of(const RegisteredCase& own,
                                   const std::vector<std::string>& uuids) {
  const std::vector<bridge::WorkloadOfCase> workloads = bridge::workloads_in_case(own.definition);
  const cases::Case problem = trial::case_of(own.request);
  std::string sizes;
  for (const std::string& uuid : uuids) {
    const auto found = std::ranges::find(workloads, uuid, &bridge::WorkloadOfCase::uuid);
    if (found == workloads.end())
      throw Refusal{.status = 400, .what = "Workload not found: " + visible_line(uuid)};
    for (const auto& [name, symbols] : problem.sizes) {
      const bool is_it = std::ranges::all_of(found->symbols, [&](const auto& symbol) {
        const auto value = symbols.find(symbol.first);
        return value != symbols.end() && value->second == symbol.second;
      });
      if (!is_it) continue;
      if (("," + sizes + ",").find("," + name + ",") == std::string::npos)
        sizes += (sizes.empty() ? "" : ",") + name;
      break;
    }
  }
  return sizes;
}

[[nodiscard]] HttpReply health(const Service& service) {
  const std::vector<DeviceWorker::Status> devices = service.devices();
  const std::string& trouble = service.dispatcher().trouble();
  const bool has_device =
      std::ranges::any_of(devices, [](const auto& device) { return device.is_ready; });
  const bool is_well = has_device && trouble.empty();
  Json workers = Json::array();
  for (const auto& device : devices)
    workers.push_back({{"device", device.device}, {"healthy", device.is_ready}});
  return replied({{"status", is_well      ? "ok"
                             : has_device ? trouble
                                          : "no device is ready"},
                  {"workers", std::move(workers)},
                  {"queue_size", service.waiting()}},
                 is_well ? 200 : 503);
}

// ---- one request -------------------------------------------------------------------------------

// Routes of one client. Those that wait keep what they need by themselves.
class Routes {
 public:
  Routes(boost::asio::io_context& context, Service& service, std::string client)
      : context_(context), service_(service), client_(std::move(client)) {}

  void route(const HttpRequest& request, const Respond& respond) const {
    // RFC 9110, 9.3.2: as GET, without its body.
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    std::string allowed;
    for (const Route& route : table()) {
      const auto part = part_in(request.path, route.pattern);
      if (!part) continue;
      if (method == route.method) return (this->*route.answer)(request, *part, respond);
      allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
    }
    const std::string what = fmt::format("there is no {} {}; ", visible_line(request.method),
                                         visible_line(request.path));
    if (allowed.empty()) return respond(refused(404, what + "GET / lists what there is"));
    HttpReply reply = refused(405, what + "it takes " + allowed);
    reply.allowed = allowed;
    respond(reply);
  }

 private:
  using Answer = void (Routes::*)(const HttpRequest& request, const std::string& part,
                                  const Respond& respond) const;
  struct Route {
    const char* method;
    std::string_view pattern;  // "{...}" is one part of the path
    Answer answer;
  };
  [[nodiscard]] static std::span<const Route> table() {
    static constexpr std::array kRoutes = std::to_array<Route>({
        {"GET", "/", &Routes::list_endpoints},
        {"GET", "/health", &Routes::show_health},
        {"GET", "/metrics", &Routes::show_metrics},
        {"GET", "/v1/cases", &Routes::list_cases},
        {"GET", "/v1/status", &Routes::show_status},
        {"POST", "/v1/trials", &Routes::submit_trial},
        {"GET", "/v1/trials/{id}", &Routes::show_trial},
        {"DELETE", "/v1/trials/{id}", &Routes::cancel_trial},
        {"GET", "/definitions", &Routes::list_definitions},
        {"GET", "/definitions/{name}", &Routes::show_definition},
        {"GET", "/definitions/{name}/workloads", &Routes::list_workloads},
        {"GET", "/workloads/{uuid}", &Routes::show_workload},
        {"POST", "/evaluate", &Routes::evaluate},
        {"GET", "/tasks/{task_id}", &Routes::show_task},
        {"POST", "/tasks/batch", &Routes::show_tasks},
    });
    return kRoutes;
  }

  void list_endpoints(const HttpRequest& /*request*/, const std::string& /*part*/,
                      const Respond& respond) const {
    Json endpoints = Json::array();
    for (const Route& route : table())
      endpoints.push_back(fmt::format("{} {}", route.method, route.pattern));
    respond(replied({{"name", "autokernel serve"}, {"endpoints", std::move(endpoints)}}));
  }
  void show_health(const HttpRequest& /*request*/, const std::string& /*part*/,
                   const Respond& respond) const {
    respond(health(service_));
  }
  void show_metrics(const HttpRequest& /*request*/, const std::string& /*part*/,
                    const Respond& respond) const {
    respond({.body = metrics_text(service_), .type = "text/plain; version=0.0.4"});
  }

  // ---- /v1 ------------------------------------------------------------------------------------
  void list_cases(const HttpRequest& /*request*/, const std::string& /*part*/,
                  const Respond& respond) const {
    Json list = Json::array();
    for (const auto& [name, own] : service_.cases().all()) list.push_back(case_json(own));
    respond(replied(list));
  }

  void show_status(const HttpRequest& /*request*/, const std::string& /*part*/,
                   const Respond& respond) const {
    respond(replied({{"waiting", service_.dispatcher().waiting()},
                     {"running", service_.dispatcher().running()},
                     {"waiting_of_yours", service_.dispatcher().waiting_of(client_)},
                     {"devices", devices_json(service_.devices())}}));
  }

  void submit_trial(const HttpRequest& request, const std::string& /*part*/,
                    const Respond& respond) const {
    const Json body = body_of(request);
    require_known(body, {"case", "source", "files", "size", "arch", "device", "depth", "against",
                         "key", "deadline_seconds"});
    const std::string name = text_in(body, "case");
    const RegisteredCase* own = service_.cases().named(name);
    if (own == nullptr) {
      throw Refusal{.status = 404,
                    .what = fmt::format("there is no case '{}'; GET /v1/cases lists them",
                                        visible_line(name))};
    }
    trial::TrialOrder order;
    order.request = own->request;
    order.request.source = text_in(body, "source");
    if (order.request.source.find_first_not_of(" \t\r\n") == std::string::npos)
      throw Refusal{.status = 422, .what = "'source' is empty"};
    order.request.files = files_in(body);
    order.request.size = text_in(body, "size", "default");
    order.request.architecture = text_in(body, "arch", "");
    order.request.device = trial::parse_device(text_in(body, "device", "auto"));
    if (!order.request.device.place.empty())
      throw Refusal{.status = 422, .what = "'device' is auto, cuda, cuda:N or cpu"};
    const std::string depth = text_in(body, "depth", "usual");
    if (!trial::restore(depth, order.request.depth))
      throw Refusal{.status = 422, .what = "'depth' is quick, usual or full"};
    if (const auto against = body.find("against"); against != body.end()) {
      if (!against->is_object())
        throw Refusal{.status = 422, .what = "'against' has to be an object with a source"};
      require_known(*against, {"name", "source", "files", "min_gain_pct"});
      trial::Incumbent incumbent;
      incumbent.name = text_in(*against, "name", "the incumbent");
      incumbent.source = text_in(*against, "source");
      incumbent.files = files_in(*against);
      constexpr double kPercent = 100;
      if (const auto gain = number_in(*against, "min_gain_pct"))
        incumbent.min_gain = *gain / kPercent;
      order.request.incumbent = std::move(incumbent);
    }
    const std::string key = body.contains("key") ? text_in(body, "key") : trial::fresh_order_key();
    const TrialId id = service_.submit(client_, key, *own, order, deadline_in(body));
    respond(replied({{"id", id},
                     {"state", spelling(service_.ledger().state(id).value_or(State::queued))},
                     {"url", fmt::format("/v1/trials/{}", id)}},
                    202));
  }

  // Of another client's it is not told that they are there.
  [[nodiscard]] Task own_trial(const std::string& text) const {
    TrialId id = 0;
    if (read_number(text, id)) {
      auto task = service_.ledger().find(id);
      if (task && task->client == client_) return *std::move(task);
    }
    throw Refusal{.status = 404, .what = "there is no such trial of yours"};
  }
  void show_trial(const HttpRequest& request, const std::string& id, const Respond& respond) const {
    when_over({own_trial(id).id}, timeout_of(request), [*this, id, respond] {
      respond(guarded([&] { return trial_json(own_trial(id)); }));
    });
  }
  void cancel_trial(const HttpRequest& /*request*/, const std::string& id,
                    const Respond& respond) const {
    service_.dispatcher().cancel(own_trial(id).id);
    respond(replied(trial_json(own_trial(id))));
  }

  // A reply that is made later, when nobody catches any more.
  [[nodiscard]] static HttpReply guarded(const std::function<Json()>& make) {
    try {
      return replied(make());
    } catch (const Refusal& refusal) {
      return refused(refusal.status, refusal.what);
    } catch (const Error& error) {
      return refused(503, error.what());
    }
  }

  // Calls `then` when all of them are over, or after so many seconds.
  void when_over(const std::vector<TrialId>& ids, double seconds,
                 const std::function<void()>& then) const {
    struct Waiting {
      std::size_t open = 0;
      std::vector<Dispatcher::WatchId> watches;
      std::function<void()> then;
      std::unique_ptr<boost::asio::steady_timer> timer;
    };
    auto waiting = std::make_shared<Waiting>();
    for (const TrialId id : ids) {
      const auto state = service_.ledger().state(id);
      if (!state || is_over(*state) || seconds <= 0) continue;
      ++waiting->open;
      waiting->watches.push_back(
          service_.dispatcher().watch(id, {.progress = {}, .over = [waiting](const Task&) {
                                             if (--waiting->open > 0 || !waiting->timer) return;
                                             waiting->timer->cancel();
                                           }}));
    }
    if (waiting->open == 0) return then();
    waiting->then = then;
    waiting->timer = std::make_unique<boost::asio::steady_timer>(
        context_, std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)));
    waiting->timer->async_wait([waiting, &service = service_](const auto& /*cancelled*/) {
      for (const Dispatcher::WatchId watch : waiting->watches) service.dispatcher().unwatch(watch);
      const std::function<void()> call = std::move(waiting->then);
      waiting->timer.reset();
      if (call) call();
    });
  }

  // ---- FlashInfer-Bench -----------------------------------------------------------------------
  [[nodiscard]] const RegisteredCase& definition_named(const std::string& name) const {
    const RegisteredCase* own = service_.cases().of_definition(name);
    if (own == nullptr)
      throw Refusal{.status = 404, .what = "Definition not found: " + visible_line(name)};
    return *own;
  }
  void list_definitions(const HttpRequest& /*request*/, const std::string& /*part*/,
                        const Respond& respond) const {
    Json list = Json::array();
    for (const auto& [name, own] : service_.cases().all()) {
      if (own.definition_name.empty()) continue;
      const Json text = Json::parse(own.definition.definition, nullptr, false);
      list.push_back(
          {{"name", own.definition_name},
           {"description", text.is_object() && text.contains("description") ? text["description"]
                                                                            : Json(nullptr)}});
    }
    respond(replied(list));
  }
  void show_definition(const HttpRequest& /*request*/, const std::string& name,
                       const Respond& respond) const {
    respond({.body = definition_named(name).definition.definition});
  }
  void list_workloads(const HttpRequest& /*request*/, const std::string& name,
                      const Respond& respond) const {
    Json list = Json::array();
    for (const auto& each : bridge::workloads_in_case(definition_named(name).definition))
      list.push_back(Json::parse(each.json, nullptr, false));
    respond(replied(list));
  }
  void show_workload(const HttpRequest& /*request*/, const std::string& uuid,
                     const Respond& respond) const {
    for (const auto& [name, own] : service_.cases().all()) {
      if (own.definition_name.empty()) continue;
      for (const auto& each : bridge::workloads_in_case(own.definition))
        if (each.uuid == uuid) return respond(replied(Json::parse(each.json, nullptr, false)));
    }
    throw Refusal{.status = 404, .what = "Workload not found: " + visible_line(uuid)};
  }

  void evaluate(const HttpRequest& request, const std::string& /*part*/,
                const Respond& respond) const {
    // A solution's host code could read and change what is the judge's.
    if (!has_landlock()) {
      throw Refusal{.status = 501,
                    .what =
                        "solutions are not taken here: their host code is confined by "
                        "Landlock, which this Linux lacks; /v1/trials takes kernels"};
    }
    const Json body = body_of(request);
    const auto solution = body.find("solution");
    if (solution == body.end() || !solution->is_object())
      throw Refusal{.status = 422, .what = "'solution' has to be an object"};
    SolutionOrder order;
    order.solution = solution->dump(-1, ' ', true, Json::error_handler_t::replace);
    const bridge::Solution read = bridge::read_solution("the solution", order.solution);
    const RegisteredCase* own = service_.cases().of_definition(read.definition);
    if (own == nullptr)
      throw Refusal{.status = 400,
                    .what = "Definition not found: " + visible_line(read.definition)};
    if (const auto uuids = body.find("workload_uuids"); uuids != body.end() && !uuids->is_null()) {
      if (!uuids->is_array())
        throw Refusal{.status = 422, .what = "'workload_uuids' has to be a list"};
      for (const Json& uuid : *uuids) {
        const std::string text = uuid.is_string() ? uuid.get<std::string>() : std::string();
        if (text.empty() || text.find_first_of(" \n") != std::string::npos)
          throw Refusal{.status = 422, .what = "'workload_uuids' has what is no UUID"};
        order.uuids.push_back(text);
      }
      order.sizes = sizes_of(*own, order.uuids);
    }
    const std::string key = trial::fresh_order_key();
    static_cast<void>(service_.submit(client_, key, *own, encode(order), deadline_in(body)));
    respond(replied({{"task_id", key}, {"normalized_solution_name", read.name}}));
  }

  [[nodiscard]] TrialId id_of(const std::string& key) const {
    const auto id = service_.ledger().find(client_, key);
    if (id && service_.ledger().kind(*id) == TaskKind::solution) return *id;
    throw Refusal{.status = 404, .what = "Task not found: " + visible_line(key)};
  }
  [[nodiscard]] Task task_of(const std::string& key) const {
    if (auto task = service_.ledger().find(id_of(key))) return *std::move(task);
    throw Refusal{.status = 404, .what = "Task not found: " + visible_line(key)};
  }
  [[nodiscard]] Json task(const std::string& key) const {
    const Task found = task_of(key);
    return task_json(found, service_.cases().named(found.case_name));
  }
  void show_task(const HttpRequest& request, const std::string& key, const Respond& respond) const {
    when_over({id_of(key)}, timeout_of(request),
              [*this, key, respond] { respond(guarded([&] { return task(key); })); });
  }
  void show_tasks(const HttpRequest& request, const std::string& /*part*/,
                  const Respond& respond) const {
    const Json body = body_of(request);
    const auto keys = body.find("task_ids");
    if (keys == body.end() || !keys->is_array() || keys->size() > kMostOfBatch)
      throw Refusal{.status = 422, .what = "'task_ids' has to be a list of up to 1000"};
    std::vector<std::string> names;
    std::vector<TrialId> ids;
    for (const Json& key : *keys) {
      names.push_back(key.is_string() ? key.get<std::string>() : std::string());
      ids.push_back(id_of(names.back()));
    }
    const double seconds = std::clamp(number_in(body, "timeout").value_or(0), 0.0, kLongestWait);
    when_over(ids, seconds, [*this, names, respond] {
      respond(guarded([&] {
        Json list = Json::array();
        std::map<std::string, Json> read;
        std::size_t bytes = 0;
        for (const std::string& name : names) {
          if (!read.contains(name)) {
            const Task found = task_of(name);
            bytes += found.order.size() + found.answer.size();
            if (bytes > kLargestBatch)
              throw Refusal{.status = 413,
                            .what =
                                "these tasks are too large for one answer: ask "
                                "for fewer at a time"};
            read[name] = task_json(found, service_.cases().named(found.case_name));
          }
          list.push_back(read[name]);
        }
        return list;
      }));
    });
  }

  boost::asio::io_context& context_;
  Service& service_;
  std::string client_;
};

}  // namespace

HttpReply refused(int status, const std::string& what) {
  HttpReply reply = replied({{"detail", what}}, status);
  reply.may_retry = status == 429 || status == 503;
  return reply;
}

void HttpApi::answer(const HttpRequest& request, const Respond& respond) {
  const std::string client = tokens_.holder(request.token);
  if (client.empty() && request.path != "/health")
    return respond(refused(401, "a token is needed: Authorization: Bearer TOKEN"));
  try {
    Routes(context_, service_, "token " + client).route(request, respond);
  } catch (const Refusal& refusal) {
    respond(refused(refusal.status, refusal.what));
  } catch (const Error& error) {
    respond(refused(error.stop() == Stop::usage ? 422 : 503, error.what()));
  }
}

}  // namespace autokernel::serve
