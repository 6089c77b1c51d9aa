// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/reader.h"

#include <string.h>

char *reader_path(const char *path, const char *key)
{
    return *path ? g_strdup_printf("%s.%s", path, key) : g_strdup(key);
}

char *reader_path_item(const char *path, unsigned index)
{
    return g_strdup_printf("%s[%u]", path, index);
}

const char *reader_noun(const struct node *node)
{
    if (node_is_null(node))
        return "nothing";
    static const char *const nouns[] = {
        [NODE_SCALAR] = "text", [NODE_LIST] = "a list", [NODE_MAP] = "a map"};
    return nouns[node->kind];
}

bool reader_is(const struct node *node, enum node_kind kind, const char *path, const char *expected,
               struct diag_list *diags)
{
    if (node->kind == kind && !node_is_null(node))
        return true;
    diag_add(diags, node->mark, path, NULL, "%s is expected here, not %s", expected,
             reader_noun(node));
    return false;
}

#define MOST_NAMES_LISTED 80

// "did you mean pmb.pingpong or native.pingpong?" of "pingpong": the names that end in the word,
// after a dot. Returns NULL if there are none.
static char *ending_hint(const char *word, const char *const *names)
{
    GString *hint = g_string_new(NULL);
    for (; *names; names++) {
        const char *last = strrchr(*names, '.');
        if (last && strcmp(last + 1, word) == 0)
            g_string_append_printf(hint, "%s%s", hint->len ? " or " : "did you mean ", *names);
    }
    if (hint->len)
        g_string_append_c(hint, '?');
    return g_string_free(hint, hint->len == 0);
}

char *reader_hint(const char *word, const char *const *names)
{
    char *ending = ending_hint(word, names);
    if (ending)
        return ending;
    const char *near = diag_nearest(word, names);
    if (near)
        return g_strdup_printf("did you mean %s?", near);
    guint count = g_strv_length((char **)names);
    if (count == 0 || count > MOST_NAMES_LISTED)
        return NULL;
    char *list = g_strjoinv(", ", (char **)names);
    char *hint = g_strdup_printf("known: %s", list);
    g_free(list);
    return hint;
}

// The keys that paths have below a section, "tiny, short"; NULL: there is no such section. The
// caller frees it.
static char *keys_below(const char *section, const char *const *paths)
{
    GString *keys = g_string_new(NULL);
    size_t length = strlen(section);
    for (const char *const *one = paths; *one; one++)
        if (strncmp(*one, section, length) == 0 && (*one)[length] == '.' &&
            !strchr(*one + length + 1, '.'))
            g_string_append_printf(keys, "%s%s", keys->len > 0 ? ", " : "", *one + length + 1);
    return g_string_free(keys, keys->len == 0);
}

char *reader_path_hint(const char *path, const char *const *paths)
{
    const char *dot = strrchr(path, '.');
    const char *last = dot ? dot + 1 : path;
    for (const char *const *one = paths; *last && *one; one++) {
        const char *tail = strrchr(*one, '.');
        if (tail && strcmp(tail + 1, last) == 0)
            return g_strdup_printf("did you mean %s?", *one);
    }
    const char *near = diag_nearest(path, paths);
    if (near)
        return g_strdup_printf("did you mean %s?", near);
    char *section = g_strndup(path, dot ? (gsize)(dot - path) : 0);
    char *keys = *section ? keys_below(section, paths) : NULL;
    char *hint = keys ? g_strdup_printf("%s has %s", section, keys) : NULL;
    g_free(keys);
    g_free(section);
    return hint;
}

const struct reader_renamed *reader_renamed_find(const struct reader_renamed *renamed,
                                                 const char *key)
{
    while (renamed && renamed->old && strcmp(renamed->old, key) != 0)
        renamed++;
    return renamed && renamed->old ? renamed : NULL;
}

char *reader_renamed_text(const struct reader_renamed *row)
{
    char *names = g_strjoinv(" and ", (char **)row->now);
    char *text = g_strdup_printf("this key is called %s now", names);
    g_free(names);
    return text;
}

bool reader_complain_renamed(const struct reader_renamed *renamed, const char *key,
                             const char *path, struct source_mark mark, struct diag_list *diags)
{
    const struct reader_renamed *row = reader_renamed_find(renamed, key);
    if (!row)
        return false;
    char *text = reader_renamed_text(row), *full = reader_path(path, key);
    diag_add(diags, mark, full, row->note, "%s", text);
    g_free(text);
    g_free(full);
    return true;
}

