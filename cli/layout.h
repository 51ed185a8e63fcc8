/* SPDX-License-Identifier: Apache-2.0 */
/* What a table or file is, as lines under titles; text of metadata goes out without control characters. */
#ifndef CLI_LAYOUT_H
#define CLI_LAYOUT_H

#include "json.h"
#include "out.h"

typedef struct layout_section {
    output *out;
    const char *title; /* printed before the first line; NULL: lines without titles */
    bool begun;
} layout_section;

/* Begins a line of a section: its title, or as many spaces. */
void layout_line(layout_section *s);
void layout_safe(output *o, const char *text);
/* The text or number of a member; nothing for others. */
void layout_member(output *o, const json_node *node, const char *key);
/* A type of the metadata as the schema language writes it. */
void layout_type(output *o, const json_node *type);
/* Fields of a schema: "1 id long not null". */
void layout_schema(output *o, const char *title, const json_node *schema);
/* Fields of a partition spec or sort order over `schema`; `empty` when there are none. */
void layout_fields(output *o, const char *title, const char *empty, const json_node *list,
                   const json_node *schema);
/* JSON over several lines, what has no arrays or objects inside on one; lines after the first begin with `indent` spaces. */
void layout_json(output *o, const json_node *node, int32_t indent);

#endif
