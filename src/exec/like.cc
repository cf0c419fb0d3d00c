#include "exec/like.h"

#include <memory>

#include "exec/evaluate.h"
#include "exec/utf8.h"

namespace hdb {

LikePattern::LikePattern(std::string_view pattern, std::string_view escape, bool fold_case) : fold_case_(fold_case) {
  if (!escape.empty() && utf8_next(escape, 0) != escape.size()) fail(sqlstate::kInvalidParameter, "ESCAPE takes one character");
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) tokens_.push_back({Kind::kLiteral, std::move(literal)});
    literal.clear();
  };
  for (size_t at = 0; at < pattern.size();) {
    const size_t next = utf8_next(pattern, at);
    std::string_view ch = pattern.substr(at, next - at);
    at = next;
    if (!escape.empty() && ch == escape) {
      if (at >= pattern.size()) fail(sqlstate::kInvalidParameter, "a LIKE pattern may not end with its escape character");
      const size_t after = utf8_next(pattern, at);
      ch = pattern.substr(at, after - at);
      at = after;
    } else if (ch == "%") {
      flush();
      if (tokens_.empty() || tokens_.back().kind != Kind::kRun) tokens_.push_back({Kind::kRun, {}});
      continue;
    } else if (ch == "_") {
      flush();
      tokens_.push_back({Kind::kOne, {}});
      continue;
    }
    for (const char byte : ch) literal.push_back(fold_case ? ascii_lower(byte) : byte);
  }
  flush();
}

bool LikePattern::equal_at(std::string_view text, size_t at, const std::string& literal) const {
  if (text.size() - at < literal.size()) return false;
  if (!fold_case_) return text.compare(at, literal.size(), literal) == 0;
  for (size_t i = 0; i < literal.size(); ++i) {
    if (ascii_lower(text[at + i]) != literal[i]) return false;
  }
  return true;
}

bool LikePattern::matches(std::string_view text) const {
  size_t at = 0, token = 0;
  size_t run = SIZE_MAX, run_at = 0;  // the last %, and where its run ends for now
  for (;;) {
    bool good = false;
    if (token == tokens_.size()) {
      if (at == text.size()) return true;
    } else {
      const Token& t = tokens_[token];
      switch (t.kind) {
        case Kind::kRun:
          if (token + 1 == tokens_.size()) return true;
          run = token++;
          run_at = at;
          continue;
        case Kind::kOne:
          good = at < text.size();
          if (good) at = utf8_next(text, at);
          break;
        case Kind::kLiteral:
          good = equal_at(text, at, t.literal);
          if (good) at += t.literal.size();
          break;
      }
      if (good) {
        ++token;
        continue;
      }
    }
    if (run == SIZE_MAX || run_at >= text.size()) return false;
    run_at = utf8_next(text, run_at);
    at = run_at;
    token = run + 1;
  }
}

Vector kernel_like(const Call& c) {
  const bool fold = c.e.function == Function::kILike;
  const Vector &s = c.args[0], &pattern = c.args[1];
  const auto escape_at = [&](uint32_t i) { return c.args.size() > 2 ? c.args[2].text_at(i) : std::string_view(); };
  const bool fixed = pattern.constant && (c.args.size() < 3 || c.args[2].constant);
  std::unique_ptr<LikePattern> compiled;
  auto* out = c.scratch.zeroed<int64_t>(c.rows);
  for (uint32_t i = 0; i < c.rows; ++i) {
    if (c.nulls != nullptr && bit_test(c.nulls, i)) continue;
    if (compiled == nullptr || !fixed) compiled = std::make_unique<LikePattern>(pattern.text_at(i), escape_at(i), fold);
    out[i] = compiled->matches(s.text_at(i));
  }
  return make_vector(c.e.type, static_cast<const int64_t*>(out), c.nulls);
}

}  // namespace hdb
