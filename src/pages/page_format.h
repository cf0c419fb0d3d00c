// pages/page_format.h: the bytes of spec/pages.md: the file's header, the copies of a root, the header of a page.
//
// What:       plain structs and their encodings. Nothing here reads or writes a file, except read_file_header().
// Terms:      stripe: one parity page and then `data_pages` data pages, at a fixed place; numbered from 1. Place: of a page in its stripe, 0 is parity.
//             Payload: the bytes of a page behind its header. Sum of a stripe: what its pages have in common, see page_sum().
// Invariants: G1 nothing is decoded that its checksum does not vouch for. G2 a page says which page it is and of which stripe's sum.
// Units:      bytes; offsets from the start of the file. Little-endian, as the header of the file says.
// Errors:     58030 for what is no such file, or of a newer format; XX001 for a damaged header.
// Callers:    pages/, engine/ (the header). Thread-safe.
// Held by:    spec/pages.md, src/pages/page_damage_test.cc
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.h"

namespace hdb {

inline constexpr uint32_t kFileFormatNewest = 2;     // 1: a header and nothing else
inline constexpr uint64_t kSectorBytes = 4096;       // of the header and of each copy of a root
inline constexpr uint64_t kHeaderCopyAt = 20480;     // the header once more
inline constexpr uint64_t kStripesAt = 24576;
inline constexpr uint32_t kPageHeaderBytes = 40;
inline constexpr uint32_t kPageBytesMin = 512, kPageBytesMax = 65536;
inline constexpr uint32_t kDataPagesMin = 1, kDataPagesMax = 64;
inline constexpr uint32_t kRootPayloadMax = 3072;

// A place in the file that holds `bytes` bytes in pages. where == 0: none.
struct ObjectRef {
  uint64_t where = 0;      // offset of the first byte
  uint32_t bytes = 0;
  uint32_t checksum = 0;   // CRC-32C of the bytes
  bool operator==(const ObjectRef&) const = default;
};
inline constexpr size_t kRefBytes = 16;

struct PageOptions {
  uint32_t page_bytes = 16384;  // a power of two, kPageBytesMin to kPageBytesMax
  uint32_t data_pages = 8;      // in a stripe, kDataPagesMin to kDataPagesMax
};

struct FileHeader {
  uint32_t format = kFileFormatNewest;
  uint64_t database_id = 0;
  PageOptions pages;            // format 2
  bool from_copy = false;       // the header at offset 0 is damaged, this is its copy
};

std::string encode_file_header(const FileHeader& header);
FileHeader read_file_header(File& file);

// One root, as each of its two copies says. Slot: generation % 2.
struct RootSlot {
  uint64_t database_id = 0, generation = 0, commit = 0;
  uint32_t last_stripe = 0, last_sum = 0;  // of the change that made it; 0: nothing is stored
  ObjectRef space;                         // the table of live stripes
  ObjectRef kept;                          // the kept roots
  std::string payload;
};
std::string encode_root(const RootSlot& root);                        // kSectorBytes
bool decode_root(std::string_view bytes, uint64_t database_id, RootSlot* root);
inline uint64_t root_copy_at(uint64_t generation, uint64_t copy) { return kSectorBytes * (1 + generation % 2 * 2 + copy); }

// What every page of a stripe has in common.
struct StripeMark {
  uint64_t generation = 0;
  uint32_t before = 0, before_sum = 0;     // the stripe that the same change filled before; 0: none
  uint16_t used = 0;                       // data pages 1 to used are there
  bool operator==(const StripeMark&) const = default;
};
struct PageHeader {
  bool parity = false;
  uint64_t page = 0;                       // number of the page in the file
  uint32_t sum = 0;
  StripeMark mark;
};

// The sum of a stripe: over its mark, the database's id and the CRC-32C of each payload, so that it names the contents of the whole stripe and, by
// before_sum, of all stripes that its change filled before it.
uint32_t page_sum(uint64_t database_id, uint32_t stripe, const StripeMark& mark, const std::vector<uint32_t>& payload_sums);

// Writes the header over the first kPageHeaderBytes of a page whose payload is there.
void seal_page(char* page, uint32_t page_bytes, const PageHeader& header);
// False: these are not the bytes of a page that seal_page() has left, or not of page number `page`.
bool open_page(const char* bytes, uint32_t page_bytes, uint64_t page, PageHeader* header);

// ---- where things are
struct PageGeometry {
  PageOptions options;
  uint32_t payload() const { return options.page_bytes - kPageHeaderBytes; }
  uint64_t stripe_payload() const { return uint64_t{payload()} * options.data_pages; }
  uint64_t stripe_bytes() const { return uint64_t{options.page_bytes} * (options.data_pages + 1); }
  uint64_t stripe_at(uint32_t stripe) const { return kStripesAt + (stripe - 1) * stripe_bytes(); }
  uint64_t page_of(uint32_t stripe, uint32_t place) const { return uint64_t{stripe - 1} * (options.data_pages + 1) + place; }
  uint64_t page_at(uint64_t page) const { return kStripesAt + page * options.page_bytes; }
  uint32_t stripe_of_page(uint64_t page) const { return static_cast<uint32_t>(page / (options.data_pages + 1)) + 1; }
  // Where an object begins. False: no byte of a payload is there.
  bool locate(uint64_t where, uint32_t* stripe, uint32_t* place, uint32_t* in_payload) const;
};

// ---- little-endian fields
void put16(std::string* out, uint16_t v);
void put32(std::string* out, uint32_t v);
void put64(std::string* out, uint64_t v);
void put_ref(std::string* out, const ObjectRef& ref);

// Reads fields one after the other; XX001 naming `what` if there are not enough bytes.
class FieldReader {
 public:
  // The bytes must outlive it.
  FieldReader(std::string_view bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}
  FieldReader(std::string&& bytes, std::string what) = delete;
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  ObjectRef ref();
  std::string text(size_t bytes) { return std::string(take(bytes)); }
  size_t left() const { return bytes_.size(); }

 private:
  std::string_view take(size_t bytes);
  uint64_t number(size_t bytes);
  std::string_view bytes_;
  std::string what_;
};

}  // namespace hdb
