/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result database's SQL and its reference page, made from the list in record/schema.c. */
#ifndef RECORD_SCHEMA_SQL_H
#define RECORD_SCHEMA_SQL_H

#include <record/schema.h>
#include <stdio.h>

/* Each returns a text to be freed; NULL when memory is short. */
char *schema_sql_create(void);  /* pragmas, tables, views */
char *schema_sql_indexes(void); /* secondary indexes, for after loading */
char *schema_sql_insert(enum ddbsim_log_table table, size_t rows);
/* The reference of tables and views, in Markdown: what docs/log.md carries. */
char *schema_reference(void);

#endif
