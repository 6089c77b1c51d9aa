// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/calibrate/refit.h"

#include "sim/campaign/workers.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <string.h>

#define MOST_ROUNDS 16
#define MOST_HALVINGS 3
#define CLOSE 0.02        // tolerances, root mean square: met
#define BETTER 1e-3       // a step that gains less of the cost is the last
#define LEAST_SLOPE 0.05  // tolerances per e-fold: else no number depends on the parameter
#define ORDERS_WORSE 0.25 // squared tolerances: orders that are met worse than without draws
#define TRIES 8           // values of a parameter that only orders depend on
#define SAME_OFF 0.1      // tolerances: the scenario's values are as good as a fit's
#define COARSE 0.005      // units that are a greater part of a value are chosen one by one
#define MOST_COARSE 4
#define COARSE_WIDTH 4
#define TRUNCATED 1e-6 // singular values below this part of the largest are noise

enum refit_phase { REFIT_STARTS, REFIT_STEPS, REFIT_TRIES, REFIT_ENDED };

struct refit_state {
    const struct refit *refit;
    struct refit_draw *draw;
    enum refit_phase phase;
    double *residuals; // at draw->values, the best so far
    gsl_matrix *slopes;
    double cost;    // of the numbers
    double *trials; // x parameters
    int trial_count, rounds, halvings;
    bool lost; // no convergence
};

static size_t parameter_count(const struct refit *refit)
{
    return refit->evaluation->parameters->len;
}

static const struct fit_parameter *refit_parameter_at(const struct refit *refit, size_t index)
{
    return g_ptr_array_index(refit->evaluation->parameters, index);
}

static double number_at(const struct refit *refit, const double *residuals, size_t row)
{
    return residuals[g_array_index(refit->numbers, int, row)];
}

// ---- Costs ----

static double numbers_cost(const struct refit *refit, const double *residuals)
{
    double sum = 0.0;
    for (size_t i = 0; i < refit->numbers->len; i++)
        sum += number_at(refit, residuals, i) * number_at(refit, residuals, i);
    return sum;
}

static double orders_cost(const struct refit *refit, const double *residuals)
{
    int count = target_list_residuals(refit->evaluation->targets);
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += residuals[i] * residuals[i];
    return MAX(sum - numbers_cost(refit, residuals), 0.0);
}

static double root_mean(const struct refit *refit, double cost)
{
    return sqrt(cost / MAX(refit->numbers->len, 1));
}

// ---- A step ----

// A least-squares problem in those parameters that are free to move.
struct step_problem {
    const struct refit_state *state;
    double *step; // by parameter, in scales
    bool *fixed;
};

// The residuals of the numbers that the fixed part of the step leaves.
static void remaining(const struct step_problem *problem, gsl_vector *y)
{
    const struct refit_state *state = problem->state;
    gsl_vector_set_zero(y);
    for (size_t i = 0; i < state->refit->numbers->len; i++) {
        double left = -number_at(state->refit, state->residuals, i);
        for (size_t k = 0; k < state->slopes->size2; k++)
            left -=
                problem->fixed[k] ? gsl_matrix_get(state->slopes, i, k) * problem->step[k] : 0.0;
        gsl_vector_set(y, i, left);
    }
}

static void solve_free(const struct step_problem *problem)
{
    const struct refit_state *state = problem->state;
    size_t p = 0, n = state->refit->numbers->len;
    for (size_t k = 0; k < state->slopes->size2; k++)
        p += !problem->fixed[k];
    if (p == 0)
        return;
    gsl_matrix *x = gsl_matrix_calloc(MAX(n, p), p), *cov = gsl_matrix_alloc(p, p);
    gsl_vector *y = gsl_vector_alloc(MAX(n, p)), *c = gsl_vector_alloc(p);
    for (size_t k = 0, column = 0; k < state->slopes->size2; k++) {
        if (problem->fixed[k])
            continue;
        for (size_t i = 0; i < n; i++)
            gsl_matrix_set(x, i, column, gsl_matrix_get(state->slopes, i, k));
        column++;
    }
    remaining(problem, y);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(MAX(n, p), p);
    double chi_square;
    size_t rank;
    gsl_multifit_linear_tsvd(x, y, TRUNCATED, c, cov, &chi_square, &rank, work);
    for (size_t k = 0, column = 0; k < state->slopes->size2; k++)
        if (!problem->fixed[k])
            problem->step[k] = gsl_vector_get(c, column++);
    gsl_multifit_linear_free(work);
    gsl_matrix_free(x);
    gsl_matrix_free(cov);
    gsl_vector_free(y);
    gsl_vector_free(c);
}

