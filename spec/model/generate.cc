#include "generate.h"

#include <algorithm>
#include <limits>

namespace model {

namespace {

const std::vector<std::string> kWords = {"paid",
                                         "open",
                                         "overdue",
                                         "void",
                                         "draft",
                                         "",
                                         "a",
                                         "B",
                                         "it's",
                                         "caf\xc3\xa9",
                                         "north",
                                         "south",
                                         "x,y",
                                         "100%",
                                         "a_b",
                                         "zz",
                                         "A much longer text than the others have"};

Column make_column(const std::string& name, const Type& type, Role role) {
  Column c;
  c.name = name;
  c.type = type;
  c.role = role;
  return c;
}

int64_t huge(Random& r) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
  switch (r.below(8)) {
    case 0:
      return kMax - r.range(0, 3);
    case 1:
      return kMin + r.range(0, 3);
    case 2:
      return int64_t{1} << (32 + r.below(31));
    case 3:
      return -(int64_t{1} << (32 + r.below(31)));
    case 4:
      return static_cast<int64_t>(r.next());
    case 5:
      return static_cast<int64_t>(r.next() >> 1) | int64_t{1} << 62;
    case 6:
      return -(static_cast<int64_t>(r.next() >> 1) | int64_t{1} << 62);
    default:
      return r.range(-5, 5);
  }
}

double real(Random& r) {
  switch (r.below(9)) {
    case 0:
      return 1e100;
    case 1:
      return -1e100;
    case 2:
      return 1.0;
    case 3:
      return 9007199254740994.0;
    case 4:
      return -9007199254740993.0;
    case 5:
      return 1e-300 * static_cast<double>(r.range(1, 9));
    case 6:
      return static_cast<double>(r.range(-1000000, 1000000)) / 7.0;
    case 7:
      return 0.1 * static_cast<double>(r.range(1, 30));
    default:
      return static_cast<double>(r.range(1, 64)) / 64.0;
  }
}

// 0..100 at first; growing, every width from 1 byte to 8, both signs.
int64_t growing_value(Random& r, bool growing) {
  if (!growing || r.chance(40)) return r.range(0, 100);
  const uint64_t bits = 4 + r.below(59);
  const int64_t v = (int64_t{1} << bits) + r.range(-3, 3);
  return r.chance(25) ? -v : v;
}

const char* kNames[] = {"g", "h", "k", "d", "b", "a", "q", "w", "m", "x", "n"};

}  // namespace

std::vector<int> columns_of(const TableDef& table, std::initializer_list<Role> roles) {
  std::vector<int> out;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (std::find(roles.begin(), roles.end(), table.columns[i].role) != roles.end()) out.push_back(static_cast<int>(i));
  }
  return out;
}

