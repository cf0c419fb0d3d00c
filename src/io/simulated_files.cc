#include "io/simulated_files.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace hdb {

class SimulatedFile final : public File {
 public:
  SimulatedFile(std::string path, SimulatedFiles& files, SimulatedFiles::NodePtr node, bool writes)
      : File(std::move(path)), files_(files), node_(std::move(node)), writes_(writes) {}
  ~SimulatedFile() override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    held_.release(node_->lock);
    marks_.release_all(node_->marks);
  }
  void sync() override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    Fault fault = Fault::kNone;
    try {
      fault = files_.enter("sync", path());
    } catch (...) {
      // F3: some of it has reached the disk, the rest never will.
      if (files_.calls_ < files_.crash_at_) files_.settle(node_.get(), false);
      throw;
    }
    if (fault == Fault::kLie) {
      ++files_.faults_met_;
      return;
    }
    files_.settle(node_.get(), true);
  }
  void truncate(uint64_t bytes) override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    files_.enter("truncate", path());
    if (!writes_) fail_io("truncate", path(), "it was opened for reading");
    node_->now.resize(bytes);
    files_.pieces_.push_back({node_, true, false, bytes, {}});
  }
  uint64_t size() override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    files_.enter("look at", path());
    return node_->now.size();
  }
  bool lock(bool exclusive) override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    files_.enter("lock", path());
    return held_.take(node_->lock, exclusive);
  }
  bool lock_mark(uint64_t mark, bool exclusive) override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    return marks_.take(node_->marks, mark, exclusive);
  }
  void unlock_mark(uint64_t mark) override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    marks_.release(node_->marks, mark);
  }
  const SimulatedFiles::Node* node() const { return node_.get(); }

 protected:
  size_t read_some(uint64_t offset, void* data, size_t bytes) override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    const Fault fault = files_.enter("read", path());
    if (offset >= node_->now.size()) return 0;
    size_t n = std::min<size_t>(bytes, node_->now.size() - offset);
    if (fault == Fault::kShort && n > 1) {
      ++files_.faults_met_;
      n = 1 + files_.next_random() % (n - 1);
    }
    std::memcpy(data, node_->now.data() + offset, n);
    if (fault == Fault::kFlip) {
      ++files_.faults_met_;
      const uint64_t bit = files_.next_random() % (n * 8);
      static_cast<char*>(data)[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    }
    return n;
  }
  size_t write_some(uint64_t offset, const void* data, size_t bytes) override {
    const std::lock_guard<std::recursive_mutex> hold(files_.mutex_);
    if (!writes_) fail_io("write", path(), "it was opened for reading");
    const char* from = static_cast<const char*>(data);
    Fault fault = Fault::kNone;
    try {
      fault = files_.enter("write", path(), true);
    } catch (...) {
      // What was cut off may be there in part.
      files_.write(node_, offset, from, files_.calls_ >= files_.crash_at_ ? bytes : bytes / 2);
      throw;
    }
    if (fault == Fault::kShort && bytes > 1) {
      ++files_.faults_met_;
      bytes = 1 + files_.next_random() % (bytes - 1);
    } else if (fault == Fault::kMisdirect) {
      ++files_.faults_met_;
      const uint64_t size = std::max<uint64_t>(node_->now.size(), 1);
      offset = files_.next_random() % 2 == 0 ? offset + 512 * (1 + files_.next_random() % 8) : files_.next_random() % size;
    } else if (fault == Fault::kFlip) {
      ++files_.faults_met_;
      std::string wrong(from, bytes);
      const uint64_t bit = files_.next_random() % (bytes * 8);
      wrong[bit / 8] ^= static_cast<char>(1 << (bit % 8));
      files_.write(node_, offset, wrong.data(), bytes);
      return bytes;
    }
    const uint64_t end = offset + bytes;
    if (end > node_->now.size() && files_.used() + (end - node_->now.size()) > files_.space_) {
      const uint64_t room = files_.space_ - std::min(files_.space_, files_.used());
      const size_t fits = std::min<uint64_t>(bytes, node_->now.size() + room - std::min<uint64_t>(offset, node_->now.size() + room));
      if (fits == 0) fail_io("write", path(), "No space left on device");
      bytes = fits;
    }
    files_.write(node_, offset, from, bytes);
    return bytes;
  }

 private:
  SimulatedFiles& files_;
  const SimulatedFiles::NodePtr node_;
  const bool writes_;
  HeldLock held_;
  HeldMarks marks_;
};

