// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/posterior.h"

#include "sim/core/sim.h"
#include "sim/output/text.h"
#include "sim/statistics/rank.h"
#include "sim/statistics/smoother.h"
#include "sim/statistics/weights.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define CHANCE 0.05 // that the most of all constants stands out by chance
#define MOST_COMMON 3
#define ROUNDING 1e-6 // of an effective number

static guint posterior_targets(const struct posterior *posterior)
{
    return posterior->targets->targets->len;
}

static guint posterior_constants(const struct posterior *posterior)
{
    return posterior->constants->constants->len;
}

static const struct target *posterior_target(const struct posterior *posterior, guint index)
{
    return g_ptr_array_index(posterior->targets->targets, index);
}

double *posterior_column(const double *rows, int draws, guint width, guint column)
{
    double *values = g_new(double, draws);
    for (int draw = 0; draw < draws; draw++)
        values[draw] = rows[(size_t)draw * width + column];
    return values;
}

// ---- Targets ----

double target_prediction(const struct target *target, const json_t *document, char **why)
{
    int count = target_residuals(target);
    double *residuals = g_new0(double, count), worst = 0.0;
    bool good = target_judge(target, document, residuals, why);
    for (int i = 0; i < count; i++)
        if (fabs(residuals[i]) > fabs(worst))
            worst = residuals[i];
    g_free(residuals);
    if (!good)
        return NAN;
    return target_has_value(target) ? target_simulated(target, document) : worst / target->weight;
}

double target_measured(const struct target *target)
{
    return target_has_value(target) ? target->value : 0.0;
}

double target_error(const struct target *target, double discrepancy)
{
    double model = target->kind == TARGET_POINT ? discrepancy * fabs(target->value)
                                                : M_SQRT2 * discrepancy; // of two values
    double unit = target_has_value(target) ? 1.0 : target->tolerance;
    return weights_error(target->tolerance, model) / unit / target->weight;
}

// ---- Runs ----

static struct posterior_machines machines_new(const struct posterior *posterior)
{
    size_t draws = (size_t)posterior->options.draws;
    return (struct posterior_machines){
        .normals = g_new0(double, draws *MAX(posterior_constants(posterior), 1)),
        .simulated = g_new0(double, draws *posterior_targets(posterior)),
        .faults = g_new0(char *, draws)};
}

static void machines_clear(struct posterior_machines *machines, int draws)
{
    for (int i = 0; machines->faults && i < draws; i++)
        g_free(machines->faults[i]);
    g_free(machines->faults);
    g_free(machines->normals);
    g_free(machines->simulated);
}

// The differences of a machine from the scenario: the number of its draw, and once it has been
// moved all of its constants.
static char **machine_settings(const struct posterior *posterior,
                               const struct posterior_machines *machines, int draw, bool moved)
{
    GPtrArray *sets = g_ptr_array_new();
    guint constants = posterior_constants(posterior);
    g_ptr_array_add(sets, g_strdup_printf("draw=%d", draw + 1));
    for (guint i = 0; moved && i < constants; i++) {
        const struct uncertain_constant *constant = uncertain_at(posterior->constants, i);
        if (!constant->number)
            continue; // the draw has it
        char *text =
            uncertain_text(constant, machines->normals[(size_t)draw * constants + i], draw + 1);
        g_ptr_array_add(sets, g_strdup_printf("%s=%s", constant->drawn->path, text));
        g_free(text);
    }
    g_ptr_array_add(sets, NULL);
    return (char **)g_ptr_array_free(sets, FALSE);
}

// Why a document is no result; NULL: it is one.
static char *document_fault(const json_t *document)
{
    const json_t *series;
    size_t i;
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        const char *status = json_string_value(json_object_get(series, "status"));
        if (g_strcmp0(status, sim_status_name(SIM_COMPLETED)) == 0)
            continue;
        const char *text =
            json_string_value(json_object_get(json_object_get(series, "reason"), "text"));
        return g_strdup_printf("%s: %s", json_string_value(json_object_get(series, "name")),
                               text ? text : status);
    }
    return NULL;
}

