#include "store/dictionary.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/budget.h"
#include "base/hash.h"

namespace hdb {

namespace {
struct TextHash {
  using is_avalanching = void;
  size_t operator()(std::string_view t) const { return static_cast<size_t>(hash_bytes(t.data(), t.size())); }
};
constexpr size_t kHeapChunkBytes = size_t{64} << 10;

// A text of at most 8 bytes that has a code: its length and this word say all of it.
struct ShortText {
  uint64_t word = 0;
  uint32_t bytes = UINT32_MAX;  // no text
  uint32_t code = 0;
};
constexpr size_t kShortBytes = 8, kShortTexts = 128;
uint64_t word_of(std::string_view text) {
  uint64_t word = 0;
  if (text.size() == kShortBytes) std::memcpy(&word, text.data(), kShortBytes);
  else if (!text.empty()) word = load_tail(text.data(), text.size());
  return word;
}
}  // namespace

struct Dictionary::Impl {
  boost::unordered_flat_map<std::string_view, uint32_t, TextHash> codes;
  std::vector<std::unique_ptr<char[]>> chunks;  // texts; never moved or freed before the column dies
  size_t room = 0;
  char* next = nullptr;
  MemoryBudget* budget = nullptr;
  std::array<ShortText, kShortTexts> recent;    // of the writer: by a hash of the word, the last one that was asked for
};

Dictionary::Dictionary(MemoryBudget* budget) : impl_(std::make_unique<Impl>()) { impl_->budget = budget; }

Dictionary::~Dictionary() {
  for (auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  if (impl_->budget != nullptr) impl_->budget->release(bytes());
}

const TextEntry* Dictionary::allocate(std::string_view text, uint32_t code) {
  const size_t need = (offsetof(TextEntry, data) + text.size() + 1 + 7) / 8 * 8;
  if (need > impl_->room) {
    const size_t size = need > kHeapChunkBytes / 4 ? need : kHeapChunkBytes;
    if (impl_->budget != nullptr) impl_->budget->charge(size);
    bytes_.fetch_add(size, std::memory_order_relaxed);
    impl_->chunks.push_back(std::make_unique<char[]>(size));
    impl_->next = impl_->chunks.back().get();
    impl_->room = size;
  }
  auto* e = reinterpret_cast<TextEntry*>(impl_->next);
  impl_->next += need;
  impl_->room -= need;
  e->code = code;
  e->bytes = static_cast<uint32_t>(text.size());
  if (!text.empty()) std::memcpy(e->data, text.data(), text.size());
  e->data[text.size()] = '\0';
  return e;
}

uint32_t Dictionary::find(std::string_view text) const {
  const SharedLatch hold(latch_);
  const auto it = impl_->codes.find(text);
  return it == impl_->codes.end() ? TextEntry::kNoCode : it->second;
}

const TextEntry* Dictionary::intern(std::string_view text) {
  ShortText* recent = nullptr;
  if (text.size() <= kShortBytes) {
    const uint64_t word = word_of(text);
    recent = &impl_->recent[(word * 0x9E3779B97F4A7C15u + text.size()) >> 57];
    if (recent->word == word && recent->bytes == text.size()) return entry(recent->code);
  }
  // The writer is the only one who changes the map, so it may read it without the latch.
  if (const auto it = impl_->codes.find(text); it != impl_->codes.end()) {
    if (recent != nullptr) *recent = {word_of(text), static_cast<uint32_t>(text.size()), it->second};
    return entry(it->second);
  }
  const uint32_t code = size_.load(std::memory_order_relaxed);
  if (code >= kDictionaryValuesMax) {
    overflowed_.store(true, std::memory_order_release);
    return allocate(text, TextEntry::kNoCode);
  }
  const TextEntry* e = allocate(text, code);
  auto& chunk = chunks_[code >> kChunkShift];
  if (chunk.load(std::memory_order_relaxed) == nullptr)
    chunk.store(new const TextEntry*[kChunkEntries](), std::memory_order_release);
  const ExclusiveLatch hold(latch_);
  impl_->codes.emplace(e->view(), code);
  chunk.load(std::memory_order_relaxed)[code & (kChunkEntries - 1)] = e;
  size_.store(code + 1, std::memory_order_release);
  return e;
}

}  // namespace hdb