// ---- calls

Fault SimulatedFiles::enter(const char* what, const std::string& path, bool writes) {
  ++calls_;
  if (calls_ >= crash_at_) fail_io(what, path, "the machine has stopped");
  const auto at = faults_.find(calls_);
  if (at == faults_.end()) return Fault::kNone;
  const Fault fault = at->second;
  if (fault == Fault::kError || fault == Fault::kNoSpace) {
    ++faults_met_;
    fail_io(what, path, fault == Fault::kNoSpace && writes ? "No space left on device" : "Input/output error");
  }
  return fault;
}

uint64_t SimulatedFiles::next_random() {
  seed_ = hash_combine(seed_, 0x9E3779B97F4A7C15u);
  return seed_ >> 8;
}

uint64_t SimulatedFiles::used() const {
  uint64_t bytes = 0;
  for (const auto& [name, node] : names_) bytes += node->now.size();
  return bytes;
}

void SimulatedFiles::write(const NodePtr& node, uint64_t offset, const char* data, size_t bytes) {
  const uint64_t end = offset + bytes;
  if (end > node->now.size()) {
    pieces_.push_back({node, false, true, end, {}});
    node->now.resize(end);
  }
  std::memcpy(node->now.data() + offset, data, bytes);
  while (bytes > 0) {
    const size_t n = std::min<uint64_t>(bytes, kSectorBytes - offset % kSectorBytes);
    pieces_.push_back({node, false, false, offset, std::string(data, n)});
    offset += n;
    data += n;
    bytes -= n;
  }
}

void SimulatedFiles::apply(std::string& bytes, const Piece& piece, Kept kept, uint64_t random) {
  if (kept == kLost) return;
  if (piece.cut) {
    bytes.resize(piece.offset);
    return;
  }
  if (piece.grow) {
    if (bytes.size() < piece.offset) bytes.resize(piece.offset);
    return;
  }
  size_t n = piece.bytes.size();
  if (kept == kTorn && n > 1) n = 1 + random % (n - 1);
  if (bytes.size() < piece.offset + n) bytes.resize(piece.offset + n);
  std::memcpy(bytes.data() + piece.offset, piece.bytes.data(), n);
}

void SimulatedFiles::settle(const Node* node, bool all) {
  std::vector<Piece> left;
  for (Piece& p : pieces_) {
    if (p.node.get() != node) left.push_back(std::move(p));
    else apply(p.node->durable, p, all || next_random() % 2 == 0 ? kWritten : kLost, 0);
  }
  pieces_ = std::move(left);
}

std::unique_ptr<File> SimulatedFiles::open(const std::string& path, OpenMode mode) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  enter("open", path);
  const auto at = names_.find(path);
  if (at == names_.end() && mode != OpenMode::kCreate) fail_io("open", path, "No such file or directory");
  if (at == names_.end()) {
    unsynced_names_.push_back(names_);
    names_[path] = std::make_shared<Node>();
  }
  return std::make_unique<SimulatedFile>(path, *this, names_[path], mode != OpenMode::kRead);
}

bool SimulatedFiles::exists(const std::string& path) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  enter("look at", path);
  return names_.contains(path);
}

void SimulatedFiles::rename(const std::string& from, const std::string& to) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  enter("rename", from);
  const auto at = names_.find(from);
  if (at == names_.end()) fail_io("rename to " + to, from, "No such file or directory");
  unsynced_names_.push_back(names_);
  NodePtr node = at->second;
  names_.erase(from);
  names_[to] = std::move(node);
}

void SimulatedFiles::remove(const std::string& path) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  enter("remove", path);
  if (!names_.contains(path)) return;
  unsynced_names_.push_back(names_);
  names_.erase(path);
}

