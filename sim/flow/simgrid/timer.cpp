// SPDX-License-Identifier: GPL-3.0-or-later
// SMPI asks the kernel for the processor time of a rank at the begin and the end of every MPI call,
// to know what the program has computed between them, and then (smpi/simulate-computation:no) does
// not use it. With many ranks these system calls are a fifth of a run. The plugin has empty ones:
// the loader finds them before SimGrid's, as it searches the plugin first (RTLD_DEEPBIND,
// sim/flow/child.c). Where it did not, a run would only take longer.

extern "C" {

__attribute__((visibility("default"))) void xbt_os_threadtimer_start(void *) {}

__attribute__((visibility("default"))) void xbt_os_threadtimer_stop(void *) {}
}
