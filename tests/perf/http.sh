#!/usr/bin/env bash
# bench-http against mock-server's own log: times to first token and per token, lateness, CPU. docs/performance.md has some of it.
#
#   tests/perf/http.sh [PROGRAM]     PROGRAM is build/release/bin/autokernel unless it is named
#
# On a machine that others use, RUN_AS="chrt -r 1" puts both programs before them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=$(realpath "${1:-build/release/bin/autokernel}")
readonly program
scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
readonly ttft_ms=200 tokens=100
read -ra run_as <<<"${RUN_AS:-}"

start_server() { # LOG TPOT
  : >"$scratch/url"
  "${run_as[@]}" "$program" mock-server --port 0 --ttft-ms $ttft_ms --tpot-ms "$2" --log "$1" >"$scratch/url" &
  server=$!
  until [[ -s $scratch/url ]]; do sleep 0.02; done
  url=$(sed 's/^listening: //' "$scratch/url")
}
stop_server() {
  kill "$server"
  wait "$server"
  server=
}

# Joins both accounts by the ids of answers, and prints rows.
cat >"$scratch/compare.py" <<'PYTHON'
import json, sys

log, record, report, streams = sys.argv[1:5]
ttft_s, tpot_s = float(sys.argv[5]) / 1e3, float(sys.argv[6]) / 1e3
served = {line["id"]: line for line in map(json.loads, open(log))}
report = json.load(open(report))
late, pairs = [], {"TTFT": [], "TPOT": []}
for line in map(json.loads, open(record)):
    if line["failure"]:
        continue
    own = served[line["id"]]
    times = own["tokens"]
    late += [time - (own["start"] + ttft_s + i * tpot_s) for i, time in enumerate(times)]
    pairs["TTFT"].append((line["first"] - line["scheduled"], times[0] - own["arrival"]))
    pairs["TPOT"].append(((line["last"] - line["first"]) / (len(times) - 1), (times[-1] - times[0]) / (len(times) - 1)))


def quantile(values, share):
    values = sorted(values)
    return values[max(0, -int(-share * len(values) // 1) - 1)]


def mean(values):
    return sum(values) / len(values)


for name, both in pairs.items():
    ours, theirs = zip(*both)
    for statistic, of in (("mean", mean), ("p50", lambda v: quantile(v, 0.5)), ("p99", lambda v: quantile(v, 0.99))):
        one, other = 1e3 * of(ours), 1e3 * of(theirs)
        bar = max(0.01 * other, 0.5)
        holds = "yes" if abs(one - other) <= bar else "NO"
        print(f"| {name} {statistic}, {streams} streams | {one:.3f} ms, server {other:.3f} ms | within {bar:.2f} ms | {holds} |")
share = mean([time > 5e-4 for time in late])
print(f"| tokens sent by the server, {streams} streams | {1e6 * mean(late):.0f} us late on average, {100 * share:.2f} % more than 0.5 ms | < 0.5 ms | {'yes' if share < 0.01 else 'NO'} |")
cpu, rate = report["generator"]["cpu_cores"], report["output_tokens_per_second"]["value"]
print(f"| load generator, {streams} streams | {cpu:.2f} cores at {rate:.0f} tokens/s, {report['succeeded']} of {report['requests']} answered | <= 1 core | {'yes' if cpu <= 1 and report['succeeded'] == report['requests'] else 'NO'} |")
PYTHON

echo "| what | figure | bar | holds |"
echo "|---|---|---|---|"
# Streams are spread over the time of one answer, as they are once a server has been loaded for a while.
for streams in 1 64 1000 2000; do
  tpot_ms=$((streams > 1000 ? 40 : 20))  # 50,000 tokens/s at most: two cores have no time for more
  requests=$((streams == 1 ? 20 : streams * 4))
  start_server "$scratch/log-$streams.jsonl" "$tpot_ms"
  "${run_as[@]}" "$program" bench-http --url "$url" --model mock --concurrency $streams --requests $requests \
    --ramp "$(awk "BEGIN { print ($ttft_ms + ($tokens - 1) * $tpot_ms) / 1000 }")" --output-tokens $tokens --record "$scratch/record-$streams.jsonl" --json >"$scratch/report.json"
  stop_server
  python3 "$scratch/compare.py" "$scratch/log-$streams.jsonl" "$scratch/record-$streams.jsonl" "$scratch/report.json" \
    $streams $ttft_ms $tpot_ms
done
