// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/report.h"

#include "sim/output/table.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define LEAST_PATH 24
#define PER_CENT 0.01

static const struct fit_parameter *report_parameter_at(const struct evaluation *evaluation,
                                                       guint index)
{
    return g_ptr_array_index(evaluation->parameters, index);
}

static const struct target *report_target_at(const struct evaluation *evaluation, guint index)
{
    return g_ptr_array_index(evaluation->targets->targets, index);
}

static const char *method_name(enum fit_method method)
{
    return method == FIT_NELDER_MEAD ? "Nelder-Mead" : "Levenberg-Marquardt";
}

static int path_width(const struct evaluation *evaluation)
{
    int width = LEAST_PATH;
    for (guint i = 0; i < evaluation->parameters->len; i++)
        width = MAX(width, text_width(report_parameter_at(evaluation, i)->path));
    return width;
}

static int target_width(const struct evaluation *evaluation)
{
    int width = (int)strlen("target");
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        char *text = target_text(report_target_at(evaluation, i));
        width = MAX(width, text_width(text));
        g_free(text);
    }
    return width;
}

// ---- Tables ----

static void print_parameters(const struct fit *fit, const struct analysis *analysis,
                             const struct evaluation *evaluation, FILE *out)
{
    int width = path_width(evaluation);
    fprintf(out, "%-*s %14s %13s   %s\n", width, "parameter", "value", "+/-", "bounds");
    for (guint i = 0; i < evaluation->parameters->len; i++) {
        const struct fit_parameter *parameter = report_parameter_at(evaluation, i);
        char *value = fit_parameter_text(parameter, fit->values[i]);
        char *lo = fit_parameter_text(parameter, parameter->lo);
        char *hi = fit_parameter_text(parameter, parameter->hi);
        char *error = !isfinite(analysis->error[i]) ? g_strdup("undetermined")
                      : analysis_refutes(analysis)
                          ? g_strdup_printf("(%.2g %%)", 100 * analysis->error[i])
                          : g_strdup_printf("%.2g %%", 100 * analysis->error[i]);
        fprintf(out, "%-*s %14s %13s   %s .. %s\n", width, parameter->path, value, error, lo, hi);
        g_free(value);
        g_free(lo);
        g_free(hi);
        g_free(error);
    }
}

static void print_targets(const struct fit *fit, const struct evaluation *evaluation, FILE *out)
{
    int width = target_width(evaluation);
    fprintf(out, "\n%-*s %10s %10s %18s\n", width, "target", "expected", "simulated", "off by");
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        const struct target *target = report_target_at(evaluation, i);
        char *what = target_text(target);
        fprintf(out, "%-*s", width, what);
        if (target_has_value(target))
            fprintf(out, " %10.6g %10.6g", target->value, target_simulated(target, fit->document));
        else
            fprintf(out, " %10s %10s", "-", "-");
        fprintf(out, " %7.3f tolerances\n", analysis_off_by(fit, evaluation, i));
        g_free(what);
    }
}

static void print_sensitivity(const struct fit *fit, const struct evaluation *evaluation, FILE *out)
{
    int width = target_width(evaluation);
    fprintf(out,
            "\nWhat 1 %% more of a parameter changes in what is simulated (orders and "
            "crossovers: in tolerances)\n\n%-*s",
            width, "target");
    for (guint i = 0; i < evaluation->parameters->len; i++)
        fprintf(out, "  %s", report_parameter_at(evaluation, i)->path);
    fputc('\n', out);
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        char *what = target_text(report_target_at(evaluation, i));
        fprintf(out, "%-*s", width, what);
        for (guint k = 0; k < evaluation->parameters->len; k++)
            fprintf(out, "  %*.4g", text_width(report_parameter_at(evaluation, k)->path),
                    PER_CENT * gsl_matrix_get(fit->sensitivity, i, k));
        fputc('\n', out);
        g_free(what);
    }
}

static void print_correlation(const struct analysis *analysis, const struct evaluation *evaluation,
                              FILE *out)
{
    int width = path_width(evaluation);
    if (evaluation->parameters->len < 2)
        return;
    fprintf(out, "\nCondition of the problem: %.3g (1: every parameter shows on its own)\n",
            analysis->condition);
    for (guint i = 0; analysis->correlation && i < evaluation->parameters->len; i++) {
        fprintf(out, "%-*s", width, report_parameter_at(evaluation, i)->path);
        for (guint k = 0; k < evaluation->parameters->len; k++)
            fprintf(out, " %6.3f", gsl_matrix_get(analysis->correlation, i, k));
        fputs(i ? "\n" : "   correlation of the estimates\n", out);
    }
}

static void print_notes(const struct analysis *analysis, FILE *out)
{
    for (guint i = 0; i < analysis->notes->len; i++) {
        GString *text = g_string_new("note: ");
        text_append_wrapped(text, g_ptr_array_index(analysis->notes, i), TABLE_WIDTH - 6, 6);
        fprintf(out, "%s\n", text->str);
        g_string_free(text, TRUE);
    }
}

