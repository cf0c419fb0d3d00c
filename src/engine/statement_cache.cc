#include "engine/statement_cache.h"

namespace hdb {

CompiledPtr StatementCache::find(std::string_view key, uint64_t hash) {
  const auto at = places_.find(Key{key, hash});
  if (at == places_.end()) return nullptr;
  if (at->second != entries_.begin()) entries_.splice(entries_.begin(), entries_, at->second);
  return at->second->compiled;
}

void StatementCache::put(std::string_view key, uint64_t hash, CompiledPtr compiled) {
  if (const auto at = places_.find(Key{key, hash}); at != places_.end()) {
    at->second->compiled = std::move(compiled);
    return;
  }
  entries_.push_front({std::string(key), hash, std::move(compiled)});
  try {
    places_.emplace(Key{entries_.front().key, hash}, entries_.begin());
  } catch (...) {
    entries_.pop_front();
    throw;
  }
  if (entries_.size() <= kEntriesMax) return;
  places_.erase(Key{entries_.back().key, entries_.back().hash});
  entries_.pop_back();
}

void StatementCache::clear() {
  places_.clear();
  entries_.clear();
}

}  // namespace hdb
