// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/describe_search.h"

#include <string.h>

// Where a word was found, the best place first.
enum describe_rank { RANK_WHOLE_NAME, RANK_NAME, RANK_PATH, RANK_MEANING, RANK_SOURCE, RANK_NONE };

char *describe_path(const struct describe_hit *hit)
{
    return g_strdup_printf("%s.%s", hit->section->path, hit->param->name);
}

static bool describe_holds_word(const char *text, const char *word)
{
    char *lower = text ? g_ascii_strdown(text, -1) : NULL;
    bool found = lower && strstr(lower, word);
    g_free(lower);
    return found;
}

// Of a word in lower case.
static enum describe_rank describe_rank_of(const struct describe_hit *hit, const char *word)
{
    char *path = describe_path(hit);
    enum describe_rank rank = RANK_NONE;
    if (strcmp(hit->param->name, word) == 0)
        rank = RANK_WHOLE_NAME;
    else if (describe_holds_word(hit->param->name, word))
        rank = RANK_NAME;
    else if (describe_holds_word(path, word))
        rank = RANK_PATH;
    else if (describe_holds_word(hit->param->doc, word))
        rank = RANK_MEANING;
    else if (describe_holds_word(hit->param->source, word))
        rank = RANK_SOURCE;
    g_free(path);
    return rank;
}

// Sets the rank of a hit: the sum over the words. Returns false if one of them is nowhere.
static bool describe_match_words(struct describe_hit *hit, char *const *words)
{
    hit->rank = 0;
    for (; *words; words++) {
        enum describe_rank rank = describe_rank_of(hit, *words);
        if (rank == RANK_NONE)
            return false;
        hit->rank += (int)rank;
    }
    return true;
}

static gint describe_compare_hits(gconstpointer a, gconstpointer b)
{
    const struct describe_hit *first = a, *second = b;
    return first->rank - second->rank;
}

static bool describe_is_path(const struct describe_hit *hit, char *const *words)
{
    char *path = describe_path(hit);
    bool is = words[0] && !words[1] && strcmp(path, words[0]) == 0;
    g_free(path);
    return is;
}

GArray *describe_search(const GArray *sections, char *const *words)
{
    GArray *hits = g_array_new(FALSE, FALSE, sizeof(struct describe_hit));
    GPtrArray *lower = g_ptr_array_new_with_free_func(g_free);
    for (char *const *word = words; *word; word++)
        g_ptr_array_add(lower, g_ascii_strdown(*word, -1));
    g_ptr_array_add(lower, NULL);
    for (guint i = 0; i < sections->len; i++) {
        struct describe_hit hit = {.section = &g_array_index(sections, struct scenario_section, i)};
        for (hit.param = hit.section->table->params; hit.param->name; hit.param++) {
            if (describe_is_path(&hit, words)) {
                g_array_set_size(hits, 0);
                g_array_append_val(hits, hit);
                g_ptr_array_unref(lower);
                return hits;
            }
            if (describe_match_words(&hit, (char *const *)lower->pdata))
                g_array_append_val(hits, hit);
        }
    }
    g_array_sort(hits, describe_compare_hits);
    g_ptr_array_unref(lower);
    return hits;
}