void calibrate_print_fit(const struct fit *fit, const struct analysis *analysis,
                         const struct evaluation *evaluation, FILE *out)
{
    print_parameters(fit, analysis, evaluation, out);
    print_targets(fit, evaluation, out);
    print_notes(analysis, out);
}

void calibrate_print(const struct fit *fit, const struct analysis *analysis,
                     const struct evaluation *evaluation, FILE *out)
{
    print_parameters(fit, analysis, evaluation, out);
    print_targets(fit, evaluation, out);
    print_sensitivity(fit, evaluation, out);
    print_correlation(analysis, evaluation, out);
    fprintf(out,
            "\n%s, %d runs; squared tolerances in all: %.4g at the start, %.4g at the end\n"
            "%u fitted constant%s, %u target%s\n",
            method_name(fit->method), evaluation->runs, fit->start_cost, fit->cost,
            evaluation->parameters->len, evaluation->parameters->len == 1 ? "" : "s",
            evaluation->targets->targets->len, evaluation->targets->targets->len == 1 ? "" : "s");
    if (analysis->degrees > 0)
        fprintf(out, "chi square %.4g for %d degree%s of freedom: %.3g each\n",
                analysis->chi_square, analysis->degrees, analysis->degrees == 1 ? "" : "s",
                analysis->chi_square / analysis->degrees);
    print_notes(analysis, out);
}

// ---- JSON ----

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_value(const struct fit_parameter *parameter, double value)
{
    char *text = fit_parameter_text(parameter, value);
    json_t *json = json_string(text);
    g_free(text);
    return json;
}

static json_t *parameters_json(const struct fit *fit, const struct analysis *analysis,
                               const struct evaluation *evaluation)
{
    json_t *list = json_array();
    for (guint i = 0; i < evaluation->parameters->len; i++) {
        const struct fit_parameter *parameter = report_parameter_at(evaluation, i);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "path",
                                              parameter->path, "value",
                                              text_value(parameter, fit->values[i]), "start",
                                              text_value(parameter, parameter->start), "current",
                                              text_value(parameter, parameter->current), "lo",
                                              text_value(parameter, parameter->lo), "hi",
                                              text_value(parameter, parameter->hi), "error_percent",
                                              number(100 * analysis->error[i])));
    }
    return list;
}

static json_t *targets_json(const struct fit *fit, const struct evaluation *evaluation)
{
    json_t *list = json_array();
    for (guint i = 0; i < evaluation->targets->targets->len; i++) {
        const struct target *target = report_target_at(evaluation, i);
        bool point = target_has_value(target);
        json_t *changes = json_object();
        for (guint k = 0; k < evaluation->parameters->len; k++)
            json_object_set_new(changes, report_parameter_at(evaluation, k)->path,
                                number(PER_CENT * gsl_matrix_get(fit->sensitivity, i, k)));
        char *what = target_text(target);
        json_array_append_new(
            list,
            json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o}", "target", what, "claim", target->claim,
                      "expected", point ? number(target->value) : json_null(), "simulated",
                      point ? number(target_simulated(target, fit->document)) : json_null(), "off",
                      number(analysis_off_by(fit, evaluation, i)), "sensitivity", changes));
        g_free(what);
    }
    return list;
}

static json_t *matrix_json(const gsl_matrix *matrix)
{
    if (!matrix)
        return json_null();
    json_t *rows = json_array();
    for (size_t i = 0; i < matrix->size1; i++) {
        json_t *row = json_array();
        for (size_t k = 0; k < matrix->size2; k++)
            json_array_append_new(row, number(gsl_matrix_get(matrix, i, k)));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *calibrate_json(const struct fit *fit, const struct analysis *analysis,
                       const struct evaluation *evaluation)
{
    json_t *notes = json_array();
    for (guint i = 0; i < analysis->notes->len; i++)
        json_array_append_new(notes, json_string(g_ptr_array_index(analysis->notes, i)));
    bool judged = analysis->degrees > 0;
    return json_pack(
        "{s:s, s:b, s:b, s:o, s:i, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "method",
        method_name(fit->method), "method_changed", fit->changed, "converged", fit->converged,
        "chi_square", judged ? number(analysis->chi_square) : json_null(), "degrees_of_freedom",
        MAX(analysis->degrees, 0), "probability",
        judged ? number(analysis->probability) : json_null(), "described",
        judged || analysis_refutes(analysis) ? json_boolean(!analysis_refutes(analysis))
                                             : json_null(),
        "runs", evaluation->runs, "cost", number(fit->cost), "start_cost", number(fit->start_cost),
        "condition", number(analysis->condition), "parameters",
        parameters_json(fit, analysis, evaluation), "targets", targets_json(fit, evaluation),
        "correlation", matrix_json(analysis->correlation), "notes", notes);
}
