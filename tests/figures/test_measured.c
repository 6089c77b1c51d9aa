// SPDX-License-Identifier: GPL-3.0-or-later
// Measured points out of CSV: formats that are understood, errors and their places, and a picture
// of measured and simulated points.
#include "sim/figures/measured.h"
#include "sim/figures/overlay.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

// The panels of a picture of a run, and of a sweep.
#define PICTURE                                                                                    \
    "[{'kind':'lines','x':{'label':'message size','unit':'B','scale':'log'},"                      \
    "'y':{'label':'latency','unit':'us','scale':'log'},'series':[]},"                              \
    "{'kind':'lines','x':{'label':'message size','unit':'B','scale':'log'},"                       \
    "'y':{'label':'bandwidth','unit':'MB/s','scale':'linear'},'series':[]},"                       \
    "{'kind':'lines','x':{'label':'rate','unit':'Mb/s','scale':'linear'},"                         \
    "'y':{'label':'latency','unit':'us','scale':'log'},'series':[]},"                              \
    "{'kind':'bars','x':{'label':'','unit':''},'y':{'label':'time','unit':'us'},'series':[]}]"

static json_t *json_of(const char *text)
{
    char *quoted = g_strdelimit(g_strdup(text), "'", '"');
    json_t *json = json_loads(quoted, 0, NULL);
    g_free(quoted);
    return json;
}

static json_t *document_of(const char *text, const char *panels, const struct choice_words *words,
                           char **message)
{
    GError *error = NULL;
    json_t *picture = panels ? json_of(panels) : NULL;
    struct choice *choice = choice_new(words, NULL);
    json_t *document = measured_document("m.csv", text, strlen(text), "m", picture, choice, &error);
    CU_ASSERT_EQUAL(!document, error != NULL);
    *message = error ? g_strdup(error->message) : NULL;
    g_clear_error(&error);
    choice_free(choice);
    json_decref(picture);
    return document;
}

// A line for each panel, then one for each of its series.
static char *text_of(json_t *document)
{
    static const char *const shown[] = {"points", "intervals"};
    GString *out = g_string_new(NULL);
    size_t i, k;
    json_t *panel, *series;
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        json_t *x = json_object_get(panel, "x"), *y = json_object_get(panel, "y");
        g_string_append_printf(out, "%s (%s) over %s (%s)\n",
                               json_string_value(json_object_get(y, "label")),
                               json_string_value(json_object_get(y, "unit")),
                               json_string_value(json_object_get(x, "label")),
                               json_string_value(json_object_get(x, "unit")));
        json_array_foreach(json_object_get(panel, "series"), k, series)
        {
            const char *stack = json_string_value(json_object_get(series, "stack"));
            g_string_append_printf(out,
                                   "  %s%s%s:", json_string_value(json_object_get(series, "name")),
                                   stack ? " as " : "", stack ? stack : "");
            for (size_t n = 0; n < G_N_ELEMENTS(shown); n++) {
                json_t *value = json_object_get(series, shown[n]);
                char *text =
                    value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
                g_string_append_printf(out, "%s%s", text ? " " : "", text ? text : "");
                free(text);
            }
            g_string_append_c(out, '\n');
        }
    }
    json_decref(document);
    return g_string_free(out, FALSE);
}

struct sample {
    const char *csv, *panels, *result;
    struct choice_words words;
};

static char *bandwidth[] = {"bandwidth", NULL}, *series_b[] = {"B", NULL},
            *small[] = {"0..1 KiB", NULL};

