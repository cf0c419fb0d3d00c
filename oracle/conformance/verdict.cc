#include "verdict.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace conformance {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20) std::snprintf(escaped, sizeof escaped, "\\u%04x", c), out += escaped;
    else out += c;
  }
  return out + "\"";
}

// Control characters have no place in XML.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? '?' : c;
  }
  return out;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

uint64_t total(const Verdict& v, bool failed) {
  uint64_t n = 0;
  for (const SuiteResult& s : v.suites) n += s.count(failed);
  return n;
}

std::string matrix_text(const Matrix& matrix) {
  if (!matrix.gated) return "no matrix: not gated (" + matrix.why_not + ")\n";
  size_t killed = 0, faults = 0;
  std::string rows;
  for (const MatrixRow& r : matrix.rows) {
    if (r.effect != "none") ++faults, killed += r.verdict == "killed" ? 1 : 0;
    char line[400];
    std::snprintf(line, sizeof line, "  %-32s %-8s %-13s %-12s %s\n", r.mutant.c_str(), r.layer.c_str(), r.effect.c_str(), r.verdict.c_str(),
                  r.verdict == "killed" ? (r.suite + ": " + r.name).c_str() : "");
    rows += line;
  }
  return "kill matrix of these suites, measured for source " + matrix.source_id + ": " + std::to_string(killed) + " of " + std::to_string(faults) +
         " seeded faults killed\n" + rows;
}

}  // namespace

Matrix read_matrix(const std::string& path, const std::string& source_id) {
  Matrix out;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != "holodb-conformance matrix 1") {
    out.why_not = file.is_open() ? path + " is no matrix" : "there is none";
    return out;
  }
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "source") words >> out.source_id;
    if (word != "mutant") continue;
    MatrixRow row;
    words >> row.mutant >> row.layer >> row.effect >> row.verdict >> row.suite;
    std::getline(words >> std::ws, row.name);
    std::replace(row.verdict.begin(), row.verdict.end(), '-', ' ');
    out.rows.push_back(std::move(row));
  }
  out.gated = !out.rows.empty() && out.source_id == source_id;
  if (!out.gated) out.why_not = "it is of source " + out.source_id + ", this program of " + source_id;
  return out;
}

bool Verdict::conforms() const {
  bool complete = true;
  for (const SuiteResult& s : suites) complete &= s.count(false) == s.cases.size();
  return complete && total(*this, false) > 0;
}

std::string text_of(const Verdict& v) {
  std::string out;
  for (const NotApplicable& n : not_applicable()) out += std::string("not applicable: ") + n.what + " (" + n.why + ")\n";
  out += matrix_text(v.matrix);
  out += "library   " + v.library.path + "\nbuild id  " + (v.library.build_id.empty() ? "none" : v.library.build_id) + "\nversion   " + v.library.version + ", source " +
         v.library.source_id + (v.library.source_id == v.source_id ? "" : " (this program: " + v.source_id + ")") + "\n";
  out += std::string("VERDICT ") + (v.conforms() ? "conforms" : "does not conform") + ": " + std::to_string(total(v, false)) + " passed, " +
         std::to_string(total(v, true)) + " failed" + (v.quick ? ", quick" : "") + (v.partial ? ", partial" : "") + ", seed " + std::to_string(v.seed) +
         (v.matrix.gated ? "" : ", not gated") + "\n";
  return out;
}