static void judge_machine(const struct posterior *posterior, struct posterior_machines *machines,
                          int draw, const json_t *document)
{
    guint targets = posterior_targets(posterior);
    char *fault = document_fault(document);
    for (guint i = 0; !fault && i < targets; i++)
        machines->simulated[(size_t)draw * targets + i] =
            target_prediction(posterior_target(posterior, i), document, &fault);
    machines->faults[draw] = fault;
    machines->completed += !fault;
}

// Runs those machines that have no fault.
static bool run_machines(struct posterior *posterior, struct evaluation *evaluation,
                         struct posterior_machines *machines, bool moved, GError **error)
{
    int draws = posterior->options.draws, count = 0;
    char ***points = g_new0(char **, draws), **faults = g_new0(char *, draws);
    json_t **documents = g_new0(json_t *, draws);
    int *numbers = g_new(int, draws);
    for (int draw = 0; draw < draws; draw++) {
        if (machines->faults[draw])
            continue;
        points[count] = machine_settings(posterior, machines, draw, moved);
        numbers[count++] = draw;
    }
    machines->completed = 0;
    bool good = evaluation_documents(evaluation, count, points, documents, faults, error);
    for (int i = 0; i < count; i++) {
        if (good && documents[i])
            judge_machine(posterior, machines, numbers[i], documents[i]);
        else
            machines->faults[numbers[i]] = g_strdup(faults[i]);
        g_free(faults[i]);
        json_decref(documents[i]);
        g_strfreev(points[i]);
    }
    posterior->runs += count;
    g_free(faults);
    g_free(numbers);
    g_free(documents);
    g_free(points);
    return good;
}

// ---- What failed ----

// The reason that most of the machines with a fault have; ties: the first draw's.
static const char *common_fault(const struct posterior_machines *machines, int draws, int *count)
{
    const char *best = NULL;
    *count = 0;
    for (int i = 0; i < draws; i++) {
        int same = 0;
        for (int k = 0; machines->faults[i] && k < draws; k++)
            same += text_alike(machines->faults[i], machines->faults[k]);
        if (same > *count) {
            *count = same;
            best = machines->faults[i];
        }
    }
    return best;
}

static double median_normal(const double *normals, const struct posterior_machines *machines,
                            int draws, bool faulty, double completed)
{
    double *weights = g_new0(double, draws);
    double others = draws - completed;
    for (int i = 0; i < draws; i++)
        if (!machines->faults[i] == !faulty)
            weights[i] = 1.0 / (faulty ? others : completed);
    double median = weights_quantile(normals, weights, (size_t)draws, 0.5);
    g_free(weights);
    return median;
}

struct common_cause {
    guint constant;
    double z;
};

static int compare_causes(const void *a, const void *b)
{
    double one = fabs(((const struct common_cause *)a)->z);
    double other = fabs(((const struct common_cause *)b)->z);
    return one > other ? -1 : one < other;
}

// The constants by whose ranks draws with a fault stand out beyond chance, the most first.
static GArray *common_causes(const struct posterior_machines *machines,
                             const struct uncertain_list *constants, int draws)
{
    guint count = constants->constants->len;
    GArray *causes = g_array_new(FALSE, FALSE, sizeof(struct common_cause));
    bool *faulty = g_new(bool, draws);
    for (int i = 0; i < draws; i++)
        faulty[i] = machines->faults[i] != NULL;
    double bound = gsl_cdf_ugaussian_Qinv(CHANCE / 2 / MAX(count, 1));
    for (guint i = 0; i < count; i++) {
        double *normals = posterior_column(machines->normals, draws, count, i);
        struct common_cause cause = {i, rank_sum_z(normals, faulty, (size_t)draws)};
        if (fabs(cause.z) > bound)
            g_array_append_val(causes, cause);
        g_free(normals);
    }
    g_array_sort(causes, compare_causes);
    g_free(faulty);
    return causes;
}

