// SPDX-License-Identifier: GPL-3.0-or-later
// A proposal as JSON, and for people.
#include "sim/calibrate/propose.h"

#include "sim/output/text.h"
#include "sim/statistics/band.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define PROPOSE_WIDTH 80
#define MOST_ALIKE 8 // that are printed

static json_t *prior_band(const struct uncertain_constant *constant)
{
    static const char *const keys[] = {"low", "median", "high"};
    static const double shares[] = {BAND_LOW, 0.5, BAND_HIGH};
    json_t *band = json_object();
    for (int i = 0; i < 3; i++) {
        char *text = uncertain_rounded_text(constant, gsl_cdf_ugaussian_Pinv(shares[i]));
        json_object_set_new(band, keys[i], json_string(text));
        g_free(text);
    }
    return band;
}

// Why the constant is uncertain: the source of its value, or the kind that it is of.
static const char *source_of(const struct uncertain_constant *constant)
{
    const struct drawn_parameter *drawn = constant->drawn;
    const struct param_values *values = drawn->values;
    for (int i = 0; values && values->table->params[i].name; i++)
        if (&values->table->params[i] == drawn->prior.param && values->sources[i])
            return values->sources[i];
    if (drawn->ensemble)
        return "its values in the ensemble of the testbed";
    return drawn->prior.usual ? drawn->prior.usual->reason : "";
}

static json_t *chosen_json(const struct proposed *proposed, const struct evaluation *evaluation,
                           const struct uncertain_constant *constant)
{
    const struct target *target =
        g_ptr_array_index(evaluation->targets->targets, proposed->most_at);
    const char *doc = constant->drawn->prior.param->doc;
    char *at = target_text(target);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:s}", "path", constant->drawn->path, "meaning",
                  doc ? doc : "", "source", source_of(constant), "prior", prior_band(constant),
                  "effect", proposed->effect, "most", proposed->most, "most_at", at);
    g_free(at);
    return json;
}

json_t *proposal_json(const struct proposal *proposal, const struct evaluation *evaluation,
                      const struct uncertain_list *constants)
{
    json_t *chosen = json_array(), *like = json_array();
    int weak = 0;
    for (guint i = 0; i < proposal->list->len; i++) {
        const struct proposed *one = &g_array_index(proposal->list, struct proposed, i);
        const struct uncertain_constant *constant = uncertain_at(constants, one->constant);
        if (one->chosen)
            json_array_append_new(chosen, chosen_json(one, evaluation, constant));
        else if (one->effect >= PROPOSE_LEAST && one->like >= 0)
            json_array_append_new(
                like, json_pack("{s:s, s:o, s:f, s:s, s:f, s:f}", "path", constant->drawn->path,
                                "prior", prior_band(constant), "effect", one->effect, "of",
                                uncertain_at(constants, (guint)one->like)->drawn->path, "cosine",
                                one->cosine, "ratio", one->ratio));
        else
            weak++;
    }
    return json_pack("{s:f, s:i, s:i, s:o, s:o, s:i}", "misfit", proposal->misfit, "constants",
                     (int)proposal->list->len, "unmovable", (int)proposal->unmovable, "chosen",
                     chosen, "like", like, "weak", weak);
}

// ---- For people ----

static const char *propose_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double propose_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void append_line(GString *out, const char *text, int indent)
{
    g_string_append_printf(out, "%*s", indent, "");
    text_append_wrapped(out, text, PROPOSE_WIDTH - indent, indent);
    g_string_append_c(out, '\n');
}

static void append_chosen(GString *out, const json_t *one)
{
    const json_t *prior = json_object_get(one, "prior");
    g_string_append_printf(out, "  %s: %s (%s .. %s)\n", propose_text(one, "path"),
                           propose_text(prior, "median"), propose_text(prior, "low"),
                           propose_text(prior, "high"));
    if (*propose_text(one, "meaning"))
        append_line(out, propose_text(one, "meaning"), 6);
    if (*propose_text(one, "source"))
        append_line(out, propose_text(one, "source"), 6);
    char *why = g_strdup_printf("a standard deviation of its prior moves %s by %.2g error%s",
                                propose_text(one, "most_at"), propose_number(one, "most"),
                                propose_number(one, "most") > 1.0 ? "s" : "");
    append_line(out, why, 6);
    g_free(why);
}

// How parallel two effects are.
static const char *alike_text(double cosine)
{
    return fabs(cosine) > 0.99  ? "the effect"
           : fabs(cosine) > 0.9 ? "nearly the effect"
                                : "in part the effect";
}

static void append_alike(GString *out, const json_t *list)
{
    size_t i;
    const json_t *one;
    if (json_array_size(list) == 0)
        return;
    g_string_append(out,
                    "\nleft at their priors, as the points can't tell them apart from these\n");
    json_array_foreach(list, i, one)
    {
        if (i == MOST_ALIKE) {
            g_string_append_printf(out, "  and %zu others\n", json_array_size(list) - i);
            break;
        }
        g_string_append_printf(out, "  %s: %s of %s, %.2f times as large\n",
                               propose_text(one, "path"), alike_text(propose_number(one, "cosine")),
                               propose_text(one, "of"), propose_number(one, "ratio"));
    }
}

void proposal_print(const json_t *document, FILE *out)
{
    const json_t *chosen = json_object_get(document, "chosen"), *one;
    GString *text = g_string_new("fitted, as the points tell them apart (prior, 90 % band)\n");
    size_t i;
    json_array_foreach(chosen, i, one)
    {
        append_chosen(text, one);
    }
    append_alike(text, json_object_get(document, "like"));
    int weak = (int)propose_number(document, "weak");
    if (weak > 0)
        g_string_append_printf(text, "%d other%s move%s the points by less than their errors\n",
                               weak, weak == 1 ? "" : "s", weak == 1 ? "s" : "");
    g_string_append_c(text, '\n');
    fputs(text->str, out);
    g_string_free(text, TRUE);
}
