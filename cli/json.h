/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out (", " and ": " between, keys in the order given) and a small reader for JSON that the library
 * hands over. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "out.h"

#include <stdbool.h>

typedef struct json {
    output *out;
    bool comma; /* the next key or item needs one in front */
} json;

void json_open(json *j, char bracket);  /* '{' or '[' */
void json_close(json *j, char bracket); /* '}' or ']' */
void json_key(json *j, const char *key);
void json_item(json *j); /* before each value of an array */

void json_i64(json *j, int64_t value);
void json_bool(json *j, bool value);
void json_text(json *j, const char *text); /* NULL is null */
void json_raw(json *j, const char *text);  /* JSON as it is; NULL is null */
void json_id(json *j, int64_t id);         /* a snapshot id as a string; negative is null */
/* `present` false is null. */
void json_maybe_i64(json *j, bool present, int64_t value);
/* Text in quotes, escaped; bytes that are no UTF-8 become U+FFFD. */
void json_quote(output *o, const char *text, size_t len);

/* --- reading --- */

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_node {
    json_kind kind;
    const char *key;  /* of a member, else NULL */
    const char *text; /* of a string (decoded) or number, NUL at the end */
    size_t len;
    const struct json_node *first, *next; /* children and siblings */
} json_node;

typedef struct json_doc {
    char *text;
    json_node *nodes;
} json_doc;

/* Parses JSON; NULL when it is none, deeper than 64 or there is no memory. Free the document in any case. */
const json_node *json_parse(const char *text, size_t len, json_doc *doc);
void json_doc_free(json_doc *doc);
/* The member `key` of an object; NULL when there is none or `node` is no object (or NULL). */
const json_node *json_get(const json_node *node, const char *key);
/* The text of a string member, else NULL. */
const char *json_get_text(const json_node *node, const char *key);
/* The integer in a number or a string of digits; false when it is neither. */
bool json_as_i64(const json_node *node, int64_t *value);
int32_t json_count(const json_node *node); /* children; 0 of NULL */

#endif
