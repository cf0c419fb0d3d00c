/* holodb.h: the C ABI of HoloDb, an embeddable SQL database that keeps its aggregates exact.
 *
 * What:    open a database, connect, prepare, bind, step, read columns; bulk-load through an appender.
 * Errors:  every function returns HOLODB_OK, HOLODB_ROW, HOLODB_DONE, or an error code below. After an error on a connection,
 *          its statements or its appender, holodb_sqlstate, holodb_errmsg and holodb_errpos describe it until the next call.
 * Threads: a connection (with its statements and appenders) belongs to one thread at a time; calls that overlap wait for each
 *          other, but for bind, column and errmsg, which belong to their statement's thread. Connections of one database work side
 *          by side. holodb_interrupt may be called from any thread.
 * Memory:  handles are freed by their close function only. A statement or appender that outlives its connection, and a
 *          connection that outlives its database, answer with SQLSTATE 08003 and must still be closed.
 *          Text that is returned is UTF-8, NUL-terminated and owned by the handle: a column's text is valid until the statement's next
 *          step, reset or finalize, a name until finalize, a message until the connection's next call.
 * Held by: src/engine/c_api_test.cc
 */
#ifndef HOLODB_H
#define HOLODB_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HOLODB_API __attribute__((visibility("default")))
#else
#define HOLODB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* major * 1,000,000 + minor * 1,000 + patch. holodb_open compares it with the library's and refuses another major.minor. */
#define HOLODB_VERSION 1000

/* Results. Everything but OK, ROW and DONE is an error. */
#define HOLODB_OK 0
#define HOLODB_ERROR 1            /* the statement failed: see holodb_sqlstate */
#define HOLODB_MISUSE 2           /* a NULL or closed handle, an index out of range, a call out of order */
#define HOLODB_NOMEM 3            /* 53200: the memory limit, or the system's memory, was reached */
#define HOLODB_INTERRUPTED 4      /* 57014 */
#define HOLODB_VERSION_MISMATCH 5 /* the program was built against another version of this header */
#define HOLODB_INTERNAL 6         /* XX000: a check inside of the engine failed */
#define HOLODB_ROW 100
#define HOLODB_DONE 101

/* Flags of holodb_open. */
#define HOLODB_OPEN_READONLY 1u
#define HOLODB_OPEN_SINGLE_THREAD 2u /* the engine starts no thread of its own */

/* Types of a result column. DECIMAL, DATE and TIMESTAMP are read exactly with holodb_column_text; a DECIMAL of at most 18 digits
 * and a DATE (days since 1970-01-01) or TIMESTAMP (microseconds since then) also with holodb_column_int64 (a DECIMAL there is
 * truncated towards zero). */
#define HOLODB_TYPE_NULL 0
#define HOLODB_TYPE_BOOLEAN 1
#define HOLODB_TYPE_BIGINT 2
#define HOLODB_TYPE_DECIMAL 3
#define HOLODB_TYPE_DOUBLE 4
#define HOLODB_TYPE_TEXT 5
#define HOLODB_TYPE_DATE 6
#define HOLODB_TYPE_TIMESTAMP 7
#define HOLODB_TYPE_BLOB 8

typedef struct holodb_db holodb_db;
typedef struct holodb_conn holodb_conn;
typedef struct holodb_stmt holodb_stmt;
typedef struct holodb_appender holodb_appender;

/* Opens a database; path NULL, "" or ":memory:" is in memory, another path is a file, made if it is not there (with its log
 * beside it, PATH-log). version must be HOLODB_VERSION. On failure *db is NULL and holodb_open_errmsg describes it. A file is open
 * until the database and every connection, statement and appender of it are closed; nobody else can open it to write, or read it
 * while it is written. */
HOLODB_API int holodb_open(const char* path, uint32_t flags, int version, holodb_db** db);
/* Opens a restore point of a database file, to read only, at any time: also while the same or another process writes to the file, which it does not hinder; but
 * for DROP RESTORE POINT, which is refused (55006) as long as the point is open. Names are matched without case. restore_point NULL: holodb_open. */
HOLODB_API int holodb_open_restore_point(const char* path, const char* restore_point, uint32_t flags, int version, holodb_db** db);
/* What opening had to leave out of the log because the last session broke off, as a sentence, or "". Valid until holodb_close. */
HOLODB_API const char* holodb_open_notice(holodb_db* db);
/* Copies what is provably whole of a damaged database to a new one, which is then opened as any other; `from` is not changed. *report,
 * if asked for, says what was copied and what was left behind; it is valid until this thread's next call. Errors: as holodb_open. */
HOLODB_API int holodb_salvage(const char* from, const char* to, const char** report);
/* The message and SQLSTATE of this thread's last failed holodb_salvage, holodb_open or holodb_connect. */
HOLODB_API const char* holodb_open_errmsg(void);
HOLODB_API const char* holodb_open_sqlstate(void);
/* Closes the handle. Connections that are still open answer 08003 from then on, and must still be disconnected. NULL is allowed. */
HOLODB_API int holodb_close(holodb_db* db);

HOLODB_API int holodb_connect(holodb_db* db, holodb_conn** conn);
/* Rolls back an open transaction. NULL is allowed. */
HOLODB_API int holodb_disconnect(holodb_conn* conn);

