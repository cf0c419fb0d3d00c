#include "shell/csv_import.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "shell/commands.h"
#include "shell/csv_reader.h"
#include "shell/csv_types.h"
#include "shell/interrupt.h"
#include "shell/runner.h"
#include "shell/terminal.h"
#include "shell/utf8.h"

namespace hdb::shell {

namespace {

[[noreturn]] void refuse(const char* sqlstate, const std::string& sentence) { throw holodb::Error(HOLODB_ERROR, sqlstate, sentence); }

CsvColumnType type_of(const holodb::Statement& statement, int column) {
  switch (statement.column_type(column)) {
    case holodb::Type::kBigint: return {CsvType::kBigint, 0, 0};
    case holodb::Type::kDecimal: return {CsvType::kDecimal, statement.column_precision(column), statement.column_scale(column)};
    case holodb::Type::kDouble: return {CsvType::kDouble, 0, 0};
    case holodb::Type::kBoolean: return {CsvType::kBoolean, 0, 0};
    case holodb::Type::kDate: return {CsvType::kDate, 0, 0};
    case holodb::Type::kTimestamp: return {CsvType::kTimestamp, 0, 0};
    default: return {};
  }
}

// A column of the table, and the field that fills it.
struct Target {
  std::string name;
  CsvColumnType type;
  std::optional<size_t> field;  // none: the file has no such column, so it is NULL
};

// Gives the field to `put` as the C++ value of its type. check_value() has passed it.
template <class Put>
void put_value(const CsvField& field, const CsvColumnType& type, Put&& put) {
  int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  const std::string_view unsigned_text = field.text.starts_with('+') ? field.text.substr(1) : field.text;
  if (field.is_null()) return put(nullptr);
  switch (type.type) {
    case CsvType::kBigint: return parse_int64(field.text, &integer), put(integer);
    case CsvType::kDecimal: return put(holodb::Decimal{unsigned_text});
    case CsvType::kDouble: return parse_double(field.text, &real), put(real);
    case CsvType::kBoolean: return parse_boolean(field.text, &boolean), put(boolean);
    case CsvType::kTimestamp: return put(normal_timestamp(field.text));
    case CsvType::kDate:
    case CsvType::kText: break;
  }
  return put(field.text);
}

// What single lines can cause; anything else ends the import.
bool is_row_error(const holodb::Error& error) { return error.sqlstate().starts_with("22") || error.sqlstate().starts_with("23"); }

struct WrongGuess {};  // thrown while a table of guessed types is loaded

class Importer {
  static constexpr size_t kPartBytesMin = size_t{1} << 20;  // a smaller file is looked at by one thread
  static constexpr size_t kGuessBytes = size_t{1} << 16;    // types are guessed from so many; of a file of twice as many they are not

 public:
  Importer(holodb::Connection& connection, const ImportJob& job) : connection_(connection), job_(job), text_(read_file(job.file)) {}

  ImportReport run() {
    read_header();
    const bool nested = connection_.in_transaction();
    connection_.execute(nested ? "SAVEPOINT holodb_import" : "BEGIN");
    try {
      connection_.execute("SAVEPOINT holodb_import_table");
      match_columns();
      try {
        load();
      } catch (const WrongGuess&) {
        connection_.execute("ROLLBACK TO holodb_import_table");
        create_table(sniff());
        load();
      }
      report_.kept = report_.rejected == 0 || job_.skip_rejects;
      if (report_.kept) {
        connection_.execute(nested ? "RELEASE holodb_import" : "COMMIT");
      } else {
        undo(nested);
      }
    } catch (...) {
      try {
        undo(nested);
      } catch (const holodb::Error&) {
        // The first error is the one to tell; a transaction that has ended by itself needs no undoing.
      }
      throw;
    }
    return std::move(report_);
  }

 private:
  void load() {
    connection_.execute("SAVEPOINT holodb_import_rows");
    if (load_all()) return;
    connection_.execute("ROLLBACK TO holodb_import_rows");
    load_one_by_one();
  }

  void undo(bool nested) {
    if (nested) {
      connection_.execute("ROLLBACK TO holodb_import");
      connection_.execute("RELEASE holodb_import");
    } else if (connection_.in_transaction()) {
      connection_.execute("ROLLBACK");
    }
    report_.rows = 0;
  }