void SimulatedFiles::sync_directory(const std::string& path) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  if (enter("sync the directory of", path) == Fault::kLie) {
    ++faults_met_;
    return;
  }
  unsynced_names_.clear();
}

bool SimulatedFiles::is_at(File& file, const std::string& path) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  const auto at = names_.find(path);
  return at != names_.end() && at->second.get() == static_cast<SimulatedFile&>(file).node();
}

uint64_t SimulatedFiles::random() {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  return next_random();
}

// ---- crashes

std::unique_ptr<SimulatedFiles> SimulatedFiles::image(const std::vector<uint8_t>& kept, size_t names_kept, uint64_t salt) {
  auto out = std::make_unique<SimulatedFiles>(hash_combine(seed_, salt));
  std::map<const Node*, NodePtr> nodes;
  const Names& names = names_kept < unsynced_names_.size() ? unsynced_names_[names_kept] : names_;
  for (const auto& [name, node] : names) {
    NodePtr& copy = nodes[node.get()];
    if (copy == nullptr) {
      copy = std::make_shared<Node>();
      copy->durable = node->durable;
    }
    out->names_[name] = copy;
  }
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const auto at = nodes.find(pieces_[i].node.get());
    if (at != nodes.end()) apply(at->second->durable, pieces_[i], static_cast<Kept>(kept[i]), hash_combine(salt, i));
  }
  for (auto& [old, node] : nodes) node->now = node->durable;
  return out;
}

uint64_t SimulatedFiles::for_each_image(uint64_t images_max, const std::function<void(std::unique_ptr<SimulatedFiles>)>& look) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  const size_t n = pieces_.size(), names = unsynced_names_.size() + 1;
  uint64_t all = names;
  for (const Piece& p : pieces_) all = std::min<uint64_t>(all, UINT64_MAX / 4) * (p.cut || p.grow ? 2 : 3);
  uint64_t seen = 0;
  std::vector<uint8_t> kept(n, kLost);
  const auto show = [&](size_t name) { look(image(kept, name, ++seen)); };
  if (all <= images_max) {
    for (bool more = true; more;) {
      for (size_t name = 0; name < names; ++name) show(name);
      more = false;
      for (size_t i = 0; i < n && !more; ++i) {
        const uint8_t last = pieces_[i].cut || pieces_[i].grow ? kWritten : kTorn;
        more = kept[i] < last;
        kept[i] = more ? static_cast<uint8_t>(kept[i] + 1) : static_cast<uint8_t>(kLost);
      }
    }
    return seen;
  }
  for (size_t name = 0; name < names; ++name) {
    std::fill(kept.begin(), kept.end(), kLost);
    show(name);
    std::fill(kept.begin(), kept.end(), kWritten);
    show(name);
  }
  for (size_t i = 0; i < n && seen + 4 <= images_max; ++i) {
    for (const uint8_t others : {kLost, kWritten}) {
      std::fill(kept.begin(), kept.end(), others);
      kept[i] = others == kLost ? kWritten : kLost;
      show(names - 1);
      kept[i] = kTorn;
      show(names - 1);
    }
  }
  while (seen < images_max) {
    for (uint8_t& k : kept) k = static_cast<uint8_t>(next_random() % 3);
    show(next_random() % names);
  }
  return seen;
}

std::unique_ptr<SimulatedFiles> SimulatedFiles::copy() {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  return image(std::vector<uint8_t>(pieces_.size(), kWritten), unsynced_names_.size(), 0);
}

std::string SimulatedFiles::contents(const std::string& path) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  const auto at = names_.find(path);
  return at == names_.end() ? std::string() : at->second->now;
}

void SimulatedFiles::set_contents(const std::string& path, std::string bytes) {
  const std::lock_guard<std::recursive_mutex> hold(mutex_);
  NodePtr& node = names_[path];
  if (node == nullptr) node = std::make_shared<Node>();
  node->now = node->durable = std::move(bytes);
}

}  // namespace hdb
