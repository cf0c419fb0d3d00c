#include "sql/token.h"

#include <array>

namespace hdb::sql {
namespace {

constexpr size_t kKeywordCount = static_cast<size_t>(Keyword::kCount);
constexpr size_t kKeywordBytesMax = 17;
constexpr size_t kSlots = 1024;

#define HDB_SQL_TEXT(word) #word,
constexpr std::string_view kTexts[kKeywordCount] = {"", HDB_SQL_KEYWORDS(HDB_SQL_TEXT, HDB_SQL_TEXT)};
#undef HDB_SQL_TEXT
#define HDB_SQL_RESERVED(word) true,
#define HDB_SQL_FREE(word) false,
constexpr bool kReserved[kKeywordCount] = {false, HDB_SQL_KEYWORDS(HDB_SQL_RESERVED, HDB_SQL_FREE)};
#undef HDB_SQL_RESERVED
#undef HDB_SQL_FREE

constexpr uint32_t slot_of(const char* capitals, size_t bytes) {
  uint32_t hash = static_cast<uint32_t>(bytes);
  for (size_t i = 0; i < bytes; ++i) hash = hash * 31 + static_cast<uint8_t>(capitals[i]);
  return (hash ^ (hash >> 10)) % kSlots;
}

// Open addressing, built by the compiler: a word that is no key word meets an empty slot at once.
constexpr std::array<uint8_t, kSlots> build_slots() {
  std::array<uint8_t, kSlots> slots{};
  for (size_t k = 1; k < kKeywordCount; ++k) {
    uint32_t slot = slot_of(kTexts[k].data(), kTexts[k].size());
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<uint8_t>(k);
  }
  return slots;
}
constexpr std::array<uint8_t, kSlots> kSlotTable = build_slots();
static_assert(kKeywordCount < 256);

}  // namespace

Keyword find_keyword(std::string_view word) {
  if (word.size() < 2 || word.size() > kKeywordBytesMax) return Keyword::kNone;
  char capitals[kKeywordBytesMax];
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    capitals[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  const std::string_view text(capitals, word.size());
  for (uint32_t slot = slot_of(capitals, word.size()); kSlotTable[slot] != 0; slot = (slot + 1) % kSlots) {
    if (kTexts[kSlotTable[slot]] == text) return static_cast<Keyword>(kSlotTable[slot]);
  }
  return Keyword::kNone;
}

std::string_view keyword_text(Keyword keyword) { return kTexts[static_cast<size_t>(keyword)]; }
bool is_reserved(Keyword keyword) { return kReserved[static_cast<size_t>(keyword)]; }

}  // namespace hdb::sql
