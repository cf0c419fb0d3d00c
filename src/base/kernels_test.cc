#include "base/kernel_table.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

using namespace hdb;

namespace {

// Columns of `rows` slots that end where their memory ends, so that a read past them is one that a sanitizer sees.
template <class T>
std::vector<T> values(std::mt19937_64& random, uint32_t rows, bool few) {
  std::vector<T> out(rows);
  for (T& v : out) v = few ? static_cast<T>(random() % 5) : static_cast<T>(random());
  return out;
}

std::vector<uint64_t> bitmap(std::mt19937_64& random, uint32_t rows, int kind) {
  std::vector<uint64_t> out((rows + 63) / 64 + 1);
  for (uint64_t& w : out) {
    switch (kind) {
      case 0: w = ~uint64_t{0}; break;
      case 1: w = random(); break;
      case 2: w = random() & random() & random() & random() & random(); break;  // few
      default: w = random() % 3 == 0 ? random() : 0; break;
    }
  }
  return out;
}

const uint32_t kRows[] = {0, 1, 63, 64, 65, 127, 200, 1000, 2048, 4097, 16384};

template <class T, class F>
void check_ranges(std::mt19937_64& random, const KernelTable& simd, F kernel) {
  for (const uint32_t rows : kRows) {
    for (int round = 0; round < 24; ++round) {
      const std::vector<T> data = values<T>(random, rows, round % 2 == 0);
      const T low = round % 3 == 0 ? static_cast<T>(random()) : static_cast<T>(random() % 6), span = round % 4 == 0 ? static_cast<T>(random()) : static_cast<T>(random() % 4);
      const uint64_t flip = random() % 2 == 0 ? 0 : ~uint64_t{0};
      const std::vector<uint64_t> before = bitmap(random, rows, round % 4);
      std::vector<uint64_t> got = before, expected = before;
      (simd.*kernel)(data.data(), low, span, flip, rows, got.data());
      (plain_kernels().*kernel)(data.data(), low, span, flip, rows, expected.data());
      REQUIRE(got == expected);
      // And by the definition.
      std::vector<uint64_t> defined = before;
      for (uint32_t i = 0; i < rows; ++i) {
        if ((static_cast<T>(data[i] - low) <= span) == (flip != 0)) defined[i / 64] &= ~(uint64_t{1} << (i % 64));
      }
      REQUIRE(got == defined);
    }
  }
}

template <class T, class F>
void check_sums(std::mt19937_64& random, const KernelTable& simd, F kernel) {
  for (const uint32_t rows : kRows) {
    for (int round = 0; round < 24; ++round) {
      std::vector<T> data = values<T>(random, rows, round % 5 == 4);
      if (round % 6 == 5) std::fill(data.begin(), data.end(), static_cast<T>(~T{0}));  // the largest sum
      const std::vector<uint64_t> bits = bitmap(random, rows, round % 4);
      const uint64_t* selected = round % 8 == 7 ? nullptr : bits.data();
      int64_t low = 0, high = 0;
      for (uint32_t i = 0; i < rows; ++i) {
        if (selected != nullptr && ((bits[i / 64] >> (i % 64)) & 1) == 0) continue;
        low += static_cast<int64_t>(static_cast<uint64_t>(data[i]) & (sizeof(T) == 8 ? 0xFFFFFFFFu : ~uint64_t{0}));
        if (sizeof(T) == 8) high += static_cast<int64_t>(static_cast<uint64_t>(data[i])) >> 32;
      }
      for (const KernelTable* table : {&simd, &plain_kernels()}) {
        if constexpr (sizeof(T) == 8) {
          const OffsetSum got = (table->*kernel)(data.data(), selected, rows);
          REQUIRE(got.low == static_cast<uint64_t>(low));
          REQUIRE(got.high == high);
        } else {
          REQUIRE((table->*kernel)(data.data(), selected, rows) == static_cast<uint64_t>(low));
        }
      }
      if (selected != nullptr) REQUIRE(simd.count(selected, rows) == plain_kernels().count(selected, rows));
    }
  }
}

}  // namespace