std::string json_of(const Verdict& v) {
  std::string out = "{\"library\":{\"asked\":" + quoted(v.library.asked) + ",\"path\":" + quoted(v.library.path) + ",\"build_id\":" + quoted(v.library.build_id) +
                    ",\"version\":" + quoted(v.library.version) + ",\"source_id\":" + quoted(v.library.source_id) + "},\"source_id\":" + quoted(v.source_id) +
                    ",\"seed\":" + std::to_string(v.seed) + ",\"quick\":" + (v.quick ? "true" : "false") + ",\"partial\":" + (v.partial ? "true" : "false") + ",\"suites\":[";
  for (const SuiteResult& s : v.suites) {
    out += (&s != &v.suites.front() ? "," : "") + std::string("\n{\"name\":") + quoted(s.name) + ",\"promise\":" + quoted(s.promise) + ",\"passed\":" +
           std::to_string(s.count(false)) + ",\"failed\":" + std::to_string(s.count(true)) + ",\"checks\":" + std::to_string(s.checks()) + ",\"cases\":[";
    for (const CaseResult& c : s.cases) {
      out += (&c != &s.cases.front() ? "," : "") + std::string("\n{\"name\":") + quoted(c.name) + ",\"invariant\":" + quoted(c.invariant) + ",\"result\":" +
             quoted(c.kind.empty() ? "passed" : c.kind) + ",\"checks\":" + std::to_string(c.checks) + ",\"ms\":" + number(c.ms) +
             (c.text.empty() ? "" : ",\"text\":" + quoted(c.text)) + "}";
    }
    out += "]}";
  }
  out += "],\n\"not_applicable\":[";
  const std::vector<NotApplicable> left_out = not_applicable();
  for (size_t i = 0; i < left_out.size(); ++i)
    out += (i > 0 ? "," : "") + std::string("{\"what\":") + quoted(left_out[i].what) + ",\"why\":" + quoted(left_out[i].why) + "}";
  out += "],\n\"matrix\":";
  if (!v.matrix.gated) {
    out += "null";
  } else {
    out += "{\"source_id\":" + quoted(v.matrix.source_id) + ",\"mutants\":[";
    for (const MatrixRow& r : v.matrix.rows) {
      out += (&r != &v.matrix.rows.front() ? "," : "") + std::string("\n{\"mutant\":") + quoted(r.mutant) + ",\"layer\":" + quoted(r.layer) + ",\"effect\":" +
             quoted(r.effect) + ",\"verdict\":" + quoted(r.verdict) + ",\"suite\":" + quoted(r.suite) + ",\"case\":" + quoted(r.name) + "}";
    }
    out += "]}";
  }
  return out + ",\n\"verdict\":\"" + (v.conforms() ? "conforms" : "does not conform") + "\"}\n";
}

std::string junit_of(const Verdict& v) {
  const std::vector<NotApplicable> left_out = not_applicable();
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"holodb-conformance\" tests=\"" +
                    std::to_string(total(v, false) + total(v, true) + left_out.size()) + "\" failures=\"" + std::to_string(total(v, true)) + "\">\n";
  for (const SuiteResult& s : v.suites) {
    uint64_t skipped = s.cases.size() - s.count(false) - s.count(true);
    out += " <testsuite name=\"" + xml(s.name) + "\" tests=\"" + std::to_string(s.cases.size()) + "\" failures=\"" + std::to_string(s.count(true)) + "\" skipped=\"" +
           std::to_string(skipped) + "\">\n";
    for (const CaseResult& c : s.cases) {
      out += "  <testcase classname=\"" + xml(s.name) + "\" name=\"" + xml(c.name) + "\" time=\"" + number(c.ms / 1000) + "\"";
      if (c.kind.empty()) out += "/>\n";
      else if (c.kind == "not run") out += "><skipped message=\"behind too many failures\"/></testcase>\n";
      else out += "><failure type=\"" + xml(c.kind) + "\" message=\"" + xml(c.invariant) + "\">" + xml(c.text) + "</failure></testcase>\n";
    }
    out += " </testsuite>\n";
  }
  out += " <testsuite name=\"not applicable\" tests=\"" + std::to_string(left_out.size()) + "\" failures=\"0\" skipped=\"" + std::to_string(left_out.size()) + "\">\n";
  for (const NotApplicable& n : left_out)
    out += "  <testcase classname=\"not applicable\" name=\"" + xml(n.what) + "\"><skipped message=\"" + xml(n.why) + "\"/></testcase>\n";
  return out + " </testsuite>\n</testsuites>\n";
}

}  // namespace conformance
