// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/claim.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/validate/anchor.h"

#include <string.h>

#define BEHAVIOUR "behaviour"
#define AGREEMENT "agreement"
#define KNOWN_MISS_PREFIX "docs/fidelity.md#"

static const char *const kinds[] = {"number", "shape", "config", "figure", AGREEMENT, NULL};

static void claim_free(gpointer data)
{
    struct claim *claim = data;
    g_free(claim->statement);
    g_free(claim->source);
    g_free(claim->outside);
    g_free(claim->not_checkable);
    g_free(claim->known_miss);
    g_ptr_array_unref(claim->tests);
    g_ptr_array_unref(claim->checks);
    if (claim->same_as)
        g_ptr_array_unref(claim->same_as);
    g_free(claim);
}

static void rank_free(gpointer data)
{
    struct claim_rank *rank = data;
    g_free(rank->title);
    g_ptr_array_unref(rank->ids);
    g_free(rank);
}

struct claim_list *claims_new(void)
{
    struct claim_list *list = g_new0(struct claim_list, 1);
    list->claims = g_ptr_array_new_with_free_func(claim_free);
    list->ranks = g_ptr_array_new_with_free_func(rank_free);
    return list;
}

void claims_free(struct claim_list *list)
{
    if (!list)
        return;
    g_ptr_array_unref(list->claims);
    g_ptr_array_unref(list->ranks);
    g_free(list);
}

static struct claim *find_claim(const struct claim_list *list, const char *id)
{
    for (guint i = 0; i < list->claims->len; i++) {
        struct claim *claim = g_ptr_array_index(list->claims, i);
        if (strcmp(claim->id, id) == 0)
            return claim;
    }
    return NULL;
}

const struct claim *claims_find(const struct claim_list *list, const char *id)
{
    return find_claim(list, id);
}

bool claim_is_behaviour(const struct claim *claim)
{
    return strcmp(claim->kind, BEHAVIOUR) == 0;
}

bool claim_is_agreement(const struct claim *claim)
{
    return strcmp(claim->kind, AGREEMENT) == 0;
}

bool claim_matches(const char *id, const char *pattern)
{
    if (strpbrk(pattern, "*?"))
        return g_pattern_match_simple(pattern, id);
    size_t length = strlen(pattern);
    return strncmp(id, pattern, length) == 0 && (id[length] == '\0' || id[length] == '.');
}

// ---- One claim ----

static char *read_text(const struct node *map, const char *key, const char *path, bool needed,
                       struct diag_list *diags)
{
    const struct node *node = node_get(map, key);
    if (!node) {
        if (needed)
            diag_add(diags, map->mark, path, NULL, "`%s' is missing", key);
        return NULL;
    }
    char *below = reader_path(path, key);
    const char *text = reader_text(node, below, "text", diags);
    g_free(below);
    return text ? g_strstrip(g_strdup(text)) : NULL;
}

static void read_checks(struct claim *claim, const struct node *node, const char *path,
                        struct diag_list *diags)
{
    char *below = reader_path(path, "check");
    bool several = node->kind == NODE_LIST;
    guint count = several ? node->children->len : 1;
    if (count == 0)
        diag_add(diags, node->mark, below, NULL, "a check is missing");
    for (guint i = 0; i < count; i++) {
        char *item = several ? reader_path_item(below, i) : g_strdup(below);
        struct check *check =
            check_read(several ? g_ptr_array_index(node->children, i) : node, item, diags);
        if (check)
            g_ptr_array_add(claim->checks, check);
        g_free(item);
    }
    g_free(below);
}

// "ID", or a list of such.
static GPtrArray *read_ids(const struct node *node, const char *path, struct diag_list *diags)
{
    GPtrArray *ids = g_ptr_array_new();
    bool several = node->kind == NODE_LIST;
    if (several && node->children->len == 0)
        diag_add(diags, node->mark, path, NULL, "the id of a claim is missing");
    for (guint i = 0; i < (several ? node->children->len : 1); i++) {
        const struct node *one = several ? g_ptr_array_index(node->children, i) : node;
        const char *text = reader_text(one, path, "the id of a claim", diags);
        if (text)
            g_ptr_array_add(ids, (gpointer)intern_text(text));
    }
    return ids;
}

