// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/vip/stack.h"
#include "models/ethernet/nics.h"

#include "models/via/vip/native.h"
#include "models/via/vip/process.h"
#include "models/via/vip/provider.h"

const struct scenario_section via_sections[] = {
    {"mvia", &mvia_table}, {"mvia_native", &native_table}, {NULL, NULL}};

static void native_process_init(struct job *job, struct mpi_process *process)
{
    native_init(process->device, process, scenario_section_values(job->test_case, "mvia_native"),
                vip_process_open(job, process));
}

static void native_process_clear(struct job *job, struct mpi_process *process)
{
    struct native_process *native = process->device;
    (void)job;
    native_clear(native);
    vip_process_close(native->nic);
}

static struct stack_footprint mvia_footprint(const struct scenario_case *test_case)
{
    const struct native_config *native = scenario_section_values(test_case, "mvia_native");
    return (struct stack_footprint){
        .process = sizeof(struct vip_nic) + sizeof(struct vip_agent),
        .pair = vip_vi_footprint() + 2 * native->descriptors * vip_descriptor_footprint(),
    };
}

const struct stack mvia_stack = {
    .schema =
        {
            .name = "mvia",
            .doc = "bare M-VIA, send/receive without a library on top",
            .benchmarks = (const char *const[]){"native.pingpong", "native.copy", "native.register",
                                                "native.stream", NULL},
            .sections = (const char *const[]){"mvia", "mvia_native", NULL},
            .one_process_per_host = true,
            .footprint = mvia_footprint,
        },
    .card = ETHERNET_PCI_CARD,
    .device = &native_ops,
    .process_size = sizeof(struct native_process),
    .process_init = native_process_init,
    .process_clear = native_process_clear,
    .frames = &nic_capture_link,
};
