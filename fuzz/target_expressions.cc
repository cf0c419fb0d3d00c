// Expressions against the executable model: every row's value by the engine's vectors, and by a slow walk over the same tree.
#include "model/evaluate.h"
#include "model/print.h"
#include "properties/laws.h"
#include "targets.h"

namespace judge {

namespace {

using model::ExprPtr;
using model::Op;
using model::Role;

ExprPtr number(model::Random& r, const std::vector<model::Relation>& from, int depth) {
  if (depth == 0 || r.chance(15)) {
    const std::vector<int> columns = model::columns_of(*from[0].table, {Role::kId, Role::kSmall, Role::kSmall, Role::kHuge, Role::kGrowing, Role::kMoney, Role::kForeign});
    if (r.chance(75)) return model::column(from, 0, columns[r.below(columns.size())]);
    return model::literal(r.chance(80) ? r.range(-9, 9) : static_cast<int64_t>(r.next()));
  }
  const ExprPtr a = number(r, from, depth - 1);
  switch (r.below(9)) {
    case 0:
      return model::unary(Op::kNegate, a);
    case 1: {
      const ExprPtr b = number(r, from, depth - 1);
      if (b->type.scale != a->type.scale || b->type.kind != a->type.kind) return model::many(Op::kCoalesce, {a, a});
      return model::many(Op::kCase, {model::random_predicate(r, from, 1), a, b});
    }
    case 2:
      return model::many(Op::kCoalesce, {a, model::literal(r.range(-3, 3))});
    case 3:
      return model::many(Op::kNullIf, {a, a});
    case 4:
      return model::cast(a, model::int_type());
    default: {
      static const std::vector<Op> kOps = {Op::kAdd, Op::kSubtract, Op::kMultiply, Op::kAdd, Op::kDivide, Op::kModulo};
      const Op op = r.pick(kOps);
      const ExprPtr b = number(r, from, depth - 1);
      // Remainders and quotients of integers; DECIMAL division has its own scale, which a test of one value shows better.
      if ((op == Op::kDivide || op == Op::kModulo) && (a->type.kind != model::Kind::kInt || b->type.kind != model::Kind::kInt)) return model::binary(Op::kSubtract, a, b);
      return model::binary(op, a, b);
    }
  }
}

void one(Connection& c, const World& w, const std::vector<model::Relation>& from, const ExprPtr& e) {
  model::Query q;
  q.from = from;
  q.outputs = {model::column(from, 0, w.schema.fact->primary()), e};
  const std::string sql = model::print(q);
  if (History::trace) std::fprintf(stderr, "%s;\n", sql.c_str());
  model::Outcome want;
  want.ending = model::Ending::kRows;
  want.result.types = {model::int_type(), e->type};
  for (const model::Row& row : w.facts) {
    try {
      want.result.rows.push_back({row[static_cast<size_t>(w.schema.fact->primary())], model::evaluate(*e, {&row})});
    } catch (const model::Fault& f) {
      want.states.insert(f.state);
    }
  }
  if (!want.states.empty()) want.ending = model::Ending::kError, want.result.rows.clear();
  const Reply got = c.run(sql);
  // Whether a row of an AND or a CASE is reached may be open; which error it is, is not.
  if (!want.states.empty() && got.ok) return;
  const std::string text = difference(want, got);
  require(text.empty(), "F11: " + text + "\n  " + sql);
}

}  // namespace

void fuzz_expressions(const uint8_t* data, size_t size, Tally& tally) {
  model::Random r(data, size);
  World w = random_world(r, 3, r.range(1, 9));
  Engine engine;
  const auto c = engine.connection();
  create(*c, w);
  insert(*c, w.schema.parent, w.parents, 10);
  insert(*c, w.schema.fact, w.facts, 10);
  model::Relation only;
  only.table = w.schema.fact.get();
  only.alias = "r0";
  const std::vector<model::Relation> from = {only};
  for (int i = 0; i < 10; ++i) {
    one(*c, w, from, r.chance(50) ? number(r, from, 3) : model::random_predicate(r, from, 3));
    ++tally.statements;
  }
}

}  // namespace judge
