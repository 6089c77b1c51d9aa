// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations as CSV in long form: one number per row.
#ifndef NETSIM_EXPLAIN_CSV_H
#define NETSIM_EXPLAIN_CSV_H

#include "sim/explain/report.h"

// "scenario,series,size,kind,name,class,unit,value" and a row for each number:
//   kind            name           class              unit  value
//   stage           the stage      its class          us    of one message
//   held            a stage        the wait it is of  us    of one message
//   total                                             us    of one message
//   repetitions     explain, run                      1     that were measured, that a run takes
//   sleep           what for                          us    for one message
//   busy            the resource                      us    for one message
//   utilisation     the resource                      1     a share; also on_the_way
//   mean_queue      the resource                      1     also longest_queue
//   steps                                             1     messages one after the other, for one
//   trial           what was faster  settings         %     how much less time it takes
//   failure         its kind                                none
// size is empty for a free program. Quoting follows RFC 4180; a value reads back as exactly the
// same double. Free with g_string_free.
GString *explain_csv(const char *scenario, const GPtrArray *all);

#endif
