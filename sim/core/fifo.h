// SPDX-License-Identifier: GPL-3.0-or-later
// First-in first-out lists of things that carry the link to the next one themselves, so that
// nothing is allocated. A list is a pointer to its head and one to its tail, wherever its owner
// keeps them. It is empty if the head is NULL, and its tail then says nothing: taking the first
// item off is `head = head->next`.
#ifndef NETSIM_CORE_FIFO_H
#define NETSIM_CORE_FIFO_H

#include <stddef.h>

// Appends `item`, which is in no list of that `link` (the name of its member). O(1).
#define FIFO_APPEND(head, tail, item, link)                                                        \
    do {                                                                                           \
        (item)->link = NULL;                                                                       \
        if (head)                                                                                  \
            (tail)->link = (item);                                                                 \
        else                                                                                       \
            (head) = (item);                                                                       \
        (tail) = (item);                                                                           \
    } while (0)

#endif
