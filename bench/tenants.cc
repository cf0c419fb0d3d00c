// W4 tenants: six tables of orders, one of products, one of accounts; slices, joins to products, and the same joins after a write to either side.
#include <array>

#include "bench/timing.h"
#include "bench/workloads.h"

namespace hdb::bench {
namespace {

constexpr std::array<uint64_t, 6> kOrders = {2'000'000, 1'000'000, 700'000, 400'000, 250'000, 150'000};
constexpr uint64_t kProducts = 2'000;
constexpr uint64_t kAccounts = 200'000;
constexpr int kWritesTimed = 10;
constexpr size_t kWritesTimedMin = 4;
constexpr double kWritesSeconds = 1.0;

const std::vector<std::string_view> kRegions = {"apac", "emea", "latam", "nordics", "uk", "us-c", "us-e", "us-w"};
const std::vector<std::string_view> kStates = {"cancelled", "open", "paid", "shipped"};
const std::vector<std::string_view> kCategories = {"audio", "books", "cables", "desks", "e-bikes", "food", "games", "home", "ink", "jewels", "kids", "lamps"};
const std::vector<std::string_view> kTiers = {"bronze", "gold", "platinum", "silver"};

uint64_t scaled(uint64_t full, uint64_t rows) { return std::max<uint64_t>(full * rows / kOrders[0], 40); }

Table orders(size_t tenant, const Options& options, bool shuffled) {
  const uint64_t rows = scaled(kOrders[tenant], options.rows);
  const uint64_t products = std::min(kProducts, rows);
  const uint64_t accounts = scaled(kAccounts, options.rows);
  const Permutation permutation(rows);
  return {.name = "t" + std::to_string(tenant + 1),
          .columns = {{.name = "order_id", .primary = true},
                      {.name = "product_id"},
                      {.name = "account_id"},
                      {.name = "region", .text = true, .domain = kRegions},
                      {.name = "state", .text = true, .domain = kStates},
                      {.name = "quantity"},
                      {.name = "amount_cents"}},
          .rows = rows,
          .append = [=](uint64_t id, Batch& batch) {
            const uint64_t key = id * kOrders.size() + tenant;
            const uint64_t amount_key = (shuffled ? permutation(id) : id) * kOrders.size() + tenant;
            batch.integers[0].push_back(static_cast<int64_t>(id));
            batch.integers[1].push_back(static_cast<int64_t>(1 + std::min(draw_below(key, 1, products), draw_below(key, 2, products))));
            batch.integers[2].push_back(static_cast<int64_t>(1 + draw_below(key, 3, accounts)));
            batch.texts[3].push_back(kRegions[draw_below(key, 4, kRegions.size())]);
            batch.texts[4].push_back(kStates[draw_below(key, 5, kStates.size())]);
            batch.integers[5].push_back(static_cast<int64_t>(1 + draw_below(key, 6, 9)));
            batch.integers[6].push_back(static_cast<int64_t>(100 + draw_below(amount_key, 7, 90'000)));
          }};
}

Workload make_tenants(const Options& options, bool shuffled) {
  Workload w;
  w.tables.push_back({.name = "products",
                      .columns = {{.name = "product_id", .primary = true}, {.name = "category", .text = true, .domain = kCategories}, {.name = "price_cents"}},
                      .rows = std::min(kProducts, scaled(kOrders[0], options.rows)),
                      .append = [](uint64_t id, Batch& batch) {
                        batch.integers[0].push_back(static_cast<int64_t>(id));
                        batch.texts[1].push_back(kCategories[draw_below(id, 1, kCategories.size())]);
                        batch.integers[2].push_back(static_cast<int64_t>(100 + draw_below(id, 2, 50'000)));
                      }});
  w.tables.push_back({.name = "accounts",
                      .columns = {{.name = "account_id", .primary = true}, {.name = "tier", .text = true, .domain = kTiers}},
                      .rows = scaled(kAccounts, options.rows),
                      .append = [](uint64_t id, Batch& batch) {
                        batch.integers[0].push_back(static_cast<int64_t>(id));
                        batch.texts[1].push_back(kTiers[draw_below(id, 9, kTiers.size())]);
                      }});
  for (size_t tenant = 0; tenant < kOrders.size(); ++tenant) {
    w.tables.push_back(orders(tenant, options, shuffled));
    const std::string t = w.tables.back().name;
    const std::string join = "FROM " + t + " o JOIN products p ON o.product_id = p.product_id";
    w.questions.push_back({t + " filter", "SELECT COUNT(*), SUM(amount_cents) FROM " + t + " WHERE region = 'emea' AND state = 'paid'", "slice"});
    w.questions.push_back({t + " count", "SELECT COUNT(*) FROM " + t + " WHERE state <> 'cancelled'", "slice"});
    w.questions.push_back({t + " sums", "SELECT region, SUM(amount_cents), SUM(quantity) FROM " + t + " GROUP BY region ORDER BY region", "slice"});
    w.questions.push_back({t + " join COUNT", "SELECT COUNT(*) " + join, "join"});
    w.questions.push_back({t + " join SUMs", "SELECT COUNT(*), SUM(o.amount_cents), SUM(o.quantity) " + join, "join"});
    w.questions.push_back({t + " join WHERE", "SELECT COUNT(*), SUM(o.amount_cents) " + join + " WHERE p.category = 'games'", "other side"});
    w.questions.push_back({t + " join GROUP", "SELECT p.category, COUNT(*), SUM(o.amount_cents) " + join + " GROUP BY p.category ORDER BY p.category", "other side"});
    // Bytes a row: 1 for a code or a quantity, 2 for a product, 4 for an amount.
    const std::array<double, 7> row_bytes = {6, 1, 6, 2, 7, 6, 6};
    for (size_t i = 0; i < row_bytes.size(); ++i) w.questions[w.questions.size() - row_bytes.size() + i].bytes = row_bytes[i] * static_cast<double>(w.tables.back().rows);
    w.indexes[t + "_s"] = "CREATE INDEX " + t + "_s ON " + t + " USING SUMMARY (region, state) INCLUDE (amount_cents, quantity)";
    w.indexes[t + "_p"] = "CREATE INDEX " + t + "_p ON " + t + " USING SUMMARY (product_id) INCLUDE (amount_cents, quantity)";
  }
  w.questions.push_back({"accounts",
                         "SELECT a.tier, COUNT(*), SUM(o.amount_cents) FROM t1 o JOIN accounts a ON o.account_id = a.account_id "
                         "GROUP BY a.tier ORDER BY a.tier",
                         "dimension"});
  w.questions.back().bytes = 8 * static_cast<double>(scaled(kOrders[0], options.rows));
  w.indexes["t1_a"] = "CREATE INDEX t1_a ON t1 USING SUMMARY (account_id) INCLUDE (amount_cents)";
  w.control = "SELECT COUNT(*), SUM(amount_cents * quantity) FROM t1 WHERE amount_cents + quantity * 300 > account_id";
  // A write to either table, then the question: the question's time. "orders|products ID"
  w.commands["after_write"] = [](EngineWorker& worker, const std::string& rest) {
    const std::string id = rest.substr(rest.find(' ') + 1);
    const std::string t = id.substr(0, id.find(' '));
    const bool to_orders = rest.starts_with("orders");
    auto write = worker.peer().prepare(to_orders ? "UPDATE " + t + " SET amount_cents = ?, product_id = ? WHERE order_id = ?"
                                                 : "UPDATE products SET price_cents = ?, category = 'games' WHERE product_id = ?");
    std::string sql;
    for (const Question& q : worker.workload().questions) {
      if (q.id == id) sql = q.sql;
    }
    Query& query = worker.prepared(sql);
    Loop loop;
    Rows none;
    const Clock whole;
    // Every arm makes all the writes, so that their rows stay equal; slow ones time fewer questions.
    for (int64_t i = 0; i < kWritesTimed; ++i) {
      const std::vector<Value> of_order = {500 + i, 1 + i * 3, 1 + i};
      const std::vector<Value> of_product = {900 + i, 1 + i};
      if (write->run(to_orders ? of_order : of_product, none) != 1) throw PeerError("a write of one row changed another number");
      if (loop.samples.size() >= kWritesTimedMin && whole.seconds() > kWritesSeconds) continue;
      worker.rows().clear();
      loop.samples.push_back(seconds_of([&] { query.run({}, worker.rows()); }));
    }
    return loop.to_text();
  };
  return w;
}

}  // namespace

Json run_tenants(const Options& options) {
  Json json = begin_json(options);
  json["title"] = "W4 tenants and joins";
  std::vector<std::string> summaries;
  for (const auto& [name, sql] : make_tenants(options, false).indexes) summaries.push_back(name);
  const auto arms = standard_arms(options, summaries);
  Progress progress(SideBySide::steps(arms.size(), 43) + 24 * arms.size());
  SideBySide run(options, make_tenants, arms, json, progress);
  run.load();
  run.compare_rows();
  run.placebo(summaries);
  run.time_questions();
  begin_phase("after writes");
  std::vector<std::string> ids;
  std::vector<std::string> names;
  for (const Arm& arm : arms) names.push_back(arm.name);
  for (const Question& question : run.questions()) {
    if (question.group != "join" && question.group != "other side") continue;
    ids.push_back(question.id);
    for (const std::string side : {"orders", "products"}) {
      for (const std::string& arm : names) {
        progress.step(question.id + " after a write, " + arm);
        keep_halves(json["cells"][question.id + " after " + side][arm], run.worker(arm).call("after_write " + side + " " + question.id));
      }
    }
  }
  run.compare_again("after the writes", ids, names);
  run.after_questions();
  keep_bandwidth(options, json);
  return json;
}

}  // namespace hdb::bench
