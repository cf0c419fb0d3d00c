// From text to a plan that may run now: parsing, the statement cache, binding, routing, and when to do it again.
#include "engine/connection.h"

#include "base/check.h"
#include "engine/ddl.h"
#include "engine/parameters.h"
#include "engine/show.h"
#include "plan/binder.h"
#include "plan/route.h"

namespace hdb {

namespace {

bool has_plan(sql::StatementKind kind) {
  switch (kind) {
    case sql::StatementKind::kSelect:
    case sql::StatementKind::kInsert:
    case sql::StatementKind::kUpdate:
    case sql::StatementKind::kDelete:
    case sql::StatementKind::kTruncate:
    case sql::StatementKind::kExplain: return true;
    default: return false;
  }
}

const sql::Statement& planned_statement(const Compiled& c) {
  const sql::Statement& root = *c.parsed.root;
  return root.kind == sql::StatementKind::kExplain ? *root.as<sql::ExplainStatement>().statement : root;
}

}  // namespace

// A snapshot to plan with: the open transaction's if it has one, else one of its own, so that preparing reads nothing in the transaction's name.
template <class F>
void Connection::with_snapshot(F&& f) {
  if (transaction_ && transaction_->has_snapshot()) {
    if (!transaction_->writing()) transaction_->note_catalog_read(&database_->catalog().last_change());
    return f(transaction_->snapshot());
  }
  Transaction own(database_->manager());
  f(own.snapshot());
  own.rollback();
}

std::shared_ptr<Compiled> Connection::parse(std::string_view text, const sql::Fingerprint* fingerprint) {
  auto c = std::make_shared<Compiled>();
  sql::ParseOptions options;
  if (fingerprint != nullptr) {
    options.literals = fingerprint->slots(c->arena);
    c->literals_taken = true;
    c->made_begin = fingerprint->begin_offset;
    for (const sql::ExtractedLiteral& l : fingerprint->literals) c->made_spans.push_back(l.slot.span);
  }
  c->parsed = sql::parse_one(text, c->arena, options);
  c->text.assign(text.substr(0, c->parsed.end_offset));
  return c;
}

void Connection::plan(Compiled& c, const Snapshot& snapshot, const ParameterTypes& given) {
  const sql::Statement& root = *c.parsed.root;
  Catalog& catalog = database_->catalog();
  c.commit = snapshot.commit;
  c.mark = catalog.mark(snapshot);
  c.routing = settings_.routing();
  c.given = given;
  c.plan = hdb::bind(planned_statement(c), c.text, catalog, snapshot, given);
  RouteSettings routing = settings_.route_settings();
  routing.snapshot = &snapshot;
  routing.explain = root.kind == sql::StatementKind::kExplain;
  route(c.plan, routing);
  c.planned = true;
}

// With literals as parameters where that is possible; what cannot be planned so is planned as it stands (sql/fingerprint.h, 4).
CompiledPtr Connection::compile(std::string_view text, const Snapshot& snapshot, const ParameterTypes& given, const sql::Fingerprint* fingerprint,
                                std::shared_ptr<Compiled> parsed) {
  if (fingerprint != nullptr) {
    try {
      auto c = parse(text, fingerprint);
      if (c->parsed.root != nullptr && c->parsed.literals_bound) {
        plan(*c, snapshot, given);
        if (!c->plan.literal_names) {
          cache_.put(fingerprint->key, fingerprint->hash, c);
          return c;
        }
      }
    } catch (const Error&) {
      // Planned as it stands: that error counts.
    }
  }
  auto c = parsed != nullptr ? std::move(parsed) : parse(text, nullptr);
  if (c->parsed.root != nullptr && has_plan(c->parsed.root->kind)) plan(*c, snapshot, given);
  return c;
}

bool Connection::current(const Compiled& c, const Snapshot& snapshot) const {
  return c.routing == settings_.routing() && sees_same_catalog(c, database_->catalog(), snapshot) && still_fits(c.plan, snapshot);
}

// The compiled form becomes the statement's; literals that it has as parameters get their values.
void Connection::adopt(Statement& statement, CompiledPtr compiled) {
  const size_t users = compiled->parsed.parameter_count;
  statement.user_parameters = static_cast<uint32_t>(users);
  const size_t literals = compiled->literals_taken ? fingerprint_.literals.size() : 0;
  statement.parameters.resize(users + literals);
  for (size_t i = 0; i < literals; ++i) set_literal(fingerprint_.literals[i], &statement.parameters[users + i]);
  if (compiled->literals_taken) statement.begin = fingerprint_.begin_offset;
  if (compiled->literals_taken) statement.literals = fingerprint_.literals;
  else statement.literals.clear();
  statement.compiled = std::move(compiled);
}

std::unique_ptr<Statement> Connection::prepare(std::string_view text, size_t base, size_t* end) {
  auto statement = std::make_unique<Statement>();
  statement->connection = shared_from_this();
  statement->base = base;
  try {
    const bool cacheable = fingerprint_.scan(text);
    CompiledPtr found = cacheable ? cache_.find(fingerprint_.key, fingerprint_.hash) : nullptr;
    std::shared_ptr<Compiled> parsed;
    if (!cacheable) {
      parsed = parse(text, nullptr);
      if (parsed->parsed.root == nullptr) {
        *end = parsed->parsed.end_offset;
        return nullptr;
      }
    }
    if (parsed != nullptr && !has_plan(parsed->parsed.root->kind)) {
      adopt(*statement, parsed);
    } else {
      with_snapshot([&](const Snapshot& snapshot) {
        if (found == nullptr || !current(*found, snapshot)) {
          // Types that were asked for once are kept: the same caller comes back with the same types.
          const ParameterTypes given = found != nullptr ? found->given : ParameterTypes();
          found = compile(text, snapshot, given, cacheable ? &fingerprint_ : nullptr, std::move(parsed));
        }
        adopt(*statement, found);
      });
    }
    *end = statement->compiled->literals_taken ? fingerprint_.end_offset : statement->compiled->parsed.end_offset;
    statement->text.assign(text.substr(0, *end));
    statement->kind = statement->compiled->parsed.root->kind;
    if (!statement->compiled->planned || statement->kind == sql::StatementKind::kExplain) statement->columns = show_columns(*statement->compiled->parsed.root);
  } catch (Error& error) {
    if (error.has_position()) error.set_position(error.position() + static_cast<int64_t>(base));
    throw;
  }
  return statement;
}

// False: the plan was bound for other types than the values have.
bool Connection::fit_parameters(Statement& s) {
  const std::vector<Type>& types = s.compiled->plan.parameters.types;
  s.converted.clear();
  for (size_t i = 0; i < s.parameters.size() && i < types.size(); ++i) {
    const Value& given = s.parameters[i];
    if (given.null || (given.type == types[i] && types[i].length == 0)) continue;
    Value value;
    Fit fit;
    try {
      fit = fit_parameter(given, types[i], &value);
    } catch (Error& error) {
      if (i >= s.user_parameters) error.set_position(s.literals[i - s.user_parameters].slot.span.begin);
      throw;
    }
    if (fit == Fit::kAsIs) continue;
    if (fit == Fit::kBindAgain) return false;
    if (s.converted.empty()) s.converted = s.parameters;
    s.converted[i] = std::move(value);
  }
  return true;
}

// The plan that the statement has may be old, or be for other types: then another one takes its place.
void Connection::ensure_plan(Statement& s, const Snapshot& snapshot) {
  const bool fresh = s.compiled->planned && current(*s.compiled, snapshot);
  if (fresh && fit_parameters(s)) return;
  ParameterTypes given = s.compiled->given;
  given.types.resize(s.user_parameters);
  if (fresh) {
    // A NULL keeps the type that it had; so the next value that is not NULL finds its plan.
    const std::vector<Type>& types = s.compiled->plan.parameters.types;
    for (size_t i = 0; i < s.user_parameters; ++i) {
      Value unused;
      if (fit_parameter(s.parameters[i], i < types.size() ? types[i] : Type::null(), &unused) == Fit::kBindAgain) given.types[i] = s.parameters[i].type;
    }
  }
  const bool cacheable = s.compiled->literals_taken && fingerprint_.scan(s.text);
  adopt(s, compile(s.text, snapshot, given, cacheable ? &fingerprint_ : nullptr, nullptr));
  if (!fit_parameters(s)) {
    // What the context asks for wins over what was given only where the value fits it; else the value's own type does.
    for (size_t i = 0; i < s.user_parameters; ++i) {
      if (!s.parameters[i].null) given.types[i] = s.parameters[i].type;
    }
    adopt(s, compile(s.text, snapshot, given, cacheable ? &fingerprint_ : nullptr, nullptr));
    if (fit_parameters(s)) return;
    for (size_t i = 0; i < s.user_parameters; ++i) {
      Value unused;
      const Type& wanted = s.compiled->plan.parameters.types[i];
      if (fit_parameter(s.parameters[i], wanted, &unused) != Fit::kBindAgain) continue;
      fail(sqlstate::kTypeMismatch, "parameter " + std::to_string(i + 1) + " is of type " + to_string(s.parameters[i].type) + " where " +
           to_string(wanted) + " is wanted");
    }
  }
}

}  // namespace hdb