static void append_cause(GString *out, const struct common_cause *cause,
                         const struct posterior_machines *machines,
                         const struct uncertain_list *constants, int draws)
{
    const struct uncertain_constant *constant = uncertain_at(constants, cause->constant);
    double *normals =
        posterior_column(machines->normals, draws, constants->constants->len, cause->constant);
    g_string_append_printf(out, "%s is %s", constant->drawn->path,
                           cause->z > 0.0 ? "greater" : "smaller");
    if (constant->number) {
        double completed = machines->completed;
        char *of_them = uncertain_rounded_text(
            constant, median_normal(normals, machines, draws, true, completed));
        char *of_others = uncertain_rounded_text(
            constant, median_normal(normals, machines, draws, false, completed));
        g_string_append_printf(out, " (median %s, of the others %s)", of_them, of_others);
        g_free(of_them);
        g_free(of_others);
    } else {
        g_string_truncate(out, out->len - strlen(" is greater"));
        g_string_append(out, " has another value");
    }
    g_free(normals);
}

char *posterior_faults_text(const struct posterior_machines *machines,
                            const struct uncertain_list *constants, int draws)
{
    int same, failed = draws - machines->completed;
    const char *fault = common_fault(machines, draws, &same);
    if (!fault)
        return NULL;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%d of %d draws gave no result", failed, draws);
    if (same < failed)
        g_string_append_printf(out, ", %d of them alike", same);
    g_string_append_printf(out, ": %s", fault);
    if (machines->completed > 0) {
        GArray *causes = common_causes(machines, constants, draws);
        for (guint i = 0; i < MIN(causes->len, MOST_COMMON); i++) {
            g_string_append(out, i ? ", " : "; in them ");
            append_cause(out, &g_array_index(causes, struct common_cause, i), machines, constants,
                         draws);
        }
        g_array_unref(causes);
    }
    return g_string_free(out, FALSE);
}

// ---- Learning ----

static void set_errors(struct posterior *posterior)
{
    guint targets = posterior_targets(posterior);
    posterior->measured = g_new(double, targets);
    posterior->errors = g_new(double, targets);
    for (guint i = 0; i < targets; i++) {
        const struct target *target = posterior_target(posterior, i);
        posterior->measured[i] = target_measured(target);
        posterior->errors[i] = target_error(target, posterior->options.discrepancy);
    }
}

static void set_normals(const struct posterior *posterior, struct posterior_machines *machines)
{
    guint constants = posterior_constants(posterior);
    for (int draw = 0; draw < posterior->options.draws; draw++)
        for (guint i = 0; i < constants; i++)
            machines->normals[(size_t)draw * constants + i] =
                uncertain_normal(uncertain_at(posterior->constants, i), draw + 1);
}

static void weigh_by_targets(struct posterior *posterior)
{
    int draws = posterior->options.draws;
    guint targets = posterior_targets(posterior);
    posterior->weights = g_new0(double, draws);
    for (int draw = 0; draw < draws; draw++) {
        double misfit = posterior->prior.faults[draw] ? INFINITY : 0.0;
        for (guint i = 0; i < targets; i++) {
            double off =
                weights_implausibility(posterior->prior.simulated[(size_t)draw * targets + i],
                                       posterior->measured[i], posterior->errors[i]);
            misfit += off * off;
        }
        posterior->weights[draw] = misfit;
    }
    weights_of_misfits(posterior->weights, (size_t)draws, posterior->weights);
    posterior->size = weights_effective_size(posterior->weights, (size_t)draws);
}

