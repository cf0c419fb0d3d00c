#include "shell/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hdb::shell {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

Style Style::of(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool plain = (no_colour != nullptr && *no_colour != '\0') || term == nullptr || std::strcmp(term, "dumb") == 0;
  return Style{is_terminal(stream) && !plain};
}

std::string format_seconds(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  size_t unit = 0;
  while (unit < 3 && seconds < kUnits[unit].size * 0.9995) ++unit;
  const double value = seconds / kUnits[unit].size;
  const int digits = unit == 3 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, kUnits[unit].name);
  return text;
}

std::string format_count(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string format_bytes(uint64_t bytes) {
  static constexpr const char* kNames[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 999.5 && unit < 4) {
    value /= 1000;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", unit == 0 || value >= 99.95 ? 0 : 1, value, kNames[unit]);
  return text;
}

std::string bar(double share, size_t cells) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::min(1.0, std::max(0.0, share));
  const auto eighths = static_cast<size_t>(clamped * static_cast<double>(cells) * 8 + 0.5);
  std::string text;
  for (size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[eighths % 8];
  text.append(cells - eighths / 8 - (eighths % 8 != 0 ? 1 : 0), ' ');
  return text;
}

Progress::Progress(std::string label, uint64_t total, std::FILE* stream)
    : label_(std::move(label)), total_(std::max<uint64_t>(total, 1)), stream_(stream), style_(Style::of(stream)), enabled_(is_terminal(stream)) {}

void Progress::update(uint64_t done) {
  if (!enabled_ || since_start_.seconds() < next_draw_) return;
  next_draw_ = since_start_.seconds() + 0.05;
  draw(done);
}

void Progress::draw(uint64_t done) {
  const double share = static_cast<double>(std::min(done, total_)) / static_cast<double>(total_);
  const double elapsed = since_start_.seconds();
  const double left = share > 0 ? elapsed / share - elapsed : 0;
  std::fprintf(stream_, "\r\x1b[K%s %s%s%s %3.0f %%  %s left", label_.c_str(), style_.cyan(), bar(share, 32).c_str(), style_.reset(),
               share * 100, format_seconds(left).c_str());
  std::fflush(stream_);
  drawn_ = true;
}

void Progress::finish() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  drawn_ = false;
  enabled_ = false;
}

}  // namespace hdb::shell
