#include "exec/text_ids.h"

#include <algorithm>

namespace hdb {

uint32_t TextIds::find_text(std::string_view text) const {
  // Extras first: a writer may give a code to a text after it was entered here (H1).
  const auto found = by_text_.find(text);
  if (found != by_text_.end()) return found->second;
  if (home_ == nullptr) return kNone;
  const uint32_t code = home_->find(text);
  return code == TextEntry::kNoCode ? kNone : code;
}

uint32_t TextIds::insert_text(std::string_view text) {
  const uint32_t known = find_text(text);
  if (known != kNone) return known;
  heap_.push_back(std::unique_ptr<char[]>(new char[text.size() + 1]));
  if (!text.empty()) std::memcpy(heap_.back().get(), text.data(), text.size());
  const std::string_view own(heap_.back().get(), text.size());
  const auto id = static_cast<uint32_t>(kFirstExtra + extras_.size());
  extras_.push_back(own);
  by_text_.emplace(own, id);
  bytes_ += text.size() + 96;
  return id;
}

TextIds::Foreign& TextIds::of(Foreigns& all, const Dictionary* dictionary) {
  for (Foreign& f : all) {
    if (f.dictionary == dictionary) return f;
  }
  all.push_back({dictionary, {}});
  return all.back();
}

void TextIds::insert(const Vector& v, uint32_t rows, uint64_t* words) {
  const auto at = [&](uint32_t i) { return v.constant ? 0 : i; };
  if (v.codes == nullptr) {
    for (uint32_t i = 0; i < rows; ++i) words[i] = v.is_null(i) ? 0 : insert_text(v.text[at(i)]);
    return;
  }
  if (home_ == nullptr && extras_.empty()) home_ = v.dictionary;
  if (home_ == v.dictionary) {
    for (uint32_t i = 0; i < rows; ++i) words[i] = v.codes[at(i)];
    return;
  }
  Foreign& foreign = of(foreigns_, v.dictionary);
  foreign.ids.resize(std::max<size_t>(foreign.ids.size(), v.dictionary->size()), kUnknown);
  for (uint32_t i = 0; i < rows; ++i) {
    if (v.is_null(i)) {
      words[i] = 0;
      continue;
    }
    uint32_t& id = foreign.ids[v.codes[at(i)]];
    if (id == kUnknown) id = insert_text(v.dictionary->text(v.codes[at(i)]));
    words[i] = id;
  }
}

void TextIds::find(const Vector& v, uint32_t rows, Foreigns& foreigns, uint64_t* words) const {
  const auto at = [&](uint32_t i) { return v.constant ? 0 : i; };
  if (v.codes == nullptr) {
    for (uint32_t i = 0; i < rows; ++i) words[i] = v.is_null(i) ? kNone : find_text(v.text[at(i)]);
    return;
  }
  if (home_ == v.dictionary) {
    for (uint32_t i = 0; i < rows; ++i) words[i] = v.codes[at(i)];
    return;
  }
  Foreign& foreign = of(foreigns, v.dictionary);
  foreign.ids.resize(std::max<size_t>(foreign.ids.size(), v.dictionary->size()), kUnknown);
  for (uint32_t i = 0; i < rows; ++i) {
    if (v.is_null(i)) {
      words[i] = kNone;
      continue;
    }
    uint32_t& id = foreign.ids[v.codes[at(i)]];
    if (id == kUnknown) id = find_text(v.dictionary->text(v.codes[at(i)]));
    words[i] = id;
  }
}

}  // namespace hdb