// Fixes the parameter that leaves its bounds farthest at the bound; false: none does.
static bool fix_outermost(const struct step_problem *problem)
{
    const struct refit_state *state = problem->state;
    double farthest = 0.0, at = 0.0;
    size_t which = 0;
    for (size_t k = 0; k < state->slopes->size2; k++) {
        const struct fit_parameter *parameter = refit_parameter_at(state->refit, k);
        double scale = state->refit->scales[k], now = state->draw->values[k];
        double value = now + problem->step[k] * scale;
        double bound = CLAMP(value, parameter->lo, parameter->hi);
        if (problem->fixed[k] || fabs(value - bound) / scale <= farthest)
            continue;
        farthest = fabs(value - bound) / scale;
        at = (bound - now) / scale;
        which = k;
    }
    if (farthest <= 0.0)
        return false;
    problem->step[which] = at;
    problem->fixed[which] = true;
    return true;
}

// The cost that the slopes predict at `values`.
static double predicted_cost(const struct refit_state *state, const double *values)
{
    const struct refit *refit = state->refit;
    double cost = 0.0;
    for (size_t i = 0; i < refit->numbers->len; i++) {
        double left = number_at(refit, state->residuals, i);
        for (size_t k = 0; k < state->slopes->size2; k++)
            left += gsl_matrix_get(state->slopes, i, k) * (values[k] - state->draw->values[k]) /
                    refit->scales[k];
        cost += left * left;
    }
    return cost;
}

// Of values that are a few units only, such as cycles, the best by the slopes among those next to
// what was solved: to round each of them by itself may lead astray.
struct unit_choice {
    const struct refit_state *state;
    const double *solved;
    size_t which[MOST_COARSE], count;
};

static struct unit_choice coarse_ones(const struct refit_state *state, const double *solved)
{
    struct unit_choice choice = {.state = state, .solved = solved};
    const struct refit *refit = state->refit;
    for (size_t k = 0; k < parameter_count(refit) && choice.count < MOST_COARSE; k++)
        if (refit->by_numbers[k] && refit_parameter_at(refit, k)->kind != QUANTITY_REAL &&
            solved[k] * COARSE < 1.0)
            choice.which[choice.count++] = k;
    return choice;
}

static void take_combination(const struct unit_choice *choice, int number, double *point)
{
    for (size_t i = 0; i < choice->count; i++, number /= COARSE_WIDTH) {
        size_t k = choice->which[i];
        const struct fit_parameter *parameter = refit_parameter_at(choice->state->refit, k);
        double unit = floor(choice->solved[k]) - 1 + number % COARSE_WIDTH;
        point[k] = CLAMP(unit, parameter->lo, parameter->hi);
    }
}

static void choose_units(const struct refit_state *state, double *values)
{
    size_t bytes = parameter_count(state->refit) * sizeof *values;
    double *solved = g_memdup2(values, bytes), *point = g_memdup2(values, bytes);
    double least = INFINITY;
    struct unit_choice choice = coarse_ones(state, solved);
    int combinations = 1;
    for (size_t i = 0; i < choice.count; i++)
        combinations *= COARSE_WIDTH;
    for (int at = 0; choice.count > 0 && at < combinations; at++) {
        take_combination(&choice, at, point);
        double cost = predicted_cost(state, point);
        if (cost < least - 1e-12) {
            least = cost;
            memcpy(values, point, bytes);
        }
    }
    g_free(solved);
    g_free(point);
}

// Fills the next trial. Returns false if that is the draw's own place.
static bool next_step(struct refit_state *state)
{
    const struct refit *refit = state->refit;
    size_t p = parameter_count(refit);
    struct step_problem problem = {state, g_new0(double, p), g_new0(bool, p)};
    for (size_t k = 0; k < p; k++)
        problem.fixed[k] = !refit->by_numbers[k];
    do
        solve_free(&problem);
    while (fix_outermost(&problem));
    double part = ldexp(1.0, -state->halvings), *trial = state->trials;
    for (size_t k = 0; k < p; k++)
        trial[k] = state->draw->values[k] + part * problem.step[k] * refit->scales[k];
    choose_units(state, trial);
    bool moved = false;
    for (size_t k = 0; k < p; k++) {
        if (refit->by_numbers[k])
            trial[k] = fit_parameter_round(refit_parameter_at(refit, k), trial[k]);
        moved |= trial[k] != state->draw->values[k];
    }
    g_free(problem.step);
    g_free(problem.fixed);
    return moved;
}