static void unknown_key(const struct node *child, const char *path, const char *const *known,
                        const char *const *elsewhere, struct diag_list *diags)
{
    char *child_path = reader_path(path, child->key), *hint = NULL;
    if (!diag_full(diags) && elsewhere && !diag_nearest(child->key, known))
        hint = reader_path_hint(child_path, elsewhere);
    if (!diag_full(diags) && !hint)
        hint = reader_hint(child->key, known);
    diag_add(diags, child->key_mark, child_path, hint, "unknown key");
    g_free(child_path);
    g_free(hint);
}

bool reader_keys_or(const struct node *map, const char *path, const char *const *known,
                    const char *const *elsewhere, const struct reader_renamed *renamed,
                    struct diag_list *diags)
{
    bool good = true;
    for (guint i = 0; i < map->children->len; i++) {
        const struct node *child = g_ptr_array_index(map->children, i);
        if (g_strv_contains(known, child->key))
            continue;
        good = false;
        if (!reader_complain_renamed(renamed, child->key, path, child->key_mark, diags))
            unknown_key(child, path, known, elsewhere, diags);
    }
    return good;
}

bool reader_keys(const struct node *map, const char *path, const char *const *known,
                 struct diag_list *diags)
{
    return reader_keys_or(map, path, known, NULL, NULL, diags);
}

const char *reader_text(const struct node *node, const char *path, const char *expected,
                        struct diag_list *diags)
{
    return reader_is(node, NODE_SCALAR, path, expected, diags) ? node->text : NULL;
}

bool reader_quantity(const struct node *node, const char *path, enum quantity_kind kind,
                     struct quantity *value, struct diag_list *diags)
{
    const char *text = reader_text(node, path, quantity_noun(kind), diags);
    if (!text)
        return false;
    bool plain_number = kind == QUANTITY_COUNT || kind == QUANTITY_REAL;
    if (plain_number && node->quoted) {
        diag_add(diags, node->mark, path, "write it without quotes",
                 "%s is expected here, not text in quotes", quantity_noun(kind));
        return false;
    }
    char *error, *hint;
    bool good = quantity_parse(text, kind, value, &error, &hint);
    if (!good)
        diag_add(diags, node->mark, path, hint, "\"%.40s\": %s", text, error);
    g_free(error);
    g_free(hint);
    return good;
}

bool reader_count(const struct node *node, const char *path, int64_t least, int64_t most,
                  int64_t *value, struct diag_list *diags)
{
    struct quantity quantity;
    if (!reader_quantity(node, path, QUANTITY_COUNT, &quantity, diags))
        return false;
    *value = quantity.integer;
    if (*value >= least && *value <= most)
        return true;
    diag_add(diags, node->mark, path, NULL,
             "%" G_GINT64_FORMAT " is out of range %" G_GINT64_FORMAT " .. %" G_GINT64_FORMAT,
             *value, least, most);
    return false;
}

int reader_choice(const struct node *node, const char *path, const char *noun,
                  const char *const *names, struct diag_list *diags)
{
    char *expected = g_strdup_printf("the name of a %s", noun);
    const char *text = reader_text(node, path, expected, diags);
    g_free(expected);
    if (!text)
        return -1;
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    char *hint = diag_full(diags) ? NULL : reader_hint(text, names);
    diag_add(diags, node->mark, path, hint, "unknown %s \"%.64s\"", noun, text);
    g_free(hint);
    return -1;
}

#define LONGEST_NAME 64

bool reader_is_name(const char *text)
{
    size_t good = strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-.");
    size_t length = strlen(text);
    return length > 0 && length <= LONGEST_NAME && text[good] == '\0' && g_ascii_isalnum(text[0]) &&
           g_ascii_isalnum(text[length - 1]) && !strstr(text, "..");
}

bool reader_name(const struct node *node, const char *path, struct diag_list *diags)
{
    const char *name = reader_text(node, path, "a name", diags);
    if (!name)
        return false;
    bool fits = reader_is_name(name);
    if (!fits)
        diag_add(diags, node->mark, path,
                 "a name has letters, digits, and - _ . inside, at most 64 characters",
                 "\"%.64s\" cannot be a name", name);
    return fits;
}
