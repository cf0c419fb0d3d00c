#include "io/memory_files.h"

#include <algorithm>
#include <cstring>

namespace hdb {

class MemoryFile final : public File {
 public:
  MemoryFile(std::string path, MemoryFiles& files, std::shared_ptr<MemoryFiles::Node> node, bool writes)
      : File(std::move(path)), files_(files), node_(std::move(node)), writes_(writes) {}
  ~MemoryFile() override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    held_.release(node_->lock);
    marks_.release_all(node_->marks);
  }
  void sync() override {}
  void truncate(uint64_t bytes) override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    if (!writes_) fail_io("truncate", path(), "it was opened for reading");
    node_->bytes.resize(bytes);
  }
  uint64_t size() override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    return node_->bytes.size();
  }
  bool lock(bool exclusive) override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    return held_.take(node_->lock, exclusive);
  }
  bool lock_mark(uint64_t mark, bool exclusive) override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    return marks_.take(node_->marks, mark, exclusive);
  }
  void unlock_mark(uint64_t mark) override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    marks_.release(node_->marks, mark);
  }
  const MemoryFiles::Node* node() const { return node_.get(); }

 protected:
  size_t read_some(uint64_t offset, void* data, size_t bytes) override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    if (offset >= node_->bytes.size()) return 0;
    const size_t n = std::min<size_t>(bytes, node_->bytes.size() - offset);
    std::memcpy(data, node_->bytes.data() + offset, n);
    return n;
  }
  size_t write_some(uint64_t offset, const void* data, size_t bytes) override {
    const std::lock_guard<std::mutex> hold(files_.mutex_);
    if (!writes_) fail_io("write", path(), "it was opened for reading");
    if (node_->bytes.size() < offset + bytes) node_->bytes.resize(offset + bytes);
    std::memcpy(node_->bytes.data() + offset, data, bytes);
    return bytes;
  }

 private:
  MemoryFiles& files_;
  const std::shared_ptr<MemoryFiles::Node> node_;
  const bool writes_;
  HeldLock held_;
  HeldMarks marks_;
};

std::unique_ptr<File> MemoryFiles::open(const std::string& path, OpenMode mode) {
  const std::lock_guard<std::mutex> hold(mutex_);
  const auto at = names_.find(path);
  if (at == names_.end() && mode != OpenMode::kCreate) fail_io("open", path, "No such file or directory");
  auto& node = names_[path];
  if (node == nullptr) node = std::make_shared<Node>();
  return std::make_unique<MemoryFile>(path, *this, node, mode != OpenMode::kRead);
}

bool MemoryFiles::exists(const std::string& path) {
  const std::lock_guard<std::mutex> hold(mutex_);
  return names_.contains(path);
}

void MemoryFiles::rename(const std::string& from, const std::string& to) {
  const std::lock_guard<std::mutex> hold(mutex_);
  const auto at = names_.find(from);
  if (at == names_.end()) fail_io("rename to " + to, from, "No such file or directory");
  auto node = at->second;
  names_.erase(at);
  names_[to] = std::move(node);
}

void MemoryFiles::remove(const std::string& path) {
  const std::lock_guard<std::mutex> hold(mutex_);
  names_.erase(path);
}

bool MemoryFiles::is_at(File& file, const std::string& path) {
  const std::lock_guard<std::mutex> hold(mutex_);
  const auto at = names_.find(path);
  return at != names_.end() && at->second.get() == static_cast<MemoryFile&>(file).node();
}

uint64_t MemoryFiles::random() {
  const std::lock_guard<std::mutex> hold(mutex_);
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

std::string MemoryFiles::contents(const std::string& path) {
  const std::lock_guard<std::mutex> hold(mutex_);
  const auto at = names_.find(path);
  return at == names_.end() ? std::string() : at->second->bytes;
}

void MemoryFiles::set_contents(const std::string& path, std::string bytes) {
  const std::lock_guard<std::mutex> hold(mutex_);
  auto& node = names_[path];
  if (node == nullptr) node = std::make_shared<Node>();
  node->bytes = std::move(bytes);
}

}  // namespace hdb