// Broyden: the slopes that explain what the step from the best values to the trial has changed.
static void update_slopes(struct refit_state *state, const double *residuals)
{
    const struct refit *refit = state->refit;
    size_t p = parameter_count(refit);
    double *step = g_new0(double, p), squares = 0.0;
    for (size_t k = 0; k < p; k++) {
        step[k] = (state->trials[k] - state->draw->values[k]) / refit->scales[k];
        squares += step[k] * step[k];
    }
    for (size_t i = 0; squares > 0.0 && i < refit->numbers->len; i++) {
        double off = number_at(refit, residuals, i) - number_at(refit, state->residuals, i);
        for (size_t k = 0; k < p; k++)
            off -= gsl_matrix_get(state->slopes, i, k) * step[k];
        for (size_t k = 0; k < p; k++)
            *gsl_matrix_ptr(state->slopes, i, k) += off * step[k] / squares;
    }
    g_free(step);
}

// ---- Parameters that only orders depend on ----

static bool orders_are_worse(const struct refit_state *state)
{
    double without = state->refit->orders * state->refit->orders;
    return orders_cost(state->refit, state->residuals) > without + ORDERS_WORSE;
}

// Values from bound to bound of each such parameter. Returns false without one.
static bool begin_tries(struct refit_state *state)
{
    const struct refit *refit = state->refit;
    size_t p = parameter_count(refit), flat = 0;
    for (size_t k = 0; k < p; k++)
        flat += !refit->by_numbers[k];
    if (flat == 0)
        return false;
    state->trials = g_renew(double, state->trials, flat *TRIES *p);
    state->trial_count = 0;
    for (size_t k = 0; k < p; k++)
        for (int i = 0; !refit->by_numbers[k] && i < TRIES; i++) {
            const struct fit_parameter *parameter = refit_parameter_at(refit, k);
            double *trial = state->trials + (size_t)state->trial_count++ * p;
            memcpy(trial, state->draw->values, p * sizeof *trial);
            double part = (i + 0.5) / TRIES;
            trial[k] = fit_parameter_round(
                parameter, parameter->lo > 0
                               ? parameter->lo * pow(parameter->hi / parameter->lo, part)
                               : parameter->hi * part);
        }
    state->phase = REFIT_TRIES;
    return true;
}

static void end_tries(struct refit_state *state, const double *residuals, char *const *faults)
{
    const struct refit *refit = state->refit;
    size_t p = parameter_count(refit);
    int each = target_list_residuals(refit->evaluation->targets), chosen = -1;
    double least = state->cost + orders_cost(refit, state->residuals) - ORDERS_WORSE;
    for (int i = 0; i < state->trial_count; i++) {
        const double *one = residuals + (ptrdiff_t)i * each;
        double cost = faults[i] ? INFINITY : numbers_cost(refit, one) + orders_cost(refit, one);
        if (cost >= least)
            continue;
        least = cost;
        chosen = i;
    }
    state->phase = REFIT_ENDED;
    if (chosen < 0)
        return;
    memcpy(state->draw->values, state->trials + (size_t)chosen * p, p * sizeof(double));
    memcpy(state->residuals, residuals + (ptrdiff_t)chosen * each, (size_t)each * sizeof(double));
    state->cost = numbers_cost(refit, state->residuals);
    state->draw->tried = true;
}

// ---- A draw ----

static void settle(struct refit_state *state, bool lost)
{
    state->lost = lost;
    state->phase = REFIT_ENDED;
    if (!lost && orders_are_worse(state))
        begin_tries(state);
}

static void go_on(struct refit_state *state)
{
    if (root_mean(state->refit, state->cost) <= CLOSE || !next_step(state))
        settle(state, false);
    else if (++state->rounds > MOST_ROUNDS)
        settle(state, true);
}

static void accept(struct refit_state *state, const double *residuals)
{
    int each = target_list_residuals(state->refit->evaluation->targets);
    memcpy(state->draw->values, state->trials, parameter_count(state->refit) * sizeof(double));
    memcpy(state->residuals, residuals, (size_t)each * sizeof(double));
    state->cost = numbers_cost(state->refit, residuals);
}