TEST_CASE("SIMD kernels: every byte range and every byte are tested as the plain kernels test them") {
  std::vector<uint8_t> all(256);
  for (uint32_t i = 0; i < 256; ++i) all[i] = static_cast<uint8_t>(i);
  const std::vector<uint64_t> ones(4, ~uint64_t{0});
  for (const KernelTable* simd : simd_kernels()) {
    for (uint32_t low = 0; low < 256; ++low) {
      for (uint32_t span = 0; span < 256; ++span) {
        std::vector<uint64_t> got = ones;
        simd->range_8(all.data(), static_cast<uint8_t>(low), static_cast<uint8_t>(span), 0, 256, got.data());
        std::vector<uint64_t> expected(4);
        for (uint32_t k = 0; k <= span; ++k) expected[(low + k) % 256 / 64] |= uint64_t{1} << ((low + k) % 64);
        if (got != expected) FAIL("range_8 from " << low << " span " << span << " in " << simd->name);
      }
    }
    REQUIRE(simd->count(ones.data(), 200) == 200);
    // Sets of one and of two bytes, and of all but one: each member and each other byte.
    for (uint32_t a = 0; a < 256; ++a) {
      for (uint32_t b = a; b < 256; ++b) {
        uint64_t set[4] = {};
        set[a / 64] |= uint64_t{1} << (a % 64);
        set[b / 64] |= uint64_t{1} << (b % 64);
        std::vector<uint64_t> got = ones;
        simd->set_8(all.data(), set, 256, got.data());
        bool same = std::memcmp(got.data(), set, 32) == 0;
        for (uint64_t& w : set) w = ~w;
        got = ones;
        simd->set_8(all.data(), set, 256, got.data());
        same = same && std::memcmp(got.data(), set, 32) == 0;
        if (!same) FAIL("set_8 of " << a << " and " << b << " in " << simd->name);
      }
    }
  }
}

TEST_CASE("SIMD and plain kernels agree with their definition on any data, bitmap and length") {
  std::mt19937_64 random(71);
  std::vector<const KernelTable*> tables = simd_kernels();
  tables.push_back(&plain_kernels());
  for (const KernelTable* t : tables) {
    check_ranges<uint8_t>(random, *t, &KernelTable::range_8);
    check_ranges<uint16_t>(random, *t, &KernelTable::range_16);
    check_ranges<uint32_t>(random, *t, &KernelTable::range_32);
    check_ranges<uint64_t>(random, *t, &KernelTable::range_64);
    check_sums<uint8_t>(random, *t, &KernelTable::sum_8);
    check_sums<uint16_t>(random, *t, &KernelTable::sum_16);
    check_sums<uint32_t>(random, *t, &KernelTable::sum_32);
    check_sums<uint64_t>(random, *t, &KernelTable::sum_64);
    for (const uint32_t rows : kRows) {
      const std::vector<uint8_t> bytes = values<uint8_t>(random, rows, false);
      const std::vector<uint16_t> words = values<uint16_t>(random, rows, false);
      uint64_t set[4] = {random(), random(), random(), random()};
      const std::vector<uint64_t> before = bitmap(random, rows, 1);
      std::vector<uint64_t> got = before, expected = before;
      t->set_8(bytes.data(), set, rows, got.data());
      for (uint32_t i = 0; i < rows; ++i) {
        if (((set[bytes[i] / 64] >> (bytes[i] % 64)) & 1) == 0) expected[i / 64] &= ~(uint64_t{1} << (i % 64));
      }
      REQUIRE(got == expected);
      std::vector<uint16_t> at(rows, 3), want(rows);
      const auto capacity = static_cast<uint16_t>(random() % 40), shift = static_cast<uint16_t>(random());
      t->address_8(bytes.data(), capacity, shift, rows, at.data());
      for (uint32_t i = 0; i < rows; ++i) want[i] = static_cast<uint16_t>(3u * capacity + bytes[i] + shift);
      REQUIRE(at == want);
      t->address_16(words.data(), capacity, shift, rows, at.data());
      for (uint32_t i = 0; i < rows; ++i) want[i] = static_cast<uint16_t>(uint32_t{want[i]} * capacity + words[i] + shift);
      REQUIRE(at == want);
    }
  }
}

TEST_CASE("runs of fields are added to their groups' as one by one") {
  std::mt19937_64 random(77);
  std::vector<const KernelTable*> tables = simd_kernels();
  tables.push_back(&plain_kernels());
  for (const KernelTable* t : tables) {
    for (uint32_t run = 1; run <= 21; ++run) {
      for (const uint64_t slots : {0, 1, 7, 300}) {
        const uint32_t groups = 1 + static_cast<uint32_t>(random() % 40), copies = 1 + static_cast<uint32_t>(random() % 4);
        const uint64_t copy_fields = uint64_t{groups} * run;
        std::vector<uint32_t> group(slots);
        for (uint32_t& g : group) g = random() % 4 == 0 ? kNoGroup : static_cast<uint32_t>(random() % groups);
        std::vector<int64_t> cells(slots * run), sums(copy_fields * copies), total(copy_fields), want(copy_fields);
        for (int64_t& c : cells) c = static_cast<int64_t>(random()) >> 20;
        for (uint64_t s = 0; s < slots; ++s) {
          for (uint32_t f = 0; group[s] != kNoGroup && f < run; ++f) want[group[s] * run + f] += cells[s * run + f];
        }
        t->add_runs(group.data(), slots, run, cells.data(), copies, copy_fields, sums.data());
        for (uint64_t i = 0; i < sums.size(); ++i) total[i % copy_fields] += sums[i];
        REQUIRE(total == want);
      }
    }
  }
}