Schema random_schema(Random& r, const Wishes& wishes) {
  auto parent = std::make_shared<TableDef>();
  parent->name = "p";
  parent->columns.push_back(make_column("pid", int_type(), Role::kId));
  parent->columns.back().primary = true;
  parent->columns.push_back(make_column("seg", simple_type(Kind::kText), Role::kDimension));
  parent->columns.push_back(make_column("tier", int_type(), Role::kDimension));
  parent->columns.push_back(make_column("weight", int_type(), Role::kSmall));
  if (r.chance(50)) parent->columns.push_back(make_column("label", simple_type(Kind::kText), Role::kLabel));
  if (r.chance(30)) parent->columns.push_back(make_column("since", simple_type(Kind::kDate), Role::kDay));

  auto fact = std::make_shared<TableDef>();
  fact->name = "f";
  fact->columns.push_back(make_column("id", int_type(), Role::kId));
  fact->columns.back().primary = true;
  fact->columns.push_back(make_column("pref", int_type(), Role::kForeign));
  if (wishes.references && r.chance(70)) fact->columns.back().references = "p";
  fact->columns.back().not_null = r.chance(30);
  std::vector<Column> rest = {make_column(kNames[0], simple_type(Kind::kText), Role::kDimension), make_column(kNames[1], int_type(), Role::kDimension),
                              make_column(kNames[5], int_type(), Role::kSmall), make_column(kNames[6], int_type(), Role::kHuge),
                              make_column(kNames[7], int_type(), Role::kGrowing)};
  if (r.chance(50)) rest.push_back(make_column(kNames[2], simple_type(Kind::kText), Role::kDimension));
  if (r.chance(50)) rest.push_back(make_column(kNames[3], simple_type(Kind::kDate), Role::kDay));
  if (r.chance(40)) rest.push_back(make_column(kNames[4], simple_type(Kind::kBool), Role::kFlag));
  if (r.chance(70)) rest.push_back(make_column(kNames[8], r.chance(50) ? dec_type(12, 2) : dec_type(18, 4), Role::kMoney));
  if (wishes.reals && r.chance(60)) rest.push_back(make_column(kNames[9], simple_type(Kind::kDbl), Role::kReal));
  if (r.chance(40)) rest.push_back(make_column(kNames[10], simple_type(Kind::kText), Role::kLabel));
  while (!rest.empty()) {
    const size_t i = r.below(rest.size());
    rest[i].not_null = r.chance(20);
    rest[i].unique = rest[i].role == Role::kLabel && r.chance(30);
    fact->columns.push_back(rest[i]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {parent, fact};
}

Schema ledger_schema(bool references) {
  auto customers = std::make_shared<TableDef>();
  auto invoices = std::make_shared<TableDef>();
  customers->name = "customers";
  invoices->name = "invoices";
  const auto add = [](TableDef& t, const char* name, const Type& type, Role role) {
    t.columns.push_back(make_column(name, type, role));
    t.columns.back().not_null = true;
    t.columns.back().primary = role == Role::kId;
  };
  const Type text = simple_type(Kind::kText);
  add(*customers, "customer_id", int_type(), Role::kId);
  add(*customers, "name", text, Role::kLabel);
  add(*customers, "segment", text, Role::kDimension);
  add(*customers, "signup_cohort", text, Role::kDimension);
  add(*customers, "country", text, Role::kDimension);
  add(*invoices, "invoice_id", int_type(), Role::kId);
  add(*invoices, "customer_id", int_type(), Role::kForeign);
  if (references) invoices->columns.back().references = "customers";
  for (const char* name : {"region", "status", "month"}) add(*invoices, name, text, Role::kDimension);
  for (const char* name : {"amount_cents", "tax_cents", "balance_cents", "due_day"}) add(*invoices, name, int_type(), Role::kSmall);
  return {customers, invoices};
}

Value random_value(Random& r, const Column& column, bool growing) {
  if (!column.not_null && !column.primary && r.chance(12)) return Value{};
  switch (column.role) {
    case Role::kDimension:
      if (column.type.kind == Kind::kText)
        return make_text(growing && r.chance(5) ? "new" + std::to_string(r.below(400)) : kWords[r.below(r.chance(70) ? 4 : kWords.size())]);
      return make_int(growing && r.chance(5) ? growing_value(r, true) : r.range(-1, 4));
    case Role::kHuge:
      return make_int(huge(r));
    case Role::kGrowing:
      return make_int(growing_value(r, growing));
    case Role::kMoney:
      return make_dec_checked(r.chance(80) ? r.range(-99999, 99999) : r.range(-99999999999, 99999999999), column.type.scale);
    case Role::kReal:
      return make_dbl(real(r));
    case Role::kDay:
      return make_date(r.range(18262, 18262 + (r.chance(50) ? 12 : 2500)));
    case Role::kLabel:
      return make_text("L" + std::to_string(r.below(column.unique ? 100000000 : 5000)));
    case Role::kFlag:
      return make_bool(r.chance(50));
    default:
      return make_int(r.range(-1000, 1000));
  }
}

Row random_row(Random& r, const TableDef& table, int64_t id, int64_t parents, bool growing) {
  Row row;
  for (const Column& c : table.columns) {
    if (c.role == Role::kId) {
      row.push_back(make_int(id));
    } else if (c.role == Role::kForeign) {
      row.push_back(!c.not_null && r.chance(8) ? Value{} : make_int(r.range(1, std::max<int64_t>(1, parents))));
    } else {
      row.push_back(random_value(r, c, growing));
    }
  }
  return row;
}

SummaryDef random_summary(Random& r, const TableDef& fact, const std::string& name) {
  SummaryDef s;
  s.name = name;
  s.table = fact.name;
  std::vector<int> dimensions = columns_of(fact, {Role::kDimension, Role::kForeign, Role::kFlag});
  const size_t wanted = 1 + r.below(std::min<size_t>(3, dimensions.size()));
  while (s.dimensions.size() < wanted) {
    const size_t i = r.below(dimensions.size());
    s.dimensions.push_back(dimensions[i]);
    dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (int c : columns_of(fact, {Role::kSmall, Role::kHuge, Role::kGrowing, Role::kMoney})) {
    if (r.chance(75)) s.measures.push_back(c);
  }
  if (s.measures.empty()) s.measures = columns_of(fact, {Role::kHuge, Role::kSmall});
  return s;
}

Statement query_statement(Query query) {
  Statement s;
  s.query = std::move(query);
  return s;
}

Statement control(Act act, const std::string& name) {
  Statement s;
  s.act = act;
  s.name = name;
  return s;
}

Statement create_table(std::shared_ptr<const TableDef> table) {
  Statement s;
  s.act = Act::kCreateTable;
  s.name = table->name;
  s.table = std::move(table);
  return s;
}

Statement create_summary(const SummaryDef& summary, std::shared_ptr<const TableDef> table) {
  Statement s;
  s.act = Act::kCreateSummary;
  s.name = summary.name;
  s.summary = summary;
  s.table = std::move(table);
  return s;
}

Statement insert_rows(std::shared_ptr<const TableDef> table, std::vector<Row> rows) {
  Statement s;
  s.act = Act::kInsert;
  s.name = table->name;
  s.table = std::move(table);
  s.rows = std::move(rows);
  return s;
}

namespace {

const Table& rows_of(const State& state, const TableDef& t) { return *state.tables.at(t.name); }

int64_t some_id(Random& r, const Table& table) {
  if (table.rows.empty() || r.chance(5)) return r.range(1, 1000);
  const Row& row = *table.rows[r.below(table.rows.size())];
  return static_cast<int64_t>(row[static_cast<size_t>(table.definition->primary())].n);
}

int64_t fresh_id(Random& r, const Table& table) {
  const auto key = static_cast<size_t>(table.definition->primary());
  Wide top = 0;
  for (const RowPtr& row : table.rows) top = std::max(top, (*row)[key].n);
  return static_cast<int64_t>(top) + 1 + (r.chance(10) ? r.range(1, 5) : 0);
}

// Which rows a change hits: mostly one key or a few, now and then a group or all.
ExprPtr target(Random& r, const TableDef& t, const Table& table) {
  const ExprPtr key = column_of(t, t.primary());
  const uint64_t kind = r.below(20);
  if (kind < 9) return binary(Op::kEq, key, literal(some_id(r, table)));
  if (kind < 12) {
    const int64_t low = some_id(r, table);
    return many(Op::kBetween, {key, literal(low), literal(low + r.range(0, 6))});
  }
  if (kind == 19 && r.chance(30)) return nullptr;
  Relation only;
  only.table = &t;
  return random_predicate(r, {only}, 1);
}

ExprPtr new_value(Random& r, const TableDef& t, int c, int64_t parents) {
  const Column& column = t.columns[static_cast<size_t>(c)];
  const ExprPtr self = column_of(t, c);
  if (column.role == Role::kForeign) {
    return literal(make_int(r.range(1, std::max<int64_t>(1, parents + (r.chance(4) ? 5 : 0)))), column.type);
  }
  const bool integer = column.type.kind == Kind::kInt && column.role != Role::kDimension;
  if (integer && r.chance(25)) return binary(r.chance(50) ? Op::kAdd : Op::kSubtract, self, literal(r.range(1, 40)));
  if (column.role == Role::kSmall && r.chance(10)) return unary(Op::kNegate, self);
  if (column.role == Role::kHuge && r.chance(20)) return binary(Op::kSubtract, self, literal(huge(r) / 4));
  return literal(random_value(r, column, true), column.type);
}

Statement random_insert(Random& r, std::shared_ptr<const TableDef> def, const Table& table, int64_t parents) {
  std::vector<Row> rows;
  int64_t id = fresh_id(r, table);
  const size_t count = r.chance(60) ? 1 : 1 + r.below(8);
  for (size_t i = 0; i < count; ++i) {
    rows.push_back(random_row(r, *def, id++, parents, true));
    if (r.chance(6)) rows.back()[static_cast<size_t>(def->primary())] = make_int(some_id(r, table));  // often a duplicate key
    if (r.chance(3)) rows.back()[r.below(rows.back().size())] = Value{};                              // often NOT NULL
  }
  return insert_rows(std::move(def), std::move(rows));
}

// INSERT INTO f SELECT id + k, ... FROM f WHERE ...: now and then k is too small and a key collides half-way.
Statement random_insert_select(Random& r, std::shared_ptr<const TableDef> def, const Table& table) {
  Statement s;
  s.act = Act::kInsertSelect;
  s.name = def->name;
  s.table = def;
  Relation only;
  only.table = def.get();
  only.alias = "r0";
  s.query.from = {only};
  const int64_t shift = r.chance(80) ? fresh_id(r, table) : r.range(1, 5);
  for (size_t c = 0; c < def->columns.size(); ++c) {
    ExprPtr e = column(s.query.from, 0, static_cast<int>(c));
    const Column& column = def->columns[c];
    if (column.primary) e = binary(Op::kAdd, e, literal(shift));
    if (column.unique) e = literal(Value{}, column.type);
    s.query.outputs.push_back(e);
  }
  const int64_t low = some_id(r, table);
  s.query.where = many(Op::kBetween, {column(s.query.from, 0, def->primary()), literal(low), literal(low + r.range(0, 12))});
  return s;
}

Statement random_update(Random& r, std::shared_ptr<const TableDef> def, const Table& table, int64_t parents, const Wishes& wishes) {
  Statement s;
  s.act = Act::kUpdate;
  s.name = def->name;
  s.table = def;
  s.where = target(r, *def, table);
  const bool one = s.where && s.where->op == Op::kEq && s.where->kids[0]->column == def->primary();
  std::vector<int> columns;
  for (size_t c = 0; c < def->columns.size(); ++c) {
    if (!def->columns[c].primary && !(def->columns[c].unique && !one)) columns.push_back(static_cast<int>(c));
  }
  const size_t count = r.chance(60) ? 1 : 2;
  for (size_t i = 0; i < count && !columns.empty(); ++i) {
    const size_t at = r.below(columns.size());
    s.settings.emplace_back(columns[at], new_value(r, *def, columns[at], parents));
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (r.chance(12)) {  // a key moves
    const int key = def->primary();
    if (one) {
      s.settings = {{key, literal(r.chance(70) ? fresh_id(r, table) : some_id(r, table))}};
    } else if (!wishes.sqlite && def->name == "f") {  // SQLite checks keys row by row
      s.settings = {{key, binary(Op::kAdd, column_of(*def, key), literal(r.range(1, 2)))}};
    }
  }
  return s;
}

}  // namespace

Statement random_change(Random& r, const Schema& schema, const State& state, const Wishes& wishes) {
  const bool on_parent = r.chance(22);
  const std::shared_ptr<const TableDef>& def = on_parent ? schema.parent : schema.fact;
  const Table& table = rows_of(state, *def);
  const auto parents = static_cast<int64_t>(rows_of(state, *schema.parent).rows.size());
  const uint64_t kind = r.below(100);
  if (kind < 38 || table.rows.empty()) return random_insert(r, def, table, parents);
  if (kind < 43 && !on_parent && table.rows.size() < 30000) return random_insert_select(r, def, table);
  if (kind < 75) return random_update(r, def, table, parents, wishes);
  Statement s;
  s.act = Act::kDelete;
  s.name = def->name;
  s.table = def;
  s.where = target(r, *def, table);
  return s;
}

Statement chop_extreme(Random& r, const TableDef& t, const State& state, int column) {
  const Table& table = rows_of(state, t);
  const bool top = r.chance(70);
  Value extreme;
  for (const RowPtr& row : table.rows) {
    const Value& v = (*row)[static_cast<size_t>(column)];
    if (v.is_null()) continue;
    if (extreme.is_null() || (top ? compare(v, extreme) > 0 : compare(v, extreme) < 0)) extreme = v;
  }
  Statement s;
  s.act = Act::kDelete;
  s.name = t.name;
  s.table = table.definition;
  s.where = binary(Op::kEq, column_of(t, column), literal(extreme, t.columns[static_cast<size_t>(column)].type));
  return s;
}

}  // namespace model
