// SPDX-License-Identifier: GPL-3.0-or-later
// First-in first-out lists of items that embed the link to the next one, so that nothing is
// allocated. A list is a pointer to its head and one to its tail; its owner keeps both. The list is
// empty if the head is NULL; the tail is then meaningless. `head = head->next` removes the first
// item.
#ifndef NETSIM_CORE_FIFO_H
#define NETSIM_CORE_FIFO_H

#include <stddef.h>

// Appends `item` by its member named `link`. The item must not be in another list by the same
// member. O(1).
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
