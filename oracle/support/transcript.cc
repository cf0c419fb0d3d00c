#include "transcript.h"

namespace judge {

using model::Act;

namespace {

int first_of(const model::TableDef& table, std::initializer_list<model::Role> roles) {
  const std::vector<int> columns = model::columns_of(table, roles);
  return columns.empty() ? -1 : columns[0];
}
std::string text_of(const model::Value& v) { return v.is_null() ? std::string("NULL") : "=" + model::to_text(v); }
std::string text_of(const Cell& c) { return c.null ? std::string("NULL") : "=" + c.text; }

}  // namespace

Transcript::Transcript(FILE* out, uint64_t name, const model::Schema& schema) : out_(out), schema_(schema) {
  id_ = schema.fact->primary();
  parent_id_ = schema.parent->primary();
  group_ = first_of(*schema.fact, {model::Role::kDimension});
  key_ = first_of(*schema.fact, {model::Role::kForeign});
  measure_ = first_of(*schema.fact, {model::Role::kHuge});
  attribute_ = first_of(*schema.parent, {model::Role::kDimension});
  std::fprintf(out_, "history %llu\n", static_cast<unsigned long long>(name));
}

std::string Transcript::number(char kind, const std::string& text) const {
  if (kind == 'k' && text == "NULL") return "0";
  return std::to_string(numbers_.emplace(kind + text, numbers_.size() + 1).first->second);
}

std::map<std::string, Transcript::Contribution> Transcript::contributions(const model::Session& session) const {
  std::map<std::string, Contribution> out;
  const auto& tables = session.view().tables;
  const auto fact = tables.find(schema_.fact->name);
  if (fact == tables.end()) return out;
  const auto at = [](const model::Row& row, int column) -> const model::Value& { return row[static_cast<size_t>(column)]; };
  for (const auto& shared : fact->second->rows) {
    const model::Row& row = *shared;
    const model::Value& m = at(row, measure_);
    out[model::to_text(at(row, id_))] = {number('g', text_of(at(row, group_))), number('k', text_of(at(row, key_))), m.is_null() ? "0" : "1",
                                         m.is_null() ? "0" : model::to_text(m)};
  }
  return out;
}

void Transcript::before(const model::Session& session, const model::Statement& s) {
  inside_ = session.in_transaction();
  newer_ = 0;
  const auto& points = session.savepoints();
  while (newer_ < points.size() && points[points.size() - 1 - newer_].first != s.name) ++newer_;
}

void Transcript::after(const model::Session& session, const model::Statement& s) {
  auto rows = contributions(session);
  switch (s.act) {
    case Act::kBegin: std::fputs("begin\n", out_); break;
    case Act::kCommit: std::fputs("commit\n", out_); break;
    case Act::kRollback: std::fputs("rollback\n", out_); break;
    case Act::kSavepoint: std::fputs("savepoint\n", out_); break;
    case Act::kRollbackTo: std::fprintf(out_, "rollback_to %zu\n", newer_); break;
    case Act::kRelease: std::fprintf(out_, "release %zu\n", newer_); break;
    default:
      if (!inside_) std::fputs("begin\n", out_);
      for (const auto& [id, was] : rows_) {
        if (rows.find(id) == rows.end()) std::fprintf(out_, "delete %s\n", id.c_str());
      }
      for (const auto& [id, is] : rows) {
        const auto was = rows_.find(id);
        if (was != rows_.end() && was->second == is) continue;
        std::fprintf(out_, "%s %s %s %s %s %s\n", was == rows_.end() ? "insert" : "update", id.c_str(), is[0].c_str(), is[1].c_str(), is[2].c_str(), is[3].c_str());
      }
      if (!inside_) std::fputs("commit\n", out_);
  }
  rows_ = std::move(rows);
}

void Transcript::reader(Act act) { std::fputs(act == Act::kBegin ? "snapshot\n" : "close\n", out_); }

void Transcript::cells(const char* kind, char numbered, Peer& peer, const std::string& head, const std::string& sql) {
  const Reply reply = peer.run(sql);
  if (!reply.ok) throw Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + sql};
  std::fprintf(out_, "%s %s %zu\n", kind, head.c_str(), reply.rows.size());
  for (const auto& row : reply.rows) {
    std::fprintf(out_, "%s %s %s %s\n", number(numbered, text_of(row[0])).c_str(), row[1].text.c_str(), row[2].text.c_str(), row[3].null ? "0" : row[3].text.c_str());
  }
}

void Transcript::answers(const char* who, Peer& peer, const model::Session& session) {
  const auto& fact = *schema_.fact;
  const auto& parent = *schema_.parent;
  const auto name = [](const model::TableDef& table, int column) { return table.columns[static_cast<size_t>(column)].name; };
  const std::string m = "x." + name(fact, measure_), totals = ", COUNT(*), COUNT(" + m + "), sum_exact(" + m + ") FROM " + fact.name + " x";
  const std::string g = "x." + name(fact, group_), k = "x." + name(fact, key_), a = "y." + name(parent, attribute_);
  cells("cells", 'g', peer, who, "SELECT " + g + totals + " GROUP BY " + g);
  cells("keys", 'k', peer, who, "SELECT " + k + totals + " GROUP BY " + k);
  const auto& tables = session.view().tables;
  const auto parents = tables.find(parent.name);
  const std::string join = "SELECT " + a + totals + " JOIN " + parent.name + " y ON " + k + " = y." + name(parent, parent_id_) + " GROUP BY " + a;
  const Reply reply = peer.run(join);
  if (!reply.ok) throw Failure{"wrong-result", reply.state + " " + reply.message + "\n  " + join};
  std::fprintf(out_, "join %s %zu %zu\n", who, parents->second->rows.size(), reply.rows.size());
  for (const auto& shared : parents->second->rows) {
    const model::Row& row = *shared;
    std::fprintf(out_, "%s %s\n", number('k', text_of(row[static_cast<size_t>(parent_id_)])).c_str(), number('a', text_of(row[static_cast<size_t>(attribute_)])).c_str());
  }
  for (const auto& row : reply.rows) {
    std::fprintf(out_, "%s %s %s %s\n", number('a', text_of(row[0])).c_str(), row[1].text.c_str(), row[2].text.c_str(), row[3].null ? "0" : row[3].text.c_str());
  }
}

}  // namespace judge
