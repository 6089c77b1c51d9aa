// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/ch3.h"

static struct ch3_handle *handle_at(const struct ch3_process *ch3, uint32_t handle)
{
    g_assert(handle > 0 && handle < ch3->handles->len);
    return &g_array_index(ch3->handles, struct ch3_handle, handle);
}

uint32_t ch3_handle_take(struct ch3_process *ch3, struct mpi_request *request)
{
    uint32_t handle = ch3->free_head;
    if (handle) {
        ch3->free_head = handle_at(ch3, handle)->next_free;
    } else {
        handle = ch3->handles->len;
        g_array_set_size(ch3->handles, handle + 1);
    }
    *handle_at(ch3, handle) = (struct ch3_handle){.request = request};
    return handle;
}

struct mpi_request *ch3_handle_give(struct ch3_process *ch3, uint32_t handle)
{
    struct ch3_handle *row = handle_at(ch3, handle);
    struct mpi_request *request = row->request;
    g_assert(request);
    *row = (struct ch3_handle){.next_free = ch3->free_head};
    ch3->free_head = handle;
    return request;
}