static void copy_machines(const struct posterior *posterior, const struct posterior_machines *from,
                          struct posterior_machines *to)
{
    size_t draws = (size_t)posterior->options.draws;
    *to = machines_new(posterior);
    memcpy(to->normals, from->normals,
           draws * posterior_constants(posterior) * sizeof *to->normals);
    memcpy(to->simulated, from->simulated,
           draws * posterior_targets(posterior) * sizeof *to->simulated);
    for (size_t i = 0; i < draws; i++)
        to->faults[i] = g_strdup(from->faults[i]);
    to->completed = from->completed;
}

// The machines with a result as a smoother has them, without their gaps. Its arrays are owned.
struct members {
    struct smoother smoother;
    double *simulated, *offsets;
    int *draws; // by member
};

static guint number_count(const struct posterior *posterior)
{
    guint numbers = 0;
    for (guint i = 0; i < posterior_constants(posterior); i++)
        numbers += uncertain_at(posterior->constants, i)->number;
    return numbers;
}

// By member and constant that is no number: the first member with the same value.
static int *alternative_groups(const struct posterior *posterior, const struct members *members)
{
    guint constants = posterior_constants(posterior);
    size_t factors = constants - number_count(posterior), factor = 0;
    int *groups = g_new(int, members->smoother.members *MAX(factors, 1));
    for (guint i = 0; i < constants; i++) {
        const struct uncertain_constant *constant = uncertain_at(posterior->constants, i);
        if (constant->number)
            continue;
        GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (size_t k = 0; k < members->smoother.members; k++) {
            char *text = uncertain_text(constant, 0.0, members->draws[k] + 1);
            const char *key = text ? text : "";
            if (!g_hash_table_contains(seen, key))
                g_hash_table_insert(seen, g_strdup(key), GSIZE_TO_POINTER(k));
            groups[k * factors + factor] = (int)GPOINTER_TO_SIZE(g_hash_table_lookup(seen, key));
            g_free(text);
        }
        g_hash_table_unref(seen);
        factor++;
    }
    return groups;
}

static struct members members_new(const struct posterior *posterior,
                                  const struct posterior_machines *machines)
{
    guint constants = posterior_constants(posterior), targets = posterior_targets(posterior);
    guint numbers = number_count(posterior);
    size_t draws = (size_t)posterior->options.draws, count = 0;
    struct members members = {.simulated = g_new(double, draws *targets),
                              .offsets = g_new0(double, draws *targets),
                              .draws = g_new(int, draws)};
    double *state = g_new(double, draws *MAX(numbers, 1)), *put = state;
    for (size_t draw = 0; draw < draws; draw++) {
        if (machines->faults[draw])
            continue;
        for (guint i = 0; i < constants; i++)
            if (uncertain_at(posterior->constants, i)->number)
                *put++ = machines->normals[draw * constants + i];
        memcpy(members.simulated + count * targets, machines->simulated + draw * targets,
               targets * sizeof *members.simulated);
        members.draws[count++] = (int)draw;
    }
    members.smoother = (struct smoother){.members = count,
                                         .parameters = numbers,
                                         .targets = targets,
                                         .state = state,
                                         .simulated = members.simulated,
                                         .measured = posterior->measured,
                                         .errors = posterior->errors,
                                         .offsets = members.offsets,
                                         .assimilations = SMOOTHER_ASSIMILATIONS,
                                         .seed = posterior->options.seed};
    int *groups = alternative_groups(posterior, &members);
    smoother_group_offsets(members.simulated, count, targets, groups, constants - numbers,
                           members.offsets);
    g_free(groups);
    return members;
}

static void members_clear(struct members *members)
{
    g_free(members->smoother.state);
    g_free(members->simulated);
    g_free(members->offsets);
    g_free(members->draws);
}

// One assimilation: moves the numbers of those machines that have results.
static void assimilate(const struct posterior *posterior, struct posterior_machines *machines,
                       int step)
{
    guint constants = posterior_constants(posterior);
    struct members members = members_new(posterior, machines);
    smoother_update(&members.smoother, step);
    const double *take = members.smoother.state;
    for (size_t k = 0; k < members.smoother.members; k++)
        for (guint i = 0; i < constants; i++)
            if (uncertain_at(posterior->constants, i)->number)
                machines->normals[(size_t)members.draws[k] * constants + i] = *take++;
    members_clear(&members);
}

