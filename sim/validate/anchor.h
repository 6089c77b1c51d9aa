// SPDX-License-Identifier: GPL-3.0-or-later
// Anchors of a Markdown page: the texts that may follow the # in a link to it.
#ifndef NETSIM_VALIDATE_ANCHOR_H
#define NETSIM_VALIDATE_ANCHOR_H

#include <stdbool.h>

// Whether a page has an anchor: a heading with this text (in lower case, blanks as hyphens, without
// other punctuation, as Git forges make it), or an <a id="…"> of that name. Headings within fenced
// code don't count.
bool anchor_exists(const char *page, const char *anchor);

#endif