/* Runs every statement of sql (NUL-terminated), dropping rows; stops at the first error. */
HOLODB_API int holodb_exec(holodb_conn* conn, const char* sql);
/* Prepares the first statement of sql (bytes < 0: up to NUL). *tail, if asked for, is set behind it. *stmt is NULL with HOLODB_OK if
 * there is only white space and comments. */
HOLODB_API int holodb_prepare(holodb_conn* conn, const char* sql, int64_t bytes, holodb_stmt** stmt, const char** tail);
HOLODB_API int holodb_parameter_count(holodb_stmt* stmt);

/* Parameters are numbered from 1 and keep their values over holodb_reset. Text and blobs are copied; bytes < 0: up to NUL. */
HOLODB_API int holodb_bind_null(holodb_stmt* stmt, int index);
HOLODB_API int holodb_bind_bool(holodb_stmt* stmt, int index, int value);
HOLODB_API int holodb_bind_int64(holodb_stmt* stmt, int index, int64_t value);
HOLODB_API int holodb_bind_double(holodb_stmt* stmt, int index, double value);
HOLODB_API int holodb_bind_text(holodb_stmt* stmt, int index, const char* text, int64_t bytes);
HOLODB_API int holodb_bind_blob(holodb_stmt* stmt, int index, const void* data, int64_t bytes);
HOLODB_API int holodb_bind_decimal_text(holodb_stmt* stmt, int index, const char* text, int64_t bytes);

/* HOLODB_ROW with a row to read, HOLODB_DONE, or an error code. */
HOLODB_API int holodb_step(holodb_stmt* stmt);
HOLODB_API int holodb_reset(holodb_stmt* stmt);
HOLODB_API int holodb_finalize(holodb_stmt* stmt);

/* Columns are numbered from 0. Count, names and types are known after prepare; values after HOLODB_ROW. */
HOLODB_API int holodb_column_count(holodb_stmt* stmt);
HOLODB_API const char* holodb_column_name(holodb_stmt* stmt, int column);
HOLODB_API int holodb_column_type(holodb_stmt* stmt, int column);
HOLODB_API int holodb_column_precision(holodb_stmt* stmt, int column); /* DECIMAL(p,s): p, else 0 */
HOLODB_API int holodb_column_scale(holodb_stmt* stmt, int column);     /* DECIMAL(p,s): s, else 0 */
HOLODB_API int holodb_column_is_null(holodb_stmt* stmt, int column);
HOLODB_API int64_t holodb_column_int64(holodb_stmt* stmt, int column); /* NULL reads as 0 */
HOLODB_API double holodb_column_double(holodb_stmt* stmt, int column);
HOLODB_API const char* holodb_column_text(holodb_stmt* stmt, int column); /* NULL pointer for NULL */
HOLODB_API int64_t holodb_column_bytes(holodb_stmt* stmt, int column);    /* of the text form */

/* Rows that the connection's last INSERT, UPDATE or DELETE changed. */
HOLODB_API int64_t holodb_changes(holodb_conn* conn);
/* Of the connection's last error. errpos: byte offset into the text given to prepare or exec, or -1. */
HOLODB_API const char* holodb_errmsg(holodb_conn* conn);
HOLODB_API const char* holodb_sqlstate(holodb_conn* conn);
HOLODB_API int64_t holodb_errpos(holodb_conn* conn);
/* 1 while a transaction that BEGIN opened is open. */
HOLODB_API int holodb_in_transaction(holodb_conn* conn);

/* Appends rows to a table, column by column in table order. Close commits everything or nothing (inside an open transaction it
 * becomes part of that). A failed append keeps the rows before it out as well: close then returns the error. */
HOLODB_API int holodb_appender_open(holodb_conn* conn, const char* table, holodb_appender** appender);
HOLODB_API int holodb_append_null(holodb_appender* appender);
HOLODB_API int holodb_append_bool(holodb_appender* appender, int value);
HOLODB_API int holodb_append_int64(holodb_appender* appender, int64_t value);
HOLODB_API int holodb_append_double(holodb_appender* appender, double value);
HOLODB_API int holodb_append_text(holodb_appender* appender, const char* text, int64_t bytes);
HOLODB_API int holodb_append_decimal_text(holodb_appender* appender, const char* text, int64_t bytes);
/* The number that the column keeps: BIGINT itself, BOOLEAN 0 or 1, DECIMAL(p,s) in units of 10^-s, DATE in days and TIMESTAMP in
 * microseconds since 1970-01-01 (years 1 to 9999). 22003 where that is no value of the column, 42804 for DOUBLE and TEXT. */
HOLODB_API int holodb_append_units(holodb_appender* appender, int64_t value);
HOLODB_API int holodb_appender_end_row(holodb_appender* appender);
/* Commits and frees the handle in every case. */
HOLODB_API int holodb_appender_close(holodb_appender* appender);
/* Frees the handle and keeps nothing. */
HOLODB_API int holodb_appender_abort(holodb_appender* appender);

/* Ends the connection's running statement with 57014. From any thread. */
HOLODB_API int holodb_interrupt(holodb_conn* conn);

/* "0.1.0" and the id of the source that the library was built from. */
HOLODB_API const char* holodb_version(void);
HOLODB_API const char* holodb_source_id(void);

#ifdef __cplusplus
}
#endif

#endif /* HOLODB_H */
