// The format, one JSON object per line:
//
//   {"autokernel_message": 1, "kind": "expected" | "request" | "phase" | "outline" | "code" |
//   "whereabouts" | "result" | "failure", "body": ...}
//
// The body of a phase is its name, that of code and whereabouts a text, that of the others an
// object with the fields of trial/report/result_fields.h.
#include "autokernel/trial/message.h"

#include "trial/supervise/message_json.h"

namespace autokernel::trial {
namespace {

struct EventLine {
  std::string operator()(const Phase& phase) const { return line("phase", Writer::json(phase)); }
  std::string operator()(const Outline& outline) const {
    return line("outline", Writer::json(outline.known));
  }
  std::string operator()(const Code& code) const { return line("code", Writer::json(code.ptx)); }
  std::string operator()(const Whereabouts& whereabouts) const {
    return line("whereabouts", Writer::json(whereabouts.text));
  }
  std::string operator()(const Result& result) const {
    return line("result", Writer::json(result));
  }
  std::string operator()(const Failure& failure) const {
    return line("failure", Writer::json(failure));
  }
};

}  // namespace

std::string encode(const Request& request) { return line("request", Writer::json(request)); }

std::string encode(const Expected& expected) {
  return line("expected", Writer::json(expected.request));
}

std::string encode(const Event& event) { return std::visit(EventLine{}, event); }

Request decode_request(const std::string& line) {
  const Envelope envelope = open_envelope(line);
  if (envelope.kind != "request") throw damaged("a request was expected, not a " + envelope.kind);
  return read_as<Request>(envelope.body);
}

Errand decode_errand(const std::string& line) {
  const Envelope envelope = open_envelope(line);
  if (envelope.kind == "request") return read_as<Request>(envelope.body);
  if (envelope.kind == "expected") return Expected{read_as<Request>(envelope.body)};
  throw damaged("a request was expected, not a " + envelope.kind);
}

Event decode_event(const std::string& line) {
  const Envelope envelope = open_envelope(line);
  if (envelope.kind == "phase") return read_as<Phase>(envelope.body);
  if (envelope.kind == "outline") return Outline{read_as<Result>(envelope.body)};
  if (envelope.kind == "code") return Code{read_as<std::string>(envelope.body)};
  if (envelope.kind == "whereabouts") return Whereabouts{read_as<std::string>(envelope.body)};
  if (envelope.kind == "result") return read_as<Result>(envelope.body);
  if (envelope.kind == "failure") return read_as<Failure>(envelope.body);
  throw damaged("a phase, outline, code, whereabouts, result or failure was expected, not a " +
                envelope.kind);
}

}  // namespace autokernel::trial
