// SPDX-License-Identifier: GPL-3.0-or-later
// Anchors of a page in Markdown: what may stand behind the # of a link to it.
#ifndef NETSIM_VALIDATE_ANCHOR_H
#define NETSIM_VALIDATE_ANCHOR_H

#include <stdbool.h>

// Whether a page has an anchor: a heading that reads so (in lower case, blanks as hyphens, without
// other punctuation, as Git forges make it), or an <a id="…"> of that name. Headings within fenced
// code are none.
bool anchor_exists(const char *page, const char *anchor);

#endif
