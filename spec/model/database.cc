#include "database.h"

#include <unordered_map>
#include <unordered_set>

namespace model {

namespace {

const Table& table_of(const State& state, const std::string& name) {
  const auto found = state.tables.find(name);
  if (found == state.tables.end()) throw Fault{"42P01"};
  return *found->second;
}

Result query_state(const State& state, const Query& query) {
  return run_query(query, [&state](const std::string& name) -> const Table& { return table_of(state, name); });
}

void check_not_null(const TableDef& def, const std::vector<RowPtr>& changed, std::set<std::string>& states) {
  for (size_t c = 0; c < def.columns.size(); ++c) {
    if (!def.columns[c].not_null && !def.columns[c].primary) continue;
    for (const RowPtr& row : changed) {
      if ((*row)[c].is_null()) states.insert("23502");
    }
  }
}

void check_unique(const Table& table, const std::vector<RowPtr>& changed, std::set<std::string>& states) {
  for (size_t c = 0; c < table.definition->columns.size(); ++c) {
    const Column& column = table.definition->columns[c];
    if (!column.primary && !column.unique) continue;
    std::unordered_map<std::string, int> count;
    for (const RowPtr& row : changed) {
      if (!(*row)[c].is_null()) count[key_of((*row)[c])] = 0;
    }
    if (count.empty()) continue;
    for (const RowPtr& row : table.rows) {
      const auto found = count.find(key_of((*row)[c]));
      if (found != count.end() && ++found->second > 1) states.insert("23505");
    }
  }
}

void check_references(const State& state, const Table& child, const std::vector<RowPtr>& rows, const std::string* only_parent, std::set<std::string>& states) {
  for (size_t c = 0; c < child.definition->columns.size(); ++c) {
    const std::string& parent_name = child.definition->columns[c].references;
    if (parent_name.empty() || (only_parent != nullptr && parent_name != *only_parent)) continue;
    const Table& parent = table_of(state, parent_name);
    const auto key = static_cast<size_t>(parent.definition->primary());
    std::unordered_set<std::string> keys;
    for (const RowPtr& row : parent.rows) keys.insert(key_of((*row)[key]));
    for (const RowPtr& row : rows) {
      if (!(*row)[c].is_null() && keys.count(key_of((*row)[c])) == 0) states.insert("23503");
    }
  }
}

Value coerce(const Value& v, const Type& type) {
  if (v.is_null() || v.kind == type.kind) return v;
  return evaluate(*cast(literal(v, int_type()), type), {});
}

// The rows of the new table, those that were added or changed, and whether keys may have gone.
struct Plan {
  std::shared_ptr<Table> table;
  std::vector<RowPtr> changed;
  bool removes = false;
};

void plan_insert(Plan& plan, std::vector<Row> rows) {
  for (Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) row[c] = coerce(row[c], plan.table->definition->columns[c].type);
    plan.table->rows.push_back(std::make_shared<const Row>(std::move(row)));
    plan.changed.push_back(plan.table->rows.back());
  }
}

void plan_update(Plan& plan, const Statement& s, std::set<std::string>& states) {
  for (RowPtr& row : plan.table->rows) {
    if (s.where && !evaluate(*s.where, {row.get()}).truth()) continue;
    Row next = *row;
    for (const auto& [column, expression] : s.settings) {
      const auto c = static_cast<size_t>(column);
      try {
        next[c] = coerce(evaluate(*expression, {row.get()}), plan.table->definition->columns[c].type);
      } catch (const Fault& f) {
        states.insert(f.state);
      }
    }
    row = std::make_shared<const Row>(std::move(next));
    plan.changed.push_back(row);
  }
  plan.removes = true;
}

int64_t plan_delete(Plan& plan, const Statement& s) {
  std::vector<RowPtr> kept;
  for (const RowPtr& row : plan.table->rows) {
    if (s.where && !evaluate(*s.where, {row.get()}).truth()) kept.push_back(row);
  }
  const auto gone = static_cast<int64_t>(plan.table->rows.size() - kept.size());
  plan.table->rows = std::move(kept);
  plan.removes = true;
  return gone;
}

void apply_rows(Change& change, const State& state, const Statement& s) {
  Plan plan;
  plan.table = std::make_shared<Table>(table_of(state, s.name));
  if (s.act == Act::kInsert) {
    plan_insert(plan, s.rows);
  } else if (s.act == Act::kInsertSelect) {
    plan_insert(plan, query_state(state, s.query).rows);
  } else if (s.act == Act::kUpdate) {
    plan_update(plan, s, change.states);
  }
  change.rows = static_cast<int64_t>(plan.changed.size());
  if (s.act == Act::kDelete) change.rows = plan_delete(plan, s);
  change.next.tables[s.name] = plan.table;
  check_not_null(*plan.table->definition, plan.changed, change.states);
  check_unique(*plan.table, plan.changed, change.states);
  check_references(change.next, *plan.table, plan.changed, nullptr, change.states);
  if (!plan.removes) return;
  for (const auto& [name, table] : change.next.tables) check_references(change.next, *table, table->rows, &s.name, change.states);
}

void apply_definition(Change& change, const Statement& s) {
  State& next = change.next;
  if (s.act == Act::kCreateTable) {
    if (next.tables.count(s.name) != 0) throw Fault{"42P07"};
    auto table = std::make_shared<Table>();
    table->definition = s.table;
    next.tables[s.name] = table;
  } else if (s.act == Act::kDropTable) {
    table_of(next, s.name);
    next.tables.erase(s.name);
    for (auto i = next.summaries.begin(); i != next.summaries.end();) {
      i = i->second.table == s.name ? next.summaries.erase(i) : std::next(i);
    }
  } else if (s.act == Act::kCreateSummary) {
    table_of(next, s.summary.table);
    if (!next.summaries.emplace(s.summary.name, s.summary).second) throw Fault{"42710"};
  } else if (next.summaries.erase(s.name) == 0) {
    throw Fault{"42704"};
  }
}

}  // namespace

