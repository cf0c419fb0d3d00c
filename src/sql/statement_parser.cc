// Which statement it is; transactions, EXPLAIN, SHOW, SET.
#include "sql/parser_state.h"

namespace hdb::sql {

Statement* Parser::statement() {
  switch (at(TokenKind::kWord) ? peek().keyword : Keyword::kNone) {
    case Keyword::kSELECT: case Keyword::kVALUES: case Keyword::kWITH: return query_statement();
    case Keyword::kINSERT: return insert_statement();
    case Keyword::kUPDATE: return update_statement();
    case Keyword::kDELETE: return delete_statement();
    case Keyword::kTRUNCATE: return truncate_statement();
    case Keyword::kCREATE: return create_statement();
    case Keyword::kDROP: return drop_statement();
    case Keyword::kBEGIN: case Keyword::kSTART: return begin_statement();
    case Keyword::kCOMMIT: case Keyword::kEND: return commit_statement();
    case Keyword::kROLLBACK: return rollback_statement();
    case Keyword::kSAVEPOINT: return savepoint_statement();
    case Keyword::kRELEASE: return release_statement();
    case Keyword::kEXPLAIN: return explain_statement();
    case Keyword::kSHOW: return show_statement();
    case Keyword::kSET: return set_statement();
    default: break;
  }
  if (Statement* made = file_statement(); made != nullptr) return made;
  unknown_statement();
}

// CHECKPOINT, CHECK DATABASE, BACKUP TO 'path', RESTORE TO name: their words are names elsewhere.
Statement* Parser::file_statement() {
  const bool check = at(Keyword::kCHECK), checkpoint = word_is(peek(), "checkpoint"), backup = word_is(peek(), "backup"), restore = word_is(peek(), "restore");
  if (!check && !checkpoint && !backup && !restore) return nullptr;
  FileStatement* made = make<FileStatement>(advance().begin);
  if (check) {
    made->action = FileAction::kCheck;
    if (!word_is(peek(), "database")) note("DATABASE"), syntax_error();
    advance();
  } else if (backup) {
    made->action = FileAction::kBackup;
    expect(Keyword::kTO);
    if (!at(TokenKind::kString)) note("a path in quotes"), syntax_error();
    made->path = string_value(advance());
  } else if (restore) {
    made->action = FileAction::kRestore;
    expect(Keyword::kTO);
    made->name = name("a restore point");
  }
  return finish(made);
}

// Behind CREATE or DROP, at RESTORE.
Statement* Parser::restore_point(uint32_t begin, FileAction action) {
  advance();
  if (!word_is(peek(), "point")) note("POINT"), syntax_error();
  advance();
  FileStatement* made = make<FileStatement>(begin);
  made->action = action;
  made->name = name("a restore point");
  return finish(made);
}

void Parser::unknown_statement() {
  if (at(TokenKind::kOpen)) unsupported("a query in parentheses is");
  for (const Keyword later : {Keyword::kALTER, Keyword::kANALYZE, Keyword::kATTACH, Keyword::kCOPY, Keyword::kDETACH, Keyword::kGRANT,
                              Keyword::kMERGE, Keyword::kPRAGMA, Keyword::kREPLACE, Keyword::kREVOKE, Keyword::kVACUUM}) {
    if (at(later)) unsupported(std::string(keyword_text(later)) + " is");
  }
  for (const Keyword known : {Keyword::kSELECT, Keyword::kVALUES, Keyword::kINSERT, Keyword::kUPDATE, Keyword::kDELETE, Keyword::kTRUNCATE,
                              Keyword::kCREATE, Keyword::kDROP, Keyword::kBEGIN, Keyword::kCOMMIT, Keyword::kROLLBACK,
                              Keyword::kSAVEPOINT, Keyword::kRELEASE, Keyword::kEXPLAIN, Keyword::kSHOW, Keyword::kSET}) {
    note(keyword_text(known));
  }
  for (const char* word : {"CHECKPOINT", "CHECK", "BACKUP", "RESTORE"}) note(word);
  syntax_error();
}

Statement* Parser::query_statement() {
  SelectStatement* made = make<SelectStatement>(peek().begin);
  made->query = query();
  return finish(made);
}

Statement* Parser::begin_statement() {
  const Token word = advance();
  BeginStatement* made = make<BeginStatement>(word.begin);
  if (word.keyword == Keyword::kSTART) {
    expect(Keyword::kTRANSACTION);
  } else {
    if (at(Keyword::kIMMEDIATE) || at(Keyword::kEXCLUSIVE)) unsupported("BEGIN " + std::string(keyword_text(peek().keyword)) + " is");
    if (at(Keyword::kDEFERRED)) advance();  // what BEGIN is anyway
    if (!accept(Keyword::kTRANSACTION)) accept(Keyword::kWORK);
  }
  transaction_modes(made);
  return finish(made);
}

// Every isolation level is served by a stronger one: serializable where the transaction writes, one snapshot where it reads.
void Parser::transaction_modes(BeginStatement* begin) {
  bool more = accept(Keyword::kISOLATION) || at(Keyword::kREAD);
  while (more) {
    if (at(Keyword::kREAD)) {
      advance();
      begin->read_only = accept(Keyword::kONLY);
      if (!begin->read_only) expect(Keyword::kWRITE);
    } else {
      expect(Keyword::kLEVEL);
      if (word_is(peek(), "serializable")) {
        advance();
      } else if (word_is(peek(), "repeatable")) {
        advance();
        expect(Keyword::kREAD);
      } else {
        expect(Keyword::kREAD);
        if (!word_is(peek(), "committed") && !word_is(peek(), "uncommitted")) note("COMMITTED"), syntax_error();
        advance();
      }
    }
    const bool comma = accept(TokenKind::kComma);
    more = accept(Keyword::kISOLATION) || at(Keyword::kREAD);
    if (comma && !more) note(keyword_text(Keyword::kREAD)), syntax_error();
  }
}

Statement* Parser::commit_statement() {
  CommitStatement* made = make<CommitStatement>(advance().begin);
  if (!accept(Keyword::kTRANSACTION)) accept(Keyword::kWORK);
  return finish(made);
}

Statement* Parser::rollback_statement() {
  const uint32_t begin = advance().begin;
  if (!accept(Keyword::kTRANSACTION)) accept(Keyword::kWORK);
  if (accept(Keyword::kTO)) {
    RollbackToStatement* made = make<RollbackToStatement>(begin);
    if (at(Keyword::kSAVEPOINT)) advance();
    made->name = name("a savepoint name");
    return finish(made);
  }
  return finish(make<RollbackStatement>(begin));
}

Statement* Parser::savepoint_statement() {
  SavepointStatement* made = make<SavepointStatement>(advance().begin);
  made->name = name("a savepoint name");
  return finish(made);
}

Statement* Parser::release_statement() {
  ReleaseStatement* made = make<ReleaseStatement>(advance().begin);
  if (at(Keyword::kSAVEPOINT)) advance();
  made->name = name("a savepoint name");
  return finish(made);
}

// The value of an option of EXPLAIN: absent, TRUE, ON, FALSE, OFF.
bool Parser::option_is_on() {
  if (at(TokenKind::kComma) || at(TokenKind::kClose)) return true;
  if (accept(Keyword::kTRUE) || accept(Keyword::kON)) return true;
  if (accept(Keyword::kFALSE)) return false;
  note("OFF");
  if (!word_is(peek(), "off")) syntax_error();
  advance();
  return false;
}

Statement* Parser::explain_statement() {
  ExplainStatement* made = make<ExplainStatement>(advance().begin);
  if (at(TokenKind::kOpen) && !second_at(Keyword::kSELECT) && !second_at(Keyword::kVALUES) && !second_at(Keyword::kWITH)) {
    advance();
    do {
      if (accept(Keyword::kANALYZE)) {
        made->analyze = option_is_on();
      } else {
        expect(Keyword::kFORMAT);
        made->json = accept(Keyword::kJSON);
        if (!made->json) expect(Keyword::kTEXT);
      }
    } while (accept(TokenKind::kComma));
    expect(TokenKind::kClose);
  } else {
    made->analyze = accept(Keyword::kANALYZE);
  }
  for (const Keyword known : {Keyword::kSELECT, Keyword::kVALUES, Keyword::kINSERT, Keyword::kUPDATE, Keyword::kDELETE}) {
    if (at(known)) {
      made->statement = statement();
      return finish(made);
    }
    note(keyword_text(known));
  }
  if (at(Keyword::kWITH) || at(TokenKind::kOpen)) statement();  // says that it is not supported
  syntax_error();
}

Statement* Parser::show_statement() {
  ShowStatement* made = make<ShowStatement>(advance().begin);
  if (accept(Keyword::kTABLES)) {
    made->show = ShowKind::kTables;
  } else if (accept(Keyword::kALL)) {
    made->show = ShowKind::kAll;
  } else if (accept(Keyword::kCOLUMNS)) {
    made->show = ShowKind::kColumns;
    expect(Keyword::kFROM);
    made->name = name("a table name");
  } else if (word_is(peek(), "restore") && word_is(peek_second(), "points")) {
    advance();
    advance();
    made->show = ShowKind::kRestorePoints;
  } else if (accept(Keyword::kCREATE)) {
    made->show = ShowKind::kCreateTable;
    expect(Keyword::kTABLE);
    made->name = name("a table name");
  } else if (accept(Keyword::kINDEXES)) {
    made->show = ShowKind::kIndexes;
    if (accept(Keyword::kFROM)) made->name = name("a table name");
  } else {
    made->show = ShowKind::kSetting;
    made->name = name("a setting");
  }
  return finish(made);
}

Statement* Parser::set_statement() {
  SetStatement* made = make<SetStatement>(advance().begin);
  if (at(Keyword::kLOCAL) && peek_second().kind == TokenKind::kWord) unsupported("SET LOCAL is");
  if (at(Keyword::kSESSION) && peek_second().kind == TokenKind::kWord && !second_at(Keyword::kTO)) advance();
  if (at(Keyword::kTRANSACTION)) unsupported("SET TRANSACTION is");
  made->name = name("a setting");
  if (!accept(TokenKind::kEqual)) expect(Keyword::kTO);
  set_value(made);
  return finish(made);
}

void Parser::set_value(SetStatement* set) {
  if (accept(Keyword::kDEFAULT)) {
    set->is_default = true;
    set->value_span = {last_end_ - 7, last_end_};
    return;
  }
  const Token first = peek();
  const bool sign = at(TokenKind::kMinus) || at(TokenKind::kPlus);
  if (sign) advance();
  const bool number = at(TokenKind::kInteger) || at(TokenKind::kDecimal) || at(TokenKind::kDouble);
  if (!number && (sign || (!at(TokenKind::kWord) && !at(TokenKind::kQuotedWord) && !at(TokenKind::kString)))) {
    note(sign ? "a number" : "a word, a string, or a number");
    syntax_error();
  }
  const Token token = advance();
  set->value_span = {first.begin, token.end};
  if (token.kind == TokenKind::kString || token.kind == TokenKind::kQuotedWord) {
    set->value = string_value(token);
  } else if (number) {
    const bool minus = first.kind == TokenKind::kMinus;
    set->value = arena_.copy_text(minus ? "-" + std::string(text_of(token)) : std::string(text_of(token)));
  } else {
    set->value = arena_.copy_text(text_of(token));
  }
}

}  // namespace hdb::sql