// What only compares simulations is evidence of no source.
static void check_kind(const struct claim *claim, const struct node *map, const char *path,
                       struct diag_list *diags)
{
    for (guint i = 0; i < claim->checks->len; i++) {
        const struct check *check = g_ptr_array_index(claim->checks, i);
        if (check->word == CHECK_AGREEMENT && !claim_is_agreement(claim))
            diag_add(diags, check->mark, path, "write kind: " AGREEMENT,
                     "an agreement of two simulations is no statement of a source");
    }
    if (claim_is_agreement(claim) && claim->same_as)
        diag_add(diags, map->mark, path, NULL, "an agreement is the same as no other claim");
}

// A claim is checked, or it says why not, or who says the same; what is known to miss is checked.
static void read_judgement(struct claim *claim, const struct node *map, const char *path,
                           struct diag_list *diags)
{
    const struct node *check = node_get(map, "check");
    claim->not_checkable = read_text(map, "not_checkable", path, false, diags);
    claim->known_miss = read_text(map, "known_miss", path, false, diags);
    if (check)
        read_checks(claim, check, path, diags);
    const struct node *same = node_get(map, "same_as");
    if (same)
        claim->same_as = read_ids(same, path, diags);
    int ways = (check != NULL) + (claim->not_checkable != NULL) + (same != NULL);
    if (ways != 1)
        diag_add(diags, map->mark, path, NULL, "it needs `check', `not_checkable' or `same_as'%s",
                 ways ? ", and one only" : "");
    check_kind(claim, map, path, diags);
    if (!claim->known_miss)
        return;
    const struct node *node = node_get(map, "known_miss");
    if (!check)
        diag_add(diags, node->mark, path, NULL, "what is not checked can't miss");
    if (!g_str_has_prefix(claim->known_miss, KNOWN_MISS_PREFIX) ||
        strlen(claim->known_miss) == strlen(KNOWN_MISS_PREFIX))
        diag_add(diags, node->mark, path, "write " KNOWN_MISS_PREFIX "ANCHOR",
                 "a known miss says where its analysis stands");
}

static void read_claim(struct claim_list *list, const struct node *map, bool behaviour,
                       struct diag_list *diags)
{
    static const char *const of_behaviour[] = {"statement", "source", "outside",
                                               "inferred",  "check",  NULL};
    static const char *const of_other[] = {"kind",          "statement", "source",     "value",
                                           "unit",          "inferred",  "because",    "check",
                                           "not_checkable", "same_as",   "known_miss", NULL};
    const char *path = map->key;
    if (!reader_is(map, NODE_MAP, path, "a claim", diags) ||
        !reader_keys(map, path, behaviour ? of_behaviour : of_other, diags))
        return;
    if (claims_find(list, map->key))
        diag_add(diags, map->key_mark, path, NULL, "there is such a claim already");
    struct claim *claim = g_new0(struct claim, 1);
    g_ptr_array_add(list->claims, claim);
    claim->id = intern_text(map->key);
    claim->mark = map->key_mark;
    claim->checks = g_ptr_array_new_with_free_func((GDestroyNotify)check_free);
    claim->tests = g_ptr_array_new_with_free_func(g_free);
    claim->statement = read_text(map, "statement", path, true, diags);
    claim->source = read_text(map, "source", path, true, diags);
    if (behaviour) {
        claim->kind = BEHAVIOUR;
        claim->outside = read_text(map, "outside", path, false, diags);
        if (node_get(map, "check"))
            read_checks(claim, node_get(map, "check"), path, diags);
        return;
    }
    const struct node *kind = node_get(map, "kind");
    int choice = -1;
    if (kind)
        choice = reader_choice(kind, path, "kind", kinds, diags);
    else
        diag_add(diags, map->mark, path, NULL, "`kind' is missing");
    claim->kind = choice >= 0 ? kinds[choice] : "";
    read_judgement(claim, map, path, diags);
}

// ---- Files ----