Change apply(const State& state, const Statement& s) {
  Change change;
  change.next = state;
  try {
    if (s.act >= Act::kInsert && s.act <= Act::kDelete) {
      apply_rows(change, state, s);
    } else {
      apply_definition(change, s);
    }
  } catch (const Fault& f) {
    change.states.insert(f.state);
  }
  return change;
}

const State& Session::view() const { return in_transaction_ ? state_ : database_.committed_; }

void Database::publish(State next) {
  ++commits_;
  for (const auto& [name, table] : next.tables) {
    const auto before = committed_.tables.find(name);
    if (before == committed_.tables.end() || before->second != table) changed_[name] = commits_;
  }
  committed_ = std::move(next);
}

void Session::upgrade() {
  for (const std::string& name : read_) {
    const auto changed = database_.changed_.find(name);
    if (changed != database_.changed_.end() && changed->second > snapshot_) throw Fault{"40001"};
  }
  state_ = database_.committed_;
  for (auto& savepoint : savepoints_) savepoint.second = state_;  // nothing was written before the upgrade
  writing_ = true;
}

Outcome Session::control(const Statement& s) {
  if (s.act == Act::kBegin) {
    if (in_transaction_) throw Fault{"25001"};
    in_transaction_ = true;
    writing_ = false;
    state_ = database_.committed_;
    snapshot_ = database_.commits_;
    read_.clear();
    savepoints_.clear();
    return {};
  }
  if (!in_transaction_) throw Fault{"25P01"};
  if (s.act == Act::kSavepoint) {
    savepoints_.emplace_back(s.name, state_);
    return {};
  }
  if (s.act == Act::kRollbackTo || s.act == Act::kRelease) {
    size_t i = savepoints_.size();
    while (i > 0 && savepoints_[i - 1].first != s.name) --i;
    if (i == 0) throw Fault{"3B001"};
    if (s.act == Act::kRollbackTo) state_ = savepoints_[i - 1].second;
    savepoints_.resize(s.act == Act::kRollbackTo ? i : i - 1);
    return {};
  }
  if (s.act == Act::kCommit && writing_) database_.publish(state_);
  in_transaction_ = writing_ = false;
  savepoints_.clear();
  return {};
}

Outcome Session::run(const Statement& s) {
  Outcome outcome;
  try {
    if (s.act >= Act::kBegin) return control(s);
    if (s.act == Act::kQuery) {
      for (const Relation& r : s.query.from) read_.insert(r.table->name);
      outcome.result = query_state(view(), s.query);
      outcome.ending = outcome.result.open ? Ending::kOpen : Ending::kRows;
      return outcome;
    }
    if (in_transaction_ && !writing_) upgrade();
    Change change = apply(view(), s);
    if (!change.states.empty()) {
      outcome.ending = Ending::kError;
      outcome.states = std::move(change.states);
      return outcome;
    }
    outcome.changes = change.rows;
    if (in_transaction_) {
      state_ = std::move(change.next);
    } else {
      database_.publish(std::move(change.next));
    }
  } catch (const Fault& f) {
    outcome.ending = Ending::kError;
    outcome.states.insert(f.state);
  }
  return outcome;
}

}  // namespace model
