#include "pages/page_format.h"

#include <cstring>

#include "base/checksum.h"
#include "base/error.h"

namespace hdb {

namespace {

constexpr char kFileMagic[8] = {'H', 'o', 'l', 'o', 'D', 'b', '\r', '\n'};
constexpr char kRootMagic[8] = {'H', 'o', 'l', 'o', 'R', 'o', 'o', 't'};
constexpr uint32_t kByteOrder = 0x01020304;
constexpr uint32_t kDataMagic = 0x67504448u;    // "HDPg"
constexpr uint32_t kParityMagic = 0x79504448u;  // "HDPy"
constexpr size_t kSumAt = kSectorBytes - 4;

void put(std::string* out, uint64_t v, size_t bytes) { out->append(reinterpret_cast<const char*>(&v), bytes); }

// The sector filled up with zeros and closed by its checksum.
std::string close_sector(std::string out) {
  out.resize(kSumAt);
  put32(&out, crc32c(out.data(), kSumAt));
  return out;
}
bool sector_is_whole(const char* bytes) {
  uint32_t sum = 0;
  std::memcpy(&sum, bytes + kSumAt, 4);
  return crc32c(bytes, kSumAt) == sum;
}

bool options_are_valid(const PageOptions& o) {
  return o.page_bytes >= kPageBytesMin && o.page_bytes <= kPageBytesMax && (o.page_bytes & (o.page_bytes - 1)) == 0 &&
         o.data_pages >= kDataPagesMin && o.data_pages <= kDataPagesMax;
}

FileHeader decode_file_header(const char* bytes, const std::string& path) {
  const auto refuse = [&](const std::string& why) { fail_io("open", path, why); };
  FieldReader in(std::string_view(bytes + 8, 24), path);
  FileHeader out;
  out.format = in.u32();
  const uint32_t order = in.u32();
  out.database_id = in.u64();
  if (order == __builtin_bswap32(kByteOrder)) refuse("it was written on a machine of the other byte order");
  if (out.format > kFileFormatNewest)
    refuse("it has file format " + std::to_string(out.format) + ", and this library reads up to format " + std::to_string(kFileFormatNewest));
  const bool has_pages = out.format >= 2;
  if (has_pages) {
    out.pages.page_bytes = in.u32();
    out.pages.data_pages = in.u32();
  }
  if (out.format == 0 || !sector_is_whole(bytes)) fail(sqlstate::kDamaged, path + " is damaged at offset 0: the checksum of its header is wrong");
  if (has_pages && !options_are_valid(out.pages)) refuse("its header names a size of pages that this library does not have");
  return out;
}

}  // namespace

void put16(std::string* out, uint16_t v) { put(out, v, 2); }
void put32(std::string* out, uint32_t v) { put(out, v, 4); }
void put64(std::string* out, uint64_t v) { put(out, v, 8); }
void put_ref(std::string* out, const ObjectRef& ref) {
  put64(out, ref.where);
  put32(out, ref.bytes);
  put32(out, ref.checksum);
}

std::string_view FieldReader::take(size_t bytes) {
  if (bytes_.size() < bytes) fail(sqlstate::kDamaged, what_ + " is damaged: it ends too early");
  const std::string_view out = bytes_.substr(0, bytes);
  bytes_.remove_prefix(bytes);
  return out;
}
uint64_t FieldReader::number(size_t bytes) {
  uint64_t v = 0;
  std::memcpy(&v, take(bytes).data(), bytes);
  return v;
}
ObjectRef FieldReader::ref() {
  ObjectRef out;
  out.where = u64();
  out.bytes = u32();
  out.checksum = u32();
  return out;
}

// ---- the header of the file

std::string encode_file_header(const FileHeader& header) {
  std::string out(kFileMagic, sizeof kFileMagic);
  put32(&out, header.format);
  put32(&out, kByteOrder);
  put64(&out, header.database_id);
  if (header.format >= 2) {
    put32(&out, header.pages.page_bytes);
    put32(&out, header.pages.data_pages);
  }
  return close_sector(std::move(out));
}

FileHeader read_file_header(File& file) {
  std::string bytes(kSectorBytes, '\0'), copy(kSectorBytes, '\0');
  const size_t n = file.read(0, bytes.data(), bytes.size());
  if (n == 0) fail_io("open", file.path(), "it is empty, not a HoloDb database (remove it to have one made)");
  const bool named = std::memcmp(bytes.data(), kFileMagic, std::min(n, sizeof kFileMagic)) == 0;
  if (!(named && n == kSectorBytes && sector_is_whole(bytes.data())) && file.read(kHeaderCopyAt, copy.data(), copy.size()) == kSectorBytes &&
      std::memcmp(copy.data(), kFileMagic, sizeof kFileMagic) == 0 && sector_is_whole(copy.data())) {
    FileHeader out = decode_file_header(copy.data(), file.path());
    out.from_copy = true;
    return out;
  }
  if (!named) fail_io("open", file.path(), "it is not a HoloDb database");
  if (n < kSectorBytes) fail_io("open", file.path(), "it was cut short: it has " + std::to_string(n) + " bytes, which is less than its header");
  return decode_file_header(bytes.data(), file.path());
}

// ---- roots

std::string encode_root(const RootSlot& root) {
  std::string out(kRootMagic, sizeof kRootMagic);
  put64(&out, root.database_id);
  put64(&out, root.generation);
  put64(&out, root.commit);
  put32(&out, root.last_stripe);
  put32(&out, root.last_sum);
  put_ref(&out, root.space);
  put_ref(&out, root.kept);
  put32(&out, static_cast<uint32_t>(root.payload.size()));
  out += root.payload;
  return close_sector(std::move(out));
}

bool decode_root(std::string_view bytes, uint64_t database_id, RootSlot* root) {
  if (bytes.size() != kSectorBytes || bytes.substr(0, 8) != std::string_view(kRootMagic, 8) || !sector_is_whole(bytes.data())) return false;
  FieldReader in(bytes.substr(8), "a root");
  root->database_id = in.u64();
  root->generation = in.u64();
  root->commit = in.u64();
  root->last_stripe = in.u32();
  root->last_sum = in.u32();
  root->space = in.ref();
  root->kept = in.ref();
  const uint32_t n = in.u32();
  if (n > kRootPayloadMax || root->database_id != database_id) return false;
  root->payload = in.text(n);
  return true;
}

// ---- pages

uint32_t page_sum(uint64_t database_id, uint32_t stripe, const StripeMark& mark, const std::vector<uint32_t>& payload_sums) {
  std::string text;
  put64(&text, database_id);
  put32(&text, stripe);
  put64(&text, mark.generation);
  put32(&text, mark.before);
  put32(&text, mark.before_sum);
  put16(&text, mark.used);
  for (const uint32_t sum : payload_sums) put32(&text, sum);
  return crc32c(text.data(), text.size());
}

void seal_page(char* page, uint32_t page_bytes, const PageHeader& header) {
  std::string out;
  put32(&out, header.parity ? kParityMagic : kDataMagic);
  put32(&out, 0);
  put64(&out, header.page);
  put64(&out, header.mark.generation);
  put32(&out, header.sum);
  put32(&out, header.mark.before);
  put32(&out, header.mark.before_sum);
  put16(&out, header.mark.used);
  put16(&out, 0);
  std::memcpy(page, out.data(), kPageHeaderBytes);
  const uint32_t sum = crc32c(page + 8, page_bytes - 8, crc32c(page, 4));
  std::memcpy(page + 4, &sum, 4);
}

bool open_page(const char* bytes, uint32_t page_bytes, uint64_t page, PageHeader* header) {
  FieldReader in(std::string_view(bytes, kPageHeaderBytes), "a page");
  const uint32_t magic = in.u32(), sum = in.u32();
  header->parity = magic == kParityMagic;
  header->page = in.u64();
  if ((magic != kDataMagic && !header->parity) || header->page != page) return false;
  header->mark.generation = in.u64();
  header->sum = in.u32();
  header->mark.before = in.u32();
  header->mark.before_sum = in.u32();
  header->mark.used = in.u16();
  return crc32c(bytes + 8, page_bytes - 8, crc32c(bytes, 4)) == sum;
}

bool PageGeometry::locate(uint64_t where, uint32_t* stripe, uint32_t* place, uint32_t* in_payload) const {
  if (where < kStripesAt) return false;
  const uint64_t page = (where - kStripesAt) / options.page_bytes;
  const uint32_t in_page = static_cast<uint32_t>((where - kStripesAt) % options.page_bytes);
  if (in_page < kPageHeaderBytes || page / (options.data_pages + 1) >= UINT32_MAX) return false;
  *stripe = stripe_of_page(page);
  *place = static_cast<uint32_t>(page % (options.data_pages + 1));
  *in_payload = in_page - kPageHeaderBytes;
  return *place != 0;
}

}  // namespace hdb
