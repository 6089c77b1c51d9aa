// SPDX-License-Identifier: GPL-3.0-or-later
// Points that a user has measured, as CSV (RFC 4180), in one of two forms:
//
//   size,latency_us,error,series            a column for each metric, with its error right of it
//   size,value,series,metric,unit,error     a row for each value; all but size and value may lack
//
// Along x is the column size, else the first one. Units stand in the header, "latency (ms)", in the
// column `unit`, or with the numbers, "2.5 ms". A value without a metric is a latency. Comments (#)
// may stand above the header.
#ifndef NETSIM_OUTPUT_MEASURED_H
#define NETSIM_OUTPUT_MEASURED_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#define MEASURED_METRIC "latency_us" // of a value without one
#define MEASURED_SIZE "size"         // what the axis of message sizes is called

// A text with its place in the file; "" stands for a missing one.
struct measured_field {
    const char *text;
    int line, column;
};

struct measured_metric {
    const char *name, *unit, *error_unit; // "": no unit is given, or no other one for errors
    int line, column, error_column;       // where they are named
};

struct measured_point {
    const char *series; // NULL: none is given
    int series_column;
    struct measured_field x, value, error; // error: "" if none is given
    guint metric;
};

struct measured_points {
    char *path;
    const char *x_name, *x_unit; // unit "": none is given
    int line, x_column;          // of the header
    GArray *metrics;             // struct measured_metric, in the order of the file
    GArray *points;              // struct measured_point, in that order, too
    GStringChunk *texts;         // owns all of them
};

// Reads the text of the file at `path`. NULL and *error after a mistake, with path, line and
// column. Free with measured_free.
struct measured_points *measured_read(const char *path, const char *text, size_t length,
                                      GError **error);
void measured_free(struct measured_points *points);

const struct measured_metric *measured_metric_at(const struct measured_points *points, guint index);
const struct measured_point *measured_point_at(const struct measured_points *points, guint index);

// By how much a number in one unit is multiplied to be in another; 0: it can't be, as GB/s in the
// MB/s of a benchmark.
double measured_scale(const char *unit, const char *other);

// The number of a field in `unit`: a plain one times `scale` (0: it needs a unit of its own), or
// one with a unit. `name` is its column's. False and *error if it is none.
bool measured_number(const struct measured_points *points, const struct measured_field *field,
                     const char *name, const char *unit, double scale, double *value,
                     GError **error);

// Sets *error to a text after the place in the file. Returns false.
bool measured_refuse(const struct measured_points *points, int line, int column, GError **error,
                     const char *format, ...) G_GNUC_PRINTF(5, 6);

#endif