bool claims_read(struct claim_list *list, const struct node *tree, struct diag_list *diags)
{
    static const char *const groups[] = {"behaviours", "others", NULL};
    guint before = diags->found;
    if (!reader_is(tree, NODE_MAP, "", "a map of claims", diags) ||
        !reader_keys(tree, "", groups, diags))
        return false;
    for (size_t i = 0; groups[i]; i++) {
        const struct node *group = node_get(tree, groups[i]);
        if (node_is_null(group) || !reader_is(group, NODE_MAP, groups[i], "a map of claims", diags))
            continue;
        for (guint k = 0; k < group->children->len; k++)
            read_claim(list, g_ptr_array_index(group->children, k), i == 0, diags);
    }
    return diags->found == before;
}

static gint compare_ranks(gconstpointer a, gconstpointer b)
{
    const struct claim_rank *const *p = a, *const *q = b;
    return ((*p)->rank > (*q)->rank) - ((*p)->rank < (*q)->rank);
}

static void read_rank(struct claim_list *list, const struct node *map, const char *path,
                      struct diag_list *diags)
{
    static const char *const keys[] = {"rank", "title", "ids", NULL};
    if (!reader_is(map, NODE_MAP, path, "a rank", diags) || !reader_keys(map, path, keys, diags))
        return;
    const struct node *number = node_get(map, "rank"), *ids = node_get(map, "ids");
    int64_t value = 0;
    if (!number || !ids || ids->kind != NODE_LIST || ids->children->len == 0) {
        diag_add(diags, map->mark, path, NULL, "it needs `rank' and a list of `ids'");
        return;
    }
    if (!reader_count(number, path, 1, 1000, &value, diags))
        return;
    struct claim_rank *rank = g_new0(struct claim_rank, 1);
    g_ptr_array_add(list->ranks, rank);
    rank->rank = (int)value;
    rank->title = read_text(map, "title", path, true, diags);
    rank->ids = g_ptr_array_new();
    for (guint i = 0; i < ids->children->len; i++) {
        const struct node *id = g_ptr_array_index(ids->children, i);
        const char *text = reader_text(id, path, "the id of a claim", diags);
        const struct claim *claim = text ? claims_find(list, text) : NULL;
        if (text && !claim)
            diag_add(diags, id->mark, path, NULL, "there is no claim %s", text);
        if (claim && claim->same_as)
            diag_add(diags, id->mark, path, "name what it is the same as", "%s is not counted",
                     text);
        if (text)
            g_ptr_array_add(rank->ids, (gpointer)intern_text(text));
    }
}

bool claims_read_ranks(struct claim_list *list, const struct node *tree, struct diag_list *diags)
{
    guint before = diags->found;
    const struct node *ranks = tree->kind == NODE_MAP ? node_get(tree, "top40") : NULL;
    if (!ranks || ranks->kind != NODE_LIST) {
        diag_add(diags, tree->mark, "top40", NULL, "a list of ranks is expected here");
        return false;
    }
    for (guint i = 0; i < ranks->children->len; i++) {
        char *path = reader_path_item("top40", i);
        read_rank(list, g_ptr_array_index(ranks->children, i), path, diags);
        g_free(path);
    }
    g_ptr_array_sort(list->ranks, compare_ranks);
    return diags->found == before;
}

// ---- What is said twice ----

bool claims_refer(const struct claim_list *list, struct diag_list *diags)
{
    guint before = diags->found;
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        for (guint k = 0; claim->same_as && k < claim->same_as->len; k++) {
            const char *id = g_ptr_array_index(claim->same_as, k);
            const struct claim *other = claims_find(list, id);
            if (!other)
                diag_add(diags, claim->mark, claim->id, NULL, "there is no claim %s", id);
            else if (other->checks->len == 0)
                diag_add(diags, claim->mark, claim->id, "name one that has a check",
                         "%s is not checked itself", id);
        }
    }
    return diags->found == before;
}

// ---- Tests, and analyses ----