  void read_header() {
    CsvReader reader(text_);
    if (!reader.file_problem().empty()) refuse("22P02", job_.file + ": " + reader.file_problem());
    CsvRecord record;
    if (!reader.next(&record)) refuse("22P02", job_.file + ": the file holds empty lines only: a line must name the columns");
    if (!record.good()) {
      const std::string place = " line " + std::to_string(record.line) + ", column " + std::to_string(record.problem_field) + ": ";
      refuse("22P02", job_.file + place + record.problem);
    }
    for (const CsvField& field : record.fields) {
      std::string name(field.text);
      if (name.empty()) name = "column" + std::to_string(header_.size() + 1);
      for (const std::string& other : header_) {
        if (same_name(name, other)) refuse("42701", job_.file + ": the header names the column '" + name + "' twice");
      }
      header_.push_back(std::move(name));
    }
  }

  void match_columns() {
    try {
      const holodb::Statement statement = connection_.prepare("SELECT * FROM " + quote_identifier(job_.table) + " LIMIT 0");
      for (int i = 0; i < statement.column_count(); ++i) {
        targets_.push_back({std::string(statement.column_name(i)), type_of(statement, i), std::nullopt});
      }
    } catch (const holodb::Error& error) {
      if (error.sqlstate() != "42P01") throw;
      if (text_.size() <= 2 * kGuessBytes) return create_table(sniff());
      const std::vector<CsvSniffer> guess = sniff_beginning();
      create_table(guess);
      for (const CsvSniffer& first : guess) watches_.emplace_back(first);
      return;
    }
    for (size_t i = 0; i < header_.size(); ++i) {
      const auto found = std::find_if(targets_.begin(), targets_.end(), [&](const Target& one) { return same_name(one.name, header_[i]); });
      if (found == targets_.end()) {
        refuse("42703", "the header of " + job_.file + " names the column '" + header_[i] + "', which the table " + job_.table + " does not have");
      }
      found->field = i;
    }
  }

  void create_table(const std::vector<CsvSniffer>& sniffers) {
    watches_.clear();
    targets_.clear();
    std::string sql = "CREATE TABLE " + quote_identifier(job_.table) + "(";
    for (size_t i = 0; i < header_.size(); ++i) {
      const CsvColumnType type = sniffers[i].result();
      sql += (i > 0 ? ", " : "") + quote_identifier(header_[i]) + " " + type.sql();
      targets_.push_back({header_[i], type, i});
    }
    connection_.execute(sql + ")");
    report_.created = true;
  }

  // A record that the cut goes through is not good there.
  std::vector<CsvSniffer> sniff_beginning() {
    std::vector<CsvSniffer> sniffers(header_.size());
    const size_t end = text_.find('\n', kGuessBytes);
    const std::string_view beginning = std::string_view(text_).substr(0, end == std::string::npos ? end : end + 1);
    each_record(beginning, true, nullptr, [&](const CsvRecord& record) {
      for (size_t i = 0; record.good() && i < sniffers.size(); ++i) sniffers[i].add(record.fields[i]);
    });
    return sniffers;
  }

  // A file without quotes is cut at line ends, and its parts are looked at side by side; the result is the same.
  std::vector<CsvSniffer> sniff() {
    Progress progress("looking at types", text_.size());
    std::vector<CsvSniffer> sniffers(header_.size());
    const auto add = [&](const CsvRecord& record, std::vector<CsvSniffer>* to) {
      for (size_t i = 0; record.good() && i < to->size(); ++i) (*to)[i].add(record.fields[i]);
    };
    const size_t middle = text_.size() < kPartBytesMin || text_.find('"') != std::string::npos ? std::string::npos : text_.find('\n', text_.size() / 2);
    // What would be a byte order mark at the start of a text is none at the start of a part.
    const bool cut = middle != std::string::npos && std::thread::hardware_concurrency() > 1 && text_.compare(middle + 1, 1, "\xEF") != 0;
    if (!cut) {
      each_record(text_, true, &progress, [&](const CsvRecord& record) { add(record, &sniffers); });
      return sniffers;
    }
    const std::string_view whole = text_;
    std::vector<CsvSniffer> second(header_.size());
    std::exception_ptr failure;
    std::thread helper([&] {
      try {
        each_record(whole.substr(middle + 1), false, nullptr, [&](const CsvRecord& record) { add(record, &second); });
      } catch (...) {
        failure = std::current_exception();
      }
    });
    try {
      each_record(whole.substr(0, middle + 1), true, &progress, [&](const CsvRecord& record) { add(record, &sniffers); });
    } catch (...) {
      helper.join();
      throw;
    }
    helper.join();
    if (failure != nullptr) std::rethrow_exception(failure);
    for (size_t i = 0; i < sniffers.size(); ++i) sniffers[i].merge(second[i]);
    return sniffers;
  }