static void take_start_of_draw(struct refit_state *state, const double *residuals,
                               const char *fault)
{
    state->phase = REFIT_STEPS;
    if (fault) {
        state->draw->fault = g_strdup(fault);
        state->phase = REFIT_ENDED;
        return;
    }
    accept(state, residuals);
    go_on(state);
}

static void take_step(struct refit_state *state, const double *residuals, const char *fault)
{
    double cost = fault ? INFINITY : numbers_cost(state->refit, residuals), before = state->cost;
    if (!fault)
        update_slopes(state, residuals);
    if (cost < before) {
        accept(state, residuals);
        state->halvings = 0;
        if (before - cost < BETTER * before)
            settle(state, false);
        else
            go_on(state);
    } else if (++state->halvings > MOST_HALVINGS) {
        settle(state, fault != NULL); // the simulated function may be stairs: no step helps
    } else {
        go_on(state);
    }
}

static void take(struct refit_state *state, const double *residuals, char *const *faults)
{
    switch (state->phase) {
    case REFIT_STARTS:
        take_start_of_draw(state, residuals, faults[0]);
        break;
    case REFIT_STEPS:
        take_step(state, residuals, faults[0]);
        break;
    case REFIT_TRIES:
        end_tries(state, residuals, faults);
        break;
    case REFIT_ENDED:
        break;
    }
}

// ---- All draws ----

static void state_init(struct refit_state *state, const struct refit *refit,
                       struct refit_draw *draw)
{
    size_t p = parameter_count(refit);
    int each = target_list_residuals(refit->evaluation->targets);
    *state = (struct refit_state){.refit = refit, .draw = draw, .trial_count = 1};
    draw->values = g_memdup2(refit->medians->values, p * sizeof(double));
    state->trials = g_memdup2(draw->values, p * sizeof(double));
    state->residuals = g_new0(double, each);
    state->slopes = gsl_matrix_alloc(refit->slopes->size1, refit->slopes->size2);
    gsl_matrix_memcpy(state->slopes, refit->slopes);
}

static void state_clear(struct refit_state *state)
{
    g_free(state->trials);
    g_free(state->residuals);
    gsl_matrix_free(state->slopes);
}

// Runs the trials of all draws that have some. False: none has, or an error.
static bool run_round(const struct refit *refit, struct refit_state *states, int count,
                      GError **error)
{
    size_t p = parameter_count(refit);
    int each = target_list_residuals(refit->evaluation->targets), points = 0, at = 0;
    for (int i = 0; i < count; i++)
        points += states[i].phase == REFIT_ENDED ? 0 : states[i].trial_count;
    if (points == 0)
        return false;
    int64_t *draws = g_new0(int64_t, points);
    double *values = g_new0(double, (size_t)points *p);
    double *residuals = g_new0(double, (ptrdiff_t)points *each);
    char **faults = g_new0(char *, points + 1);
    for (int i = 0; i < count; i++)
        for (int k = 0; states[i].phase != REFIT_ENDED && k < states[i].trial_count; k++, at++) {
            draws[at] = states[i].draw->draw;
            memcpy(values + (size_t)at * p, states[i].trials + (size_t)k * p, p * sizeof *values);
        }
    bool good =
        evaluation_run_draws(refit->evaluation, points, draws, values, residuals, faults, error);
    at = 0;
    for (int i = 0; good && i < count; i++) {
        int taken = states[i].phase == REFIT_ENDED ? 0 : states[i].trial_count;
        take(&states[i], residuals + (ptrdiff_t)at * each, faults + at);
        at += taken;
    }
    for (int i = 0; i < points; i++)
        g_free(faults[i]);
    g_free(faults);
    g_free(residuals);
    g_free(values);
    g_free(draws);
    return good;
}

// ---- Ends ----

static void measure(const struct refit *refit, struct refit_draw *draw, const double *residuals)
{
    draw->off = root_mean(refit, numbers_cost(refit, residuals));
    draw->orders = sqrt(orders_cost(refit, residuals));
}

static bool is_poor(const struct refit *refit, const struct refit_draw *draw)
{
    return draw->off > refit->off + REFIT_GOOD_OFF;
}