// Weighs the moved draws by their alternatives, which the smoother has not moved.
static void weigh_alternatives(struct posterior *posterior)
{
    struct members members = members_new(posterior, &posterior->prior);
    double *weights = g_new(double, members.smoother.members), sum = 0.0;
    smoother_offset_weights(&members.smoother, weights);
    for (size_t k = 0; k < members.smoother.members; k++)
        if (!posterior->moved.faults[members.draws[k]])
            sum += posterior->result_weights[members.draws[k]] = weights[k];
    for (int i = 0; i < posterior->options.draws; i++)
        posterior->result_weights[i] /= sum;
    posterior->result_size =
        weights_effective_size(posterior->result_weights, (size_t)posterior->options.draws);
    g_free(weights);
    members_clear(&members);
}

static bool too_few(const struct posterior *posterior, const struct posterior_machines *machines,
                    GError **error)
{
    if (machines->completed >= POSTERIOR_LEAST_SIZE)
        return false;
    char *faults = posterior_faults_text(machines, posterior->constants, posterior->options.draws);
    g_set_error(error, EVALUATION_ERROR, EVALUATION_LOST, "%s; %d results are needed", faults,
                POSTERIOR_LEAST_SIZE);
    g_free(faults);
    return true;
}

static bool move_draws(struct posterior *posterior, struct evaluation *evaluation, GError **error)
{
    posterior->method = POSTERIOR_SMOOTHER;
    copy_machines(posterior, &posterior->prior, &posterior->moved);
    struct posterior_machines *moved = &posterior->moved;
    for (int step = 0; step < SMOOTHER_ASSIMILATIONS; step++) {
        assimilate(posterior, moved, step);
        if (!run_machines(posterior, evaluation, moved, true, error) ||
            too_few(posterior, moved, error))
            return false;
    }
    posterior->result = moved;
    weigh_alternatives(posterior);
    return true;
}

// The draws themselves, by their weights.
static void keep_draws(struct posterior *posterior)
{
    posterior->method = POSTERIOR_WEIGHTS;
    posterior->result = &posterior->prior;
    memcpy(posterior->result_weights, posterior->weights,
           (size_t)posterior->options.draws * sizeof *posterior->weights);
    posterior->result_size = posterior->size;
}

struct posterior *posterior_new(struct evaluation *evaluation,
                                const struct uncertain_list *constants,
                                const struct posterior_options *options, GError **error)
{
    struct posterior *posterior = g_new0(struct posterior, 1);
    posterior->options = *options;
    posterior->targets = evaluation->targets;
    posterior->constants = constants;
    posterior->prior = machines_new(posterior);
    posterior->result_weights = g_new0(double, options->draws);
    set_errors(posterior);
    set_normals(posterior, &posterior->prior);
    bool good = run_machines(posterior, evaluation, &posterior->prior, false, error) &&
                !too_few(posterior, &posterior->prior, error);
    if (good) {
        weigh_by_targets(posterior);
        if (posterior->size >= POSTERIOR_LEAST_SIZE - ROUNDING)
            keep_draws(posterior);
        else
            good = move_draws(posterior, evaluation, error);
    }
    if (good)
        return posterior;
    posterior_free(posterior);
    return NULL;
}

void posterior_free(struct posterior *posterior)
{
    if (!posterior)
        return;
    machines_clear(&posterior->prior, posterior->options.draws);
    machines_clear(&posterior->moved, posterior->options.draws);
    g_free(posterior->result_weights);
    g_free(posterior->measured);
    g_free(posterior->errors);
    g_free(posterior->weights);
    g_free(posterior);
}
