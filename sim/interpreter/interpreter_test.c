// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several requests a call closes, and tests that are repeated.
#include "sim/interpreter/interpreter_internal.h"

static const struct stage turn_stage = {"compute", STAGE_COMPUTE};

// A request that was done when it was started has no handle.
static struct mpi_request *awaited_at(const struct interpreter *run, int i)
{
    return run->step.handles[i];
}

static bool is_done(const struct interpreter *run, int i)
{
    return !awaited_at(run, i) || awaited_at(run, i)->done;
}

bool interpreter_one_done(const struct interpreter *run)
{
    for (int i = 0; i < run->step.awaited_count; i++)
        if (is_done(run, i))
            return true;
    return run->step.awaited_count == 0;
}

static bool all_done(const struct interpreter *run)
{
    for (int i = 0; i < run->step.awaited_count; i++)
        if (!is_done(run, i))
            return false;
    return true;
}

void interpreter_choose(struct interpreter *run)
{
    bool more = true;
    for (int i = 0; i < run->step.awaited_count; i++) {
        struct mpi_request *request = awaited_at(run, i);
        if (more && is_done(run, i)) {
            if (request)
                interpreter_wait_for(run, request);
            unfold_took(run->unfold, i);
            more = run->step.completion != COMPLETES_ANY;
        } else if (request) {
            mpi_unwait(run->process, request);
        }
    }
}

static enum interpreter_phase look_again(struct interpreter *run, struct cpu_context *context)
{
    mpi_call(context, run->process);
    interpreter_act(run, mpi_rule(run->process)->test);
    return PHASE_TEST;
}

enum interpreter_phase interpreter_begin_test(struct interpreter *run, struct cpu_context *context)
{
    run->polling = (struct polling){.looked = context->now};
    return look_again(run, context);
}

static void count(struct interpreter *run, bool polls)
{
    struct polling *polling = &run->polling;
    if (polling->counted != polls)
        run->process->sim->polling += polls ? 1 : -1;
    polling->counted = polls;
}

// The process works, and tests again. Where nothing is left to happen but such tests, it sleeps
// until an event: so a program that would test for ever ends in a deadlock, as one that waits.
static enum interpreter_phase test_again(struct interpreter *run, struct cpu_context *context)
{
    struct polling *polling = &run->polling;
    const struct sim *sim = run->process->sim;
    count(run, true);
    cpu_spend_time(context, run->step.every, &turn_stage);
    polling->turn = context->now - polling->looked;
    polling->looked = context->now;
    if (engine_pending(sim->engine) < (size_t)sim->polling) {
        count(run, false);
        polling->asleep = 0;
        return PHASE_POLL;
    }
    return look_again(run, context);
}

bool interpreter_test_good(const struct interpreter *run)
{
    return run->step.completion == COMPLETES_ALL ? all_done(run) : interpreter_one_done(run);
}

enum interpreter_phase interpreter_test(struct interpreter *run, struct cpu_context *context)
{
    bool good = interpreter_test_good(run);
    if (!good && run->step.every != OPERATION_ANY)
        return test_again(run, context);
    count(run, false);
    if (good)
        interpreter_choose(run);
    return PHASE_NEXT;
}

// The next test is where it would have been without the sleep.
enum interpreter_phase interpreter_poll(struct interpreter *run, struct cpu_context *context)
{
    struct polling *polling = &run->polling;
    if (mpi_progress(context, run->process, true) == PROGRESS_BLOCKED) {
        polling->asleep = context->now;
        return PHASE_POLL;
    }
    sim_time passed = (context->now - polling->looked) % polling->turn;
    if (polling->asleep && passed > 0)
        cpu_spend_time(context, polling->turn - passed, &turn_stage);
    polling->looked = context->now;
    return look_again(run, context);
}