// "eepro100.rx_latency at its bound 0 s, …", or nothing. The caller frees it.
static char *bounds_text(const struct refit *refit, const double *values)
{
    GString *text = g_string_new(NULL);
    for (size_t k = 0; k < parameter_count(refit); k++) {
        const struct fit_parameter *parameter = refit_parameter_at(refit, k);
        if (!refit->by_numbers[k] || (values[k] > parameter->lo && values[k] < parameter->hi))
            continue;
        char *value = fit_parameter_text(parameter, values[k]);
        g_string_append_printf(text, "%s%s at its bound %s", text->len ? ", " : "", parameter->path,
                               value);
        g_free(value);
    }
    return g_string_free(text, FALSE);
}

// By how much a target is off more than without draws.
static double more_off(const struct refit *refit, const double *residuals, int row)
{
    return fabs(residuals[row]) - fabs(refit->medians->residuals[row]);
}

// The number that is farthest off among those that are too far; *off: its residual. NULL: none is.
static const struct target *missed_target(const struct refit *refit, const double *residuals,
                                          double *off)
{
    const GPtrArray *targets = refit->evaluation->targets->targets;
    const struct target *missed = NULL;
    double most = REFIT_MOST_OFF;
    int row = 0;
    for (guint i = 0; i < targets->len; i++) {
        const struct target *target = g_ptr_array_index(targets, i);
        double more = more_off(refit, residuals, row) / target->weight;
        if (target_has_value(target) && more > most &&
            more * target->tolerance > REFIT_MOST_SHARE * fabs(target->value)) {
            missed = target;
            most = more;
            *off = residuals[row] / target->weight;
        }
        row += target_residuals(target);
    }
    return missed;
}

// Why there is no fit, with the bounds that hold it back; NULL: there is one. The caller frees it.
static char *fault_of(const struct refit *refit, const double *values, const double *residuals)
{
    double off;
    const struct target *missed = missed_target(refit, residuals, &off);
    if (!missed)
        return NULL;
    char *bounds = bounds_text(refit, values), *what = target_text(missed);
    char *text = g_strdup_printf("%s is %.4g at best, not %.4g%s%s", what,
                                 missed->value + off * missed->tolerance, missed->value,
                                 *bounds ? ", with " : "", bounds);
    g_free(what);
    g_free(bounds);
    return text;
}

// The search of a fit, in a draw.
static bool search_anew(const struct refit *refit, struct refit_draw *draw, GError **error)
{
    struct evaluation evaluation = *refit->evaluation;
    GPtrArray *sets = g_ptr_array_new();
    char *set = g_strdup_printf("draw=%" G_GINT64_FORMAT, draw->draw);
    for (int i = 0; evaluation.sets && evaluation.sets[i]; i++)
        g_ptr_array_add(sets, (gpointer)evaluation.sets[i]);
    g_ptr_array_add(sets, set);
    g_ptr_array_add(sets, NULL);
    evaluation.sets = (const char *const *)sets->pdata;
    GError *fault = NULL;
    struct fit *fit = fit_search(&evaluation, refit->method, &fault);
    draw->searched = true;
    if (fit) {
        memcpy(draw->values, fit->values, parameter_count(refit) * sizeof(double));
        measure(refit, draw, fit->residuals);
        draw->fault = fault_of(refit, fit->values, fit->residuals);
    } else {
        draw->fault = g_strdup(fault->message);
    }
    bool interrupted = fault && !fit && workers_signal_of(fault);
    if (interrupted)
        g_propagate_error(error, g_steal_pointer(&fault));
    g_clear_error(&fault);
    fit_free(fit);
    refit->evaluation->runs = evaluation.runs;
    g_free(set);
    g_ptr_array_unref(sets);
    return !interrupted;
}

static bool end_draw(struct refit_state *state, GError **error)
{
    const struct refit *refit = state->refit;
    struct refit_draw *draw = state->draw;
    if (draw->fault)
        return true;
    measure(refit, draw, state->residuals);
    char *bounds = bounds_text(refit, draw->values);
    bool search = state->lost || (is_poor(refit, draw) && !*bounds);
    g_free(bounds);
    if (search)
        return search_anew(refit, draw, error);
    draw->fault = fault_of(refit, draw->values, state->residuals);
    return true;
}