  template <class Visit>
  void each_record(Progress* progress, Visit&& visit) {
    each_record(text_, true, progress, std::forward<Visit>(visit));
  }
  template <class Visit>
  void each_record(std::string_view text, bool with_header, Progress* progress, Visit&& visit) {
    CsvReader reader(text);
    reader.expect_fields(header_.size());
    CsvRecord record;
    if (with_header) reader.next(&record);
    for (uint64_t count = 0; reader.next(&record); ++count) {
      visit(record);
      if (count % 1024 != 0) continue;
      if (progress != nullptr) progress->update(reader.offset());
      if (interrupt_requested()) throw holodb::Error(HOLODB_INTERRUPTED, "57014", "the import was interrupted");
    }
  }

  void reject(uint64_t line, std::string column, std::string reason) {
    if (report_.first_rejects.size() < ImportReport::kRejectsKept) {
      report_.first_rejects.push_back({line, std::move(column), std::move(reason)});
    }
    ++report_.rejected;
  }

  // False, and one reject, if the record is not a row of the table's types.
  bool check(const CsvRecord& record) {
    if (!record.good()) {
      const bool named = record.problem_field > 0 && record.problem_field <= header_.size();
      reject(record.line, named ? header_[record.problem_field - 1] : "", record.problem);
      return false;
    }
    for (size_t i = 0; i < targets_.size(); ++i) {
      const Target& target = targets_[i];
      plain_[i] = false;
      if (!target.field || record.fields[*target.field].is_null()) continue;
      const CsvField& field = record.fields[*target.field];
      const std::string_view text = field.text;
      if (target.type.type != CsvType::kText && parse_units(text, target.type, &units_[i])) {
        plain_[i] = true;
        if (!watches_.empty() && !watches_[i].holds_plain(field, units_[i])) throw WrongGuess();
        continue;
      }
      if (!watches_.empty() && !watches_[i].holds(field)) throw WrongGuess();
      if (target.type.type == CsvType::kText) continue;
      const std::string reason = check_value(text, target.type);
      if (reason.empty()) continue;
      reject(record.line, target.name, "'" + std::string(text.substr(0, 40)) + (text.size() > 40 ? "...' " : "' ") + reason);
      return false;
    }
    return true;
  }

  void start_pass() {
    units_.assign(targets_.size(), 0);
    plain_.assign(targets_.size(), 0);
    report_.rows = report_.rejected = 0;
    report_.first_rejects.clear();
  }

  // False: the table refused a row, and nothing of this pass is kept.
  bool load_all() {
    start_pass();
    Progress progress("importing", text_.size());
    std::optional<holodb::Appender> appender(connection_.appender(job_.table));
    try {
      each_record(&progress, [&](const CsvRecord& record) {
        if (!check(record)) {
          if (!job_.skip_rejects) appender.reset();  // nothing will be kept; go on only to list the rejects
          return;
        }
        if (!appender) return;
        for (size_t i = 0; i < targets_.size(); ++i) {
          const Target& target = targets_[i];
          if (plain_[i]) {
            appender->append(holodb::Units{units_[i]});
            continue;
          }
          const CsvField field = target.field ? record.fields[*target.field] : CsvField{};
          put_value(field, target.type, [&](const auto& value) { appender->append(value); });
        }
        appender->end_row();
        ++report_.rows;
      });
      if (appender) appender->close();
    } catch (const holodb::Error& error) {
      if (!is_row_error(error)) throw;
      return false;
    }
    return true;
  }

  void load_one_by_one() {
    start_pass();
    Progress progress("importing row by row", text_.size());
    std::string sql = "INSERT INTO " + quote_identifier(job_.table) + " VALUES (";
    for (size_t i = 0; i < targets_.size(); ++i) sql += (i > 0 ? ", CAST(? AS " : "CAST(? AS ") + targets_[i].type.sql() + ")";
    holodb::Statement insert = connection_.prepare(sql + ")");
    each_record(&progress, [&](const CsvRecord& record) {
      if (!check(record)) return;
      try {
        insert.reset();
        int index = 0;
        for (const Target& target : targets_) {
          const CsvField field = target.field ? record.fields[*target.field] : CsvField{};
          put_value(field, target.type, [&](const auto& value) { insert.bind(++index, value); });
        }
        while (insert.step()) {
        }
        ++report_.rows;
      } catch (const holodb::Error& error) {
        if (!is_row_error(error)) throw;
        reject(record.line, "", error.what());
      }
    });
  }

  holodb::Connection& connection_;
  const ImportJob& job_;
  const std::string text_;
  std::vector<std::string> header_;
  std::vector<Target> targets_;
  std::vector<CsvWatch> watches_;  // by target, where its type is a guess
  std::vector<int64_t> units_;  // of the record that check() saw last, by target, where it is plain_
  std::vector<char> plain_;
  ImportReport report_;
};

}  // namespace

ImportReport import_csv(holodb::Connection& connection, const ImportJob& job) { return Importer(connection, job).run(); }

}  // namespace hdb::shell
