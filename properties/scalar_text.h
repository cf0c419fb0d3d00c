// properties/scalar_text.h: random expressions as trees of SQL text, over the whole grammar of expressions.
//
// What:       a node is text with holes for its operands, and a type; ScalarText makes one of a wanted type from the columns that it is
//             told. No judge can evaluate it: it is for laws that compare the engine with itself (identity_laws). Everything stands
//             in parentheses, so that a node may take the place of any other of its type: that is how the shrinker works.
// Invariants: ST1 no expression fails by its types; few fail by their values (small operands, divisors that are not zero).
// Callers:    properties/identity_laws, properties/experiment. One thread.
// Held by:    identity_laws (an error that is not of class 22 fails the case, and at most a tenth may be of class 22)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/random.h"

namespace judge {

struct Node;
using NodePtr = std::shared_ptr<const Node>;
// Types by letter: b BOOLEAN, i BIGINT of small values, h BIGINT of any, m DECIMAL, x DOUBLE, t TEXT, d DATE.
struct Node {
  char type = 'b';
  std::vector<std::string> text;  // one piece more than kids
  std::vector<NodePtr> kids;
};
std::string print(const Node& node);
size_t size_of(const Node& node);

struct TextColumn {
  std::string name;
  char type;
};

class ScalarText {
 public:
  ScalarText(model::Random& random, std::vector<TextColumn> columns) : random_(random), columns_(std::move(columns)) {}
  NodePtr make(char type, int depth);
  static NodePtr leaf(char type, std::string text);

 private:
  NodePtr boolean(int depth);
  NodePtr comparison(int depth);
  NodePtr small(int depth);
  NodePtr decimal(int depth);
  NodePtr real(int depth);
  NodePtr text(int depth);
  NodePtr date(int depth);
  NodePtr chosen(char type, int depth);  // CASE, COALESCE and the like, of any type
  NodePtr end(char type);                // a column or a literal
  std::string literal(char type);
  NodePtr node(char type, const std::string& pattern, std::vector<NodePtr> kids);

  model::Random& random_;
  const std::vector<TextColumn> columns_;
};

// Every tree with one node replaced by an operand of its type or by a literal, smaller ones first.
std::vector<NodePtr> simpler(const NodePtr& node);

}  // namespace judge