bool refit_run(const struct refit *refit, struct refit_draw *draws, int count, GError **error)
{
    struct refit_state *states = g_new0(struct refit_state, count);
    GError *fault = NULL;
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    for (int i = 0; i < count; i++)
        state_init(&states[i], refit, &draws[i]);
    while (run_round(refit, states, count, &fault))
        ;
    for (int i = 0; !fault && i < count; i++)
        end_draw(&states[i], &fault);
    for (int i = 0; i < count; i++)
        state_clear(&states[i]);
    gsl_set_error_handler(before);
    g_free(states);
    if (fault)
        g_propagate_error(error, fault);
    return !fault;
}

void refit_draw_clear(struct refit_draw *draw)
{
    g_free(draw->values);
    g_free(draw->fault);
}

// ---- The medians ----

static void list_numbers(struct refit *refit)
{
    const GPtrArray *targets = refit->evaluation->targets->targets;
    int row = 0;
    refit->numbers = g_array_new(FALSE, FALSE, sizeof(int));
    for (guint i = 0; i < targets->len; i++) {
        const struct target *target = g_ptr_array_index(targets, i);
        if (target_has_value(target))
            g_array_append_val(refit->numbers, row);
        row += target_residuals(target);
    }
}

// Starting points of the draws, by the derivatives at the medians.
static void take_medians(struct refit *refit, struct fit *fit)
{
    size_t p = parameter_count(refit), n = refit->numbers->len;
    fit_free(refit->medians);
    gsl_matrix_free(refit->slopes);
    refit->medians = fit;
    refit->slopes = gsl_matrix_calloc(MAX(n, 1), p);
    for (size_t k = 0; k < p; k++) {
        const struct fit_parameter *parameter = refit_parameter_at(refit, k);
        bool at_zero = fit->values[k] <= 0.0;
        double squares = 0.0;
        refit->scales[k] = at_zero ? parameter->hi : fit->values[k];
        for (size_t i = 0; !at_zero && i < n; i++) {
            double slope =
                gsl_matrix_get(fit->jacobian, (size_t)g_array_index(refit->numbers, int, i), k);
            gsl_matrix_set(refit->slopes, i, k, slope);
            squares += slope * slope;
        }
        refit->by_numbers[k] = sqrt(squares) > LEAST_SLOPE;
    }
    refit->off = root_mean(refit, numbers_cost(refit, fit->residuals));
    refit->orders = sqrt(orders_cost(refit, fit->residuals));
}

// The scenario's values as a fit; NULL: they are outside of the bounds, or an error.
static struct fit *fit_of_scenario(const struct refit *refit, GError **error)
{
    size_t p = parameter_count(refit);
    double *values = g_new0(double, p);
    bool inside = true;
    for (size_t k = 0; k < p; k++) {
        const struct fit_parameter *parameter = refit_parameter_at(refit, k);
        values[k] = parameter->current;
        inside &= values[k] >= parameter->lo && values[k] <= parameter->hi;
    }
    struct fit *fit = inside ? fit_at(refit->evaluation, values, error) : NULL;
    g_free(values);
    return fit;
}

// Whether no step makes the scenario's values much better.
static bool is_fitted(struct refit *refit, GError **error)
{
    struct refit_draw medians = {0};
    bool good = refit_run(refit, &medians, 1, error);
    bool fitted = good && !medians.fault && refit->off <= medians.off + SAME_OFF;
    refit_draw_clear(&medians);
    return fitted;
}

struct refit *refit_new(struct evaluation *evaluation, enum fit_method method, GError **error)
{
    struct refit *refit = g_new0(struct refit, 1);
    GError *fault = NULL;
    refit->evaluation = evaluation;
    refit->method = method;
    refit->scales = g_new0(double, parameter_count(refit));
    refit->by_numbers = g_new0(bool, parameter_count(refit));
    list_numbers(refit);
    struct fit *fit = fit_of_scenario(refit, &fault);
    if (fit) {
        take_medians(refit, fit);
        refit->known = is_fitted(refit, &fault);
    }
    if (!fault && !refit->known) {
        fit = fit_search(evaluation, method, &fault);
        if (fit)
            take_medians(refit, fit);
    }
    if (!fault)
        return refit;
    g_propagate_error(error, fault);
    refit_free(refit);
    return NULL;
}

void refit_free(struct refit *refit)
{
    if (!refit)
        return;
    fit_free(refit->medians);
    gsl_matrix_free(refit->slopes);
    g_free(refit->scales);
    g_free(refit->by_numbers);
    g_array_unref(refit->numbers);
    g_free(refit);
}