static void test_understood(void)
{
    static const struct sample samples[] = {
        // Units in the header or with the values; comments, a mark of byte order, blank lines.
        {"\xef\xbb\xbf# mine\n# too\nsize,latency_us\n1024,5\n1 KiB,2.5 ms\n\n\"2 KiB\",\"7\"\r\n",
         PICTURE,
         "latency (us) over message size (B)\n  m: [[1024.0,5.0],[1024.0,2500.0],[2048.0,7.0]]\n",
         {0}},
        {"size (KiB),latency (ms),error,bandwidth [MB/s],error (MB/s),series\n"
         "1,0.5,0.1,2,0.25,A\n2,,,3,,B\n4,1 s,2 ms,,,B\n",
         PICTURE,
         "latency (us) over message size (B)\n"
         "  A: [[1024.0,500.0]] [[1024.0,400.0,600.0,1]]\n"
         "  B: [[4096.0,1e6]] [[4096.0,998000.0,1.002e6,1]]\n"
         "bandwidth (MB/s) over message size (B)\n"
         "  A: [[1024.0,2.0]] [[1024.0,1.75,2.25,1]]\n"
         "  B: [[2048.0,3.0]]\n",
         {0}},
        {"link.rate,latency (\u00b5s)\n100 Mb/s,5\n1 Gb/s,3\n",
         PICTURE,
         "latency (us) over rate (Mb/s)\n  m: [[100.0,5.0],[1000.0,3.0]]\n",
         {0}},
        {"rate (Gb/s),latency_us\n1,5\n",
         PICTURE,
         "latency (us) over rate (Mb/s)\n  m: "
         "[[1000.0,5.0]]\n",
         {0}},
        // A row for each value; the sizes may stand anywhere; a value is a latency if nothing else
        // is
        // named.
        {"size,value\n1,2\n",
         PICTURE,
         "latency (us) over message size (B)\n  m: [[1.0,2.0]]\n",
         {0}},
        {"series,size,value,error,metric,unit\nA,1,2,0.5,latency,ms\nB,1 KiB,3,,bandwidth,MB/s\n"
         "B,2,4,1,,\n",
         PICTURE,
         "latency (us) over message size (B)\n"
         "  A: [[1.0,2000.0]] [[1.0,1500.0,2500.0,1]]\n"
         "bandwidth (MB/s) over message size (B)\n"
         "  B: [[1024.0,3.0]]\n"
         "latency (us) over message size (B)\n"
         "  B: [[2.0,4.0]] [[2.0,3.0,5.0,1]]\n",
         {0}},
        {"value (ms),error (\u00b5s),size\n1,20,8\n",
         PICTURE,
         "latency (us) over message size (B)\n  m: [[8.0,1000.0]] [[8.0,980.0,1020.0,1]]\n",
         {0}},
        // Alone they make panels of their own.
        {"size,latency (ms),drops\n1 KiB,2,3\n",
         NULL,
         "latency (us) over message size (B)\n  m: [[1024.0,2000.0]]\n"
         "drops () over message size (B)\n  m: [[1024.0,3.0]]\n",
         {0}},
        {"load,latency_us\n0.5,2\n", NULL, "latency (us) over load ()\n  m: [[0.5,2.0]]\n", {0}},
        // Only the chosen ones.
        {"size,latency_us,bandwidth (MB/s)\n1,2,3\n", PICTURE, "", {.series = series_b}},
        {"size,latency_us\n1,2\n", PICTURE, "", {.metrics = bandwidth}},
        {"size,latency_us,bandwidth_MB_per_s,series\n1,2,3,A\n1,4,5,B\n2 KiB,6,7,B\n",
         PICTURE,
         "bandwidth (MB/s) over message size (B)\n  B: [[1.0,5.0]]\n",
         {.metrics = bandwidth, .series = series_b, .sizes = small}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *message;
        json_t *document =
            document_of(samples[i].csv, samples[i].panels, &samples[i].words, &message);
        SUITE_SAME_TEXT(message, NULL);
        char *text = text_of(document);
        SUITE_SAME_TEXT(text, samples[i].result);
        g_free(text);
    }
}

// Each mistake with its line and column.
static void test_refused(void)
{
    static const struct sample samples[] = {
        {"", PICTURE, "m.csv:1:1: there is nothing in it", {0}},
        {"size,lat\xff", PICTURE, "m.csv:1:1: this is no text in UTF-8", {0}},
        {"size\n1\n", PICTURE, "m.csv:1:1: the columns size and a metric are expected", {0}},
        {"size,value (MB/s)\n1,2\n", PICTURE, "m.csv:1:6: a value in MB/s of what?", {0}},
        {"size,,x\n", PICTURE, "m.csv:1:6: this column has no name", {0}},
        {"size,error\n", PICTURE, "m.csv:1:6: an error stands right of the metric", {0}},
        {"size,latency_us,error (KiB)\n", PICTURE, "m.csv:1:17: an error in KiB is none of", {0}},
        {"#\nsize,latency\n1,2\n",
         PICTURE,
         "m.csv:2:6: nothing is drawn as latency over size here (there is latency (us) over "
         "message "
         "size, bandwidth (MB/s) over message size, latency (us) over rate)",
         {0}},
        {"size,bandwidth (GB/s)\n1,2\n",
         PICTURE,
         "m.csv:1:6: nothing is drawn as bandwidth (GB/s)",
         {0}},
        // A row for each value.
        {"size,value,metric\n1,2,latency_us\n2,3,jitter_us\n",
         PICTURE,
         "m.csv:3:5: nothing is drawn as jitter (us)",
         {0}},
        {"size,value,unit\n1,2,MB/s\n",
         PICTURE,
         "m.csv:2:5: nothing is drawn as latency (MB/s)",
         {0}},
        {"size,value,value\n", PICTURE, "m.csv:1:12: value is there twice", {0}},
        {"size,value,latency_us\n",
         PICTURE,
         "m.csv:1:12: latency_us stands beside a column value",
         {0}},
        {"size,value,error (MB/s)\n1,2,1\n",
         PICTURE,
         "m.csv:1:12: an error in MB/s is none of what is in us",
         {0}},
        {"link.latency,latency_us\n1,2\n", PICTURE, "over link.latency here", {0}},
        {"size (us),latency_us\n1,2\n", PICTURE, "m.csv:1:1: us is not a unit of size", {0}},
        {"link.rate,latency_us\n1,2\n", PICTURE, "m.csv:2:1: 1 has no unit: write 1 Mb/s", {0}},
        {"size,latency_us\n1,2\n4,nan\n", PICTURE, "m.csv:3:3: nan is no number", {0}},
        {"size,latency (s)\n1,1e308\n", PICTURE, "m.csv:2:3: 1e308 is too large", {0}},
        {"size,latency_us\n1,2,3\n", PICTURE, "m.csv:2:1: this row has 3 fields", {0}},
        {"size,latency_us\n\"1\"\"\",2\n", PICTURE, "m.csv:2:1: 1\" is no number", {0}},
        {"size,latency_us\n\"1,2\n", PICTURE, "a quote is not closed", {0}},
        {"size,latency_us\n1.5,2\n", PICTURE, "m.csv:2:1: 1.5 is no number of bytes", {0}},
        {"size,bandwidth_MB_per_s\n1,2 MiB/s\n",
         PICTURE,
         "m.csv:2:3: 2 MiB/s is no number, and no value in MB/s",
         {0}},
        {"size,latency_us\n1 us,2\n",
         PICTURE,
         "m.csv:2:1: 1 us is no number, and no value in B",
         {0}},
        {"size,latency_us,error\n1,2,-3\n", PICTURE, "m.csv:2:5: an error is not negative", {0}},
        {"size,latency_us\n1,\n", PICTURE, "m.csv:1:1: there is no point in it", {0}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *message;
        CU_ASSERT_PTR_NULL(
            document_of(samples[i].csv, samples[i].panels, &samples[i].words, &message));
        SUITE_CONTAINS(message ? message : "", samples[i].result);
        g_free(message);
    }
}

// ---- Over each other ----

#define DOCUMENT(name, x, series)                                                                  \
    "{'title':'" name "','notes':['all','of " name "'],'lost':1,'panels':[{'kind':'lines','x':"    \
    "{'label':'" x "','unit':'B'},'y':{'label':'t','unit':'us'},'series':[" series "]}]}"
#define SERIES(name, more) "{'name':'" name "','points':[[1,2]]" more "}"

// Panels with the same axes are one; series of one name are distinguished, and measured ones look
// like the simulated.
static void test_overlay(void)
{
    json_t *documents[] = {
        json_of(DOCUMENT("a", "s", SERIES("A", ",'stack':'gm'") "," SERIES("B", ""))),
        json_of(DOCUMENT("b", "s", SERIES("A", ",'stack':'gm'") "," SERIES("C", ""))),
        json_of(DOCUMENT(
            "c", "s",
            SERIES("A", ",'stack':null,'measured':true") "," SERIES("D", ",'measured':true"))),
        json_of(DOCUMENT("a", "other", SERIES("E", "")))};
    const struct overlay_part parts[] = {{"one", documents[0]},
                                         {"two", documents[1]},
                                         {"mine", documents[2]},
                                         {"last", documents[3]}};
    json_t *document = overlay_document(parts, G_N_ELEMENTS(parts));
    SUITE_SAME_TEXT(json_string_value(json_object_get(document, "title")), "a, b, c");
    SUITE_SAME_TEXT(json_string_value(json_object_get(document, "file")), "one+two+mine+last");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(document, "lost")), 4);
    char *notes = json_dumps(json_object_get(document, "notes"), JSON_COMPACT);
    SUITE_SAME_TEXT(notes, "[\"all\",\"of a\",\"of b (two)\",\"of c (mine)\"]");
    free(notes);
    char *text = text_of(document);
    SUITE_SAME_TEXT(text, "t (us) over s (B)\n"
                          "  A (one) as gm: [[1,2]]\n"
                          "  B: [[1,2]]\n"
                          "  A (two) as gm: [[1,2]]\n"
                          "  C: [[1,2]]\n"
                          "  A (mine) as gm: [[1,2]]\n"
                          "  D: [[1,2]]\n"
                          "t (us) over other (B)\n"
                          "  E: [[1,2]]\n");
    g_free(text);
    for (size_t i = 0; i < G_N_ELEMENTS(documents); i++)
        json_decref(documents[i]);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what is understood", test_understood},
        {"what is refused", test_refused},
        {"over each other", test_overlay},
        {0},
    };
    return suite_run("figures: measured points", cases);
}