static void read_tests(struct claim *claim, const struct node *list, struct diag_list *diags)
{
    if (!reader_is(list, NODE_LIST, claim->id, "a list of tests", diags))
        return;
    for (guint i = 0; i < list->children->len; i++) {
        const char *text = reader_text(g_ptr_array_index(list->children, i), claim->id,
                                       "the file of a test", diags);
        if (text)
            g_ptr_array_add(claim->tests, g_strdup(text));
    }
}

bool claims_read_tests(struct claim_list *list, const struct node *tree, struct diag_list *diags)
{
    guint before = diags->found;
    const struct node *tests = tree->kind == NODE_MAP ? node_get(tree, "tests") : NULL;
    if (!tests || tests->kind != NODE_MAP) {
        diag_add(diags, tree->mark, "tests", NULL, "a map of claims to tests is expected here");
        return false;
    }
    for (guint i = 0; i < tests->children->len; i++) {
        const struct node *one = g_ptr_array_index(tests->children, i);
        struct claim *claim = find_claim(list, one->key);
        if (!claim) {
            diag_add(diags, one->key_mark, "tests", NULL, "there is no claim %s", one->key);
            continue;
        }
        read_tests(claim, one, diags);
    }
    return diags->found == before;
}

bool claims_are_analysed(const struct claim_list *list, const char *page, struct diag_list *diags)
{
    guint before = diags->found;
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        if (claim->known_miss &&
            !anchor_exists(page, claim->known_miss + strlen(KNOWN_MISS_PREFIX)))
            diag_add(diags, claim->mark, claim->id, "a heading that reads so, or <a id=\"…\">",
                     "%s: there is no such place", claim->known_miss);
    }
    return diags->found == before;
}

// ---- All of them ----

static gint by_claim_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *claims_yaml_files(const char *directory)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    GDir *open = g_dir_open(directory, 0, NULL);
    const char *name;
    while (open && (name = g_dir_read_name(open)))
        if (g_str_has_suffix(name, ".yaml") && *name != '.')
            g_ptr_array_add(files, g_build_filename(directory, name, NULL));
    if (open)
        g_dir_close(open);
    g_ptr_array_sort(files, by_claim_name);
    return files;
}

typedef bool read_fn(struct claim_list *list, const struct node *tree, struct diag_list *diags);

static bool read_file(struct claim_list *list, const char *file, read_fn *read,
                      struct diag_list *diags)
{
    struct node *tree = node_load(file, diags);
    bool good = tree && read(list, tree, diags);
    node_free(tree);
    return good;
}

// A file that may be missing.
static bool read_beside(struct claim_list *list, const char *data_dir, const char *name,
                        read_fn *read, struct diag_list *diags)
{
    char *file = g_build_filename(data_dir, "references", name, NULL);
    bool good = !g_file_test(file, G_FILE_TEST_EXISTS) || read_file(list, file, read, diags);
    g_free(file);
    return good;
}

static bool analyses_are_there(const struct claim_list *list, const char *data_dir,
                               struct diag_list *diags)
{
    char *file = g_build_filename(data_dir, "docs", "fidelity.md", NULL), *page = NULL;
    bool good =
        !g_file_get_contents(file, &page, NULL, NULL) || claims_are_analysed(list, page, diags);
    g_free(page);
    g_free(file);
    return good;
}

struct claim_list *claims_load(const char *data_dir, struct diag_list *diags)
{
    char *directory = g_build_filename(data_dir, "references", "claims", NULL);
    struct claim_list *list = claims_new();
    GPtrArray *files = claims_yaml_files(directory);
    bool good = files->len > 0;
    if (!good)
        diag_add(diags, (struct source_mark){.file = intern_text(directory)}, NULL, NULL,
                 "there are no claims here");
    for (guint i = 0; i < files->len; i++)
        good &= read_file(list, g_ptr_array_index(files, i), claims_read, diags);
    good = good && claims_refer(list, diags) &&
           read_beside(list, data_dir, "top40.yaml", claims_read_ranks, diags) &&
           read_beside(list, data_dir, "tests.yaml", claims_read_tests, diags) &&
           analyses_are_there(list, data_dir, diags);
    g_ptr_array_unref(files);
    g_free(directory);
    if (good)
        return list;
    claims_free(list);
    return NULL;
}
