// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing of a machine. Hosts stand in a row, switches above them by their distance from the
// hosts; of several networks half stand below. Switches that are joined in a ring stand on a
// circle. Colours follow the page's scheme, light or dark.
#include "sim/output/topology_graph.h"

#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define CHARACTER 6.6 // width of a character of 11 px
#define BOX_HEIGHT 24.0
#define NOTE_HEIGHT 14.0
#define GAP 16.0       // between the boxes of a row
#define ROW_STEP 110.0 // between two rows, and more of wide drawings
#define ROW_SHARE 0.16 // of the width
#define MARGIN 24.0
#define TITLE_HEIGHT 34.0
#define LEGEND_LINE 18.0

struct place {
    double x, y, width, height; // centre and size
};

struct layout {
    const struct topology_graph *graph;
    struct place *places; // by node
    int rows_above;       // rows of switches above the hosts
    double width, height; // of the drawing
    bool ring, irregular;
};

static const struct graph_node *svg_node(const struct layout *layout, int node)
{
    return &g_array_index(layout->graph->nodes, struct graph_node, node);
}

static const struct graph_edge *svg_edge(const struct layout *layout, guint edge)
{
    return &g_array_index(layout->graph->edges, struct graph_edge, edge);
}

static void svg_box_sizes(struct layout *layout)
{
    for (guint i = 0; i < layout->graph->nodes->len; i++) {
        const struct graph_node *node = svg_node(layout, (int)i);
        int widest = MAX(text_width(node->label), node->note ? text_width(node->note) : 0);
        layout->places[i].width = MAX(widest * CHARACTER + 14.0, 40.0);
        layout->places[i].height = BOX_HEIGHT + (node->note ? NOTE_HEIGHT : 0.0);
    }
}

// ---- Rows ----

// The row of a node, counted from the top: networks are above and below the hosts in turn.
static int svg_row(const struct layout *layout, int node)
{
    const struct graph_node *one = svg_node(layout, node);
    if (one->host)
        return layout->rows_above;
    bool above = one->network < (layout->graph->networks + 1) / 2;
    return layout->rows_above + (above ? -one->level : one->level);
}

static void svg_count_rows(struct layout *layout)
{
    for (guint i = 0; i < layout->graph->nodes->len; i++) {
        const struct graph_node *node = svg_node(layout, (int)i);
        if (!node->host && node->network < (layout->graph->networks + 1) / 2)
            layout->rows_above = MAX(layout->rows_above, node->level);
    }
}

struct row_item {
    int node;
    double wish; // its x if there were no others
};

static gint svg_compare_items(gconstpointer a, gconstpointer b)
{
    const struct row_item *left = a, *right = b;
    if (fabs(left->wish - right->wish) > 0.01)
        return left->wish < right->wish ? -1 : 1;
    return left->node - right->node;
}

// The mean place of a node's neighbours that are nearer to the hosts; `otherwise` without any.
static double svg_mean_below(const struct layout *layout, int node, double otherwise)
{
    double sum = 0.0;
    int count = 0;
    for (guint i = 0; i < layout->graph->edges->len; i++) {
        const struct graph_edge *edge = svg_edge(layout, i);
        if (edge->a != node && edge->b != node)
            continue;
        int other = edge->a == node ? edge->b : edge->a;
        if (svg_node(layout, other)->level >= svg_node(layout, node)->level)
            continue;
        sum += layout->places[other].x;
        count++;
    }
    return count ? sum / count : otherwise;
}

// Puts the items of a row side by side, as near to where they wish as they fit. A row of which all
// wish the same is spread over the width of the hosts.
static void svg_spread(struct layout *layout, GArray *items, double left, double right)
{
    g_array_sort(items, svg_compare_items);
    double shift = 0.0, edge = -INFINITY, wide = 0.0;
    bool together = items->len > 1;
    for (guint i = 0; i < items->len; i++) {
        const struct row_item *item = &g_array_index(items, struct row_item, i);
        wide += layout->places[item->node].width + GAP;
        together &= fabs(item->wish - g_array_index(items, struct row_item, 0).wish) < 0.01;
    }
    for (guint i = 0; i < items->len; i++) {
        struct row_item *item = &g_array_index(items, struct row_item, i);
        struct place *place = &layout->places[item->node];
        if (together && right - left > wide)
            item->wish = left + (right - left) * (i + 0.5) / items->len;
        place->x = fmax(item->wish, edge + GAP + place->width / 2.0);
        edge = place->x + place->width / 2.0;
        shift += item->wish - place->x;
    }
    for (guint i = 0; i < items->len; i++)
        layout->places[g_array_index(items, struct row_item, i).node].x += shift / items->len;
}

static void svg_place_row(struct layout *layout, int row, double left, double right)
{
    GArray *items = g_array_new(FALSE, FALSE, sizeof(struct row_item));
    for (guint i = 0; i < layout->graph->nodes->len; i++) {
        if (svg_row(layout, (int)i) != row)
            continue;
        struct row_item item = {(int)i, svg_mean_below(layout, (int)i, (left + right) / 2.0)};
        g_array_append_val(items, item);
    }
    if (items->len > 0)
        svg_spread(layout, items, left, right);
    g_array_unref(items);
}

// The width that the widest row of switches asks for.
static double svg_widest_row(const struct layout *layout, int rows)
{
    double widest = 0.0;
    for (int row = 0; row < rows; row++) {
        double width = 0.0;
        for (guint i = 0; i < layout->graph->nodes->len; i++)
            if (svg_row(layout, (int)i) == row)
                width += layout->places[i].width + GAP;
        widest = fmax(widest, width);
    }
    return widest;
}

// Hosts back to back stand far enough apart for their cables to be seen.
static double svg_host_gap(const struct layout *layout)
{
    int hosts = 0, direct = 0;
    for (guint i = 0; i < layout->graph->nodes->len; i++)
        hosts += svg_node(layout, (int)i)->host;
    for (guint i = 0; i < layout->graph->edges->len; i++) {
        const struct graph_edge *edge = svg_edge(layout, i);
        direct += svg_node(layout, edge->a)->host && svg_node(layout, edge->b)->host;
    }
    return direct > 0 && hosts <= 8 ? 120.0 : GAP;
}

static gint svg_compare_first(gconstpointer a, gconstpointer b, gpointer owner)
{
    const struct layout *layout = owner;
    int left = *(const int *)a, right = *(const int *)b;
    return svg_node(layout, left)->first - svg_node(layout, right)->first;
}

static void svg_place_hosts(struct layout *layout, int rows)
{
    GArray *hosts = g_array_new(FALSE, FALSE, sizeof(int));
    double width = 0.0, gap = svg_host_gap(layout);
    for (int i = 0; i < (int)layout->graph->nodes->len; i++)
        if (svg_node(layout, i)->host) {
            g_array_append_val(hosts, i);
            width += layout->places[i].width + gap;
        }
    g_array_sort_with_data(hosts, svg_compare_first, layout);
    double more = hosts->len ? fmax(svg_widest_row(layout, rows) - width, 0.0) / hosts->len : 0.0;
    double x = 0.0;
    for (guint i = 0; i < hosts->len; i++) {
        struct place *place = &layout->places[g_array_index(hosts, int, i)];
        place->x = x + (place->width + gap + more) / 2.0;
        x += place->width + gap + more;
    }
    layout->width = x;
    g_array_unref(hosts);
}

static void svg_lay_rows(struct layout *layout)
{
    int rows = 0;
    svg_count_rows(layout);
    for (guint i = 0; i < layout->graph->nodes->len; i++)
        rows = MAX(rows, svg_row(layout, (int)i) + 1);
    svg_place_hosts(layout, rows);
    for (int row = layout->rows_above - 1; row >= 0; row--)
        svg_place_row(layout, row, 0.0, layout->width);
    for (int row = layout->rows_above + 1; row < rows; row++)
        svg_place_row(layout, row, 0.0, layout->width);
    double step = fmax(ROW_STEP, layout->width * ROW_SHARE);
    for (guint i = 0; i < layout->graph->nodes->len; i++)
        layout->places[i].y = svg_row(layout, (int)i) * step;
}

// ---- Rings ----

// The switches in the order of the ring that they form (int); NULL: they form none.
static GArray *svg_ring(const struct layout *layout)
{
    int count = (int)layout->graph->nodes->len, switches = 0;
    int(*near)[2] = g_malloc0_n((gsize)count + 1, sizeof *near);
    int *degree = g_new0(int, count + 1);
    bool good = layout->graph->networks == 1;
    for (int i = 0; i < count; i++)
        switches += !svg_node(layout, i)->host;
    for (guint i = 0; good && i < layout->graph->edges->len; i++) {
        const struct graph_edge *edge = svg_edge(layout, i);
        if (svg_node(layout, edge->a)->host || svg_node(layout, edge->b)->host)
            continue;
        good = degree[edge->a] < 2 && degree[edge->b] < 2 && edge->a != edge->b;
        if (!good)
            break;
        near[edge->a][degree[edge->a]++] = edge->b;
        near[edge->b][degree[edge->b]++] = edge->a;
    }
    GArray *ring = g_array_new(FALSE, FALSE, sizeof(int));
    int at = 0, before = -1;
    while (at < count && svg_node(layout, at)->host)
        at++;
    for (int first = at; good && switches >= 3;) {
        if (degree[at] != 2)
            good = false;
        g_array_append_val(ring, at);
        int next = near[at][0] != before ? near[at][0] : near[at][1];
        before = at;
        at = next;
        if (at == first || (int)ring->len > switches)
            break;
    }
    good = good && switches >= 3 && (int)ring->len == switches;
    g_free(degree);
    g_free(near);
    if (good)
        return ring;
    g_array_unref(ring);
    return NULL;
}

// The hosts of a switch stand outside of it, on a second circle.
static void svg_lay_ring(struct layout *layout, const GArray *ring)
{
    int nodes = (int)layout->graph->nodes->len, hosts = 0;
    double widest = 0.0;
    for (int i = 0; i < nodes; i++) {
        hosts += svg_node(layout, i)->host;
        widest = fmax(widest, layout->places[i].width);
    }
    double around = MAX(hosts, (int)ring->len) * (widest + GAP);
    double outer = fmax(around / (2.0 * G_PI), 150.0), inner = fmax(outer - ROW_STEP, outer * 0.5);
    int *seen = g_new0(int, nodes + 1), *mine = g_new0(int, nodes + 1);
    for (guint i = 0; i < layout->graph->edges->len; i++) {
        const struct graph_edge *edge = svg_edge(layout, i);
        if (svg_node(layout, edge->a)->host != svg_node(layout, edge->b)->host)
            mine[svg_node(layout, edge->a)->host ? edge->b : edge->a]++;
    }
    for (guint k = 0; k < ring->len; k++) {
        int box = g_array_index(ring, int, k);
        double angle = 2.0 * G_PI * k / ring->len - G_PI / 2.0, sector = 2.0 * G_PI / ring->len;
        layout->places[box].x = inner * cos(angle);
        layout->places[box].y = inner * sin(angle);
        for (guint i = 0; i < layout->graph->edges->len; i++) {
            const struct graph_edge *edge = svg_edge(layout, i);
            if (edge->a != box && edge->b != box)
                continue;
            int other = edge->a == box ? edge->b : edge->a;
            if (!svg_node(layout, other)->host)
                continue;
            double turn = angle + sector * ((seen[box]++ + 0.5) / mine[box] - 0.5);
            layout->places[other].x = outer * cos(turn);
            layout->places[other].y = outer * sin(turn);
        }
    }
    g_free(mine);
    g_free(seen);
}

// ---- Irregular graphs ----

// Links within a row that do not join neighbours cross boxes.
static bool svg_crosses(const struct layout *layout, const struct graph_edge *edge)
{
    const struct place *a = &layout->places[edge->a], *b = &layout->places[edge->b];
    if (edge->a == edge->b || fabs(a->y - b->y) > 1.0)
        return false;
    for (guint i = 0; i < layout->graph->nodes->len; i++) {
        const struct place *other = &layout->places[i];
        if (other != a && other != b && fabs(other->y - a->y) < 1.0 &&
            (other->x - a->x) * (other->x - b->x) < 0.0)
            return true;
    }
    return false;
}

static bool svg_is_irregular(const struct layout *layout)
{
    int crossing = 0;
    for (guint i = 0; i < layout->graph->edges->len; i++)
        crossing += svg_crosses(layout, svg_edge(layout, i));
    return crossing > 2;
}

// ---- Text of the drawing ----

static void svg_append_xml(GString *out, const char *text)
{
    char *escaped = g_markup_escape_text(text, -1);
    g_string_append(out, escaped);
    g_free(escaped);
}

static const char svg_style[] =
    "<style>\n"
    "  .machine { background: #ffffff; }\n"
    "  .machine text { font: 11px Helvetica, Arial, sans-serif; fill: #1a1a1a; text-anchor: "
    "middle; }\n"
    "  .machine .title { font-size: 14px; font-weight: bold; text-anchor: start; }\n"
    "  .machine .legend, .machine .count { text-anchor: start; }\n"
    "  .machine .host { fill: #ffffff; stroke: #444444; }\n"
    "  .machine .switch { fill: #dbe6f2; stroke: #27496d; }\n"
    "  .machine .link { fill: none; stroke-width: 1.4; }\n"
    "  .machine .idle { stroke-dasharray: 4 4; }\n"
    "  .machine .kind0 { stroke: #0072b2; } .machine .kind1 { stroke: #d55e00; }\n"
    "  .machine .kind2 { stroke: #009e73; } .machine .kind3 { stroke: #cc79a7; }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    .machine { background: #16191d; }\n"
    "    .machine text { fill: #e6e6e6; }\n"
    "    .machine .host { fill: #22262b; stroke: #b8b8b8; }\n"
    "    .machine .switch { fill: #233a52; stroke: #9fc1e6; }\n"
    "    .machine .kind0 { stroke: #56b4e9; } .machine .kind1 { stroke: #e69f00; }\n"
    "  }\n"
    "</style>\n";

#define SVG_KINDS 4 // that have a colour of their own

static void svg_decimal(GString *out, const char *format, double x)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(out, g_ascii_formatd(digits, sizeof digits, format, x));
}

// Appends `name="x"` with a decimal.
static void svg_number(GString *out, const char *name, double x)
{
    g_string_append_printf(out, " %s=\"", name);
    svg_decimal(out, "%.1f", x);
    g_string_append_c(out, '"');
}

static void svg_point(GString *out, const char *before, double x, double y)
{
    g_string_append(out, before);
    svg_decimal(out, "%.1f", x);
    g_string_append_c(out, ' ');
    svg_decimal(out, "%.1f", y);
}

static void svg_title(GString *out, const struct layout *layout, const struct graph_edge *edge)
{
    const struct graph_kind *kind =
        &g_array_index(layout->graph->kinds, struct graph_kind, edge->kind);
    g_string_append(out, "<title>");
    svg_append_xml(out, edge->ends);
    if (edge->count > 1)
        g_string_append_printf(out, " and %d more", edge->count - 1);
    g_string_append(out, ", ");
    svg_append_xml(out, kind->rate);
    if (edge->idle)
        g_string_append(out, ", not used by the stack");
    g_string_append(out, "</title>");
}

static void svg_curve(GString *out, const struct layout *layout, const struct graph_edge *edge,
                      double bend)
{
    const struct place *a = &layout->places[edge->a], *b = &layout->places[edge->b];
    double x = (a->x + b->x) / 2.0, y = (a->y + b->y) / 2.0;
    double dx = b->x - a->x, dy = b->y - a->y, length = fmax(hypot(dx, dy), 1.0);
    g_string_append_printf(out, "  <path class=\"link kind%d%s\" d=\"", edge->kind % SVG_KINDS,
                           edge->idle ? " idle" : "");
    if (edge->a == edge->b) {
        double right = a->x + a->width / 2.0, size = 30.0 + bend;
        svg_point(out, "M ", right, a->y - 6.0);
        svg_point(out, " C ", right + size * 2.0, a->y - size);
        svg_point(out, " ", right + size * 2.0, a->y + size);
        svg_point(out, " ", right, a->y + 6.0);
    } else {
        svg_point(out, "M ", a->x, a->y);
        svg_point(out, " Q ", x - dy / length * bend, y + dx / length * bend);
        svg_point(out, " ", b->x, b->y);
    }
    g_string_append(out, "\">");
    svg_title(out, layout, edge);
    g_string_append(out, "</path>\n");
}

// The lines of links between two nodes.
static int svg_drawn_links(const struct layout *layout, const struct graph_edge *edge)
{
    bool single = svg_node(layout, edge->a)->count == 1 && svg_node(layout, edge->b)->count == 1;
    return single && edge->count <= 8 ? edge->count : 1;
}

// Parallel links are drawn one by one while they are few, between two nodes that are one each.
static void svg_append_edge(GString *out, const struct layout *layout,
                            const struct graph_edge *edge)
{
    int drawn = svg_drawn_links(layout, edge);
    double base = svg_crosses(layout, edge) ? 90.0 : 0.0;
    for (int i = 0; i < drawn; i++)
        svg_curve(out, layout, edge,
                  edge->a == edge->b ? i * 16.0 : base + (i - (drawn - 1) / 2.0) * 26.0);
}

// At the end of links that many nodes have: how many each of them has.
static void svg_append_share(GString *out, const struct layout *layout,
                             const struct graph_edge *edge, int at, int far)
{
    const struct place *here = &layout->places[at], *there = &layout->places[far];
    int nodes = svg_node(layout, at)->count;
    if (nodes == 1 || edge->count % nodes != 0 || at == far)
        return;
    double part = (here->height / 2.0 + 14.0) / fmax(fabs(there->y - here->y), 1.0);
    g_string_append(out, "  <text class=\"count\"");
    svg_number(out, "x", here->x + (there->x - here->x) * part + 6.0);
    svg_number(out, "y", here->y + (there->y - here->y) * part + 4.0);
    g_string_append_printf(out, ">%d each</text>\n", edge->count / nodes);
}

static void svg_append_count(GString *out, const struct layout *layout,
                             const struct graph_edge *edge)
{
    const struct place *a = &layout->places[edge->a], *b = &layout->places[edge->b];
    if (edge->count == 1 || (edge->count <= 8 && svg_node(layout, edge->a)->count == 1 &&
                             svg_node(layout, edge->b)->count == 1))
        return;
    g_string_append(out, "  <text class=\"count\"");
    svg_number(out, "x", (a->x + b->x) / 2.0 + 6.0);
    svg_number(out, "y", (a->y + b->y) / 2.0 + 4.0);
    char *links = text_grouped((uint64_t)edge->count);
    g_string_append_printf(out, ">%s links</text>\n", links);
    g_free(links);
    svg_append_share(out, layout, edge, edge->a, edge->b);
    svg_append_share(out, layout, edge, edge->b, edge->a);
}

static void svg_append_node(GString *out, const struct layout *layout, int index)
{
    const struct graph_node *node = svg_node(layout, index);
    const struct place *place = &layout->places[index];
    g_string_append_printf(out, "  <rect class=\"%s\"", node->host ? "host" : "switch");
    svg_number(out, "x", place->x - place->width / 2.0);
    svg_number(out, "y", place->y - place->height / 2.0);
    svg_number(out, "width", place->width);
    svg_number(out, "height", place->height);
    g_string_append_printf(out, " rx=\"%d\"/>\n  <text", node->host ? 10 : 3);
    svg_number(out, "x", place->x);
    svg_number(out, "y", place->y + (node->note ? -3.0 : 4.0));
    g_string_append_c(out, '>');
    svg_append_xml(out, node->label);
    g_string_append(out, "</text>\n");
    if (!node->note)
        return;
    g_string_append(out, "  <text");
    svg_number(out, "x", place->x);
    svg_number(out, "y", place->y + 11.0);
    g_string_append_printf(out, ">%s</text>\n", node->note);
}

static void svg_append_legend(GString *out, const struct layout *layout, double y)
{
    for (guint i = 0; i < layout->graph->kinds->len; i++) {
        const struct graph_kind *kind = &g_array_index(layout->graph->kinds, struct graph_kind, i);
        double line = y + i * LEGEND_LINE;
        g_string_append_printf(out, "  <path class=\"link kind%u\" d=\"", i % SVG_KINDS);
        svg_point(out, "M ", MARGIN, line);
        svg_point(out, " L ", MARGIN + 28.0, line);
        g_string_append(out, "\"/>\n  <text class=\"legend\"");
        svg_number(out, "x", MARGIN + 36.0);
        svg_number(out, "y", line + 4.0);
        char *links = text_grouped((uint64_t)kind->links);
        g_string_append_printf(out, ">%s link%s of ", links, kind->links == 1 ? "" : "s");
        svg_append_xml(out, kind->rate);
        g_string_append(out, "</text>\n");
        g_free(links);
    }
}

// ---- All of it ----

// Moves everything to the right of and below the margins, and sets the size of the drawing.
static void svg_fit(struct layout *layout, double title)
{
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    double beyond = 0.0, aside = 0.0; // below and above, and to the right
    for (guint i = 0; i < layout->graph->edges->len; i++) {
        const struct graph_edge *edge = svg_edge(layout, i);
        double bend = svg_drawn_links(layout, edge) * 13.0;
        if (edge->a == edge->b)
            aside = fmax(aside, 60.0 + 2.0 * bend);
        if (bend > 13.0)
            beyond = fmax(beyond, bend * 0.5);
        if (svg_crosses(layout, edge))
            beyond = fmax(beyond, 50.0);
        if (svg_node(layout, edge->a)->count > 1 || svg_node(layout, edge->b)->count > 1)
            aside = fmax(aside, 40.0);
    }
    for (guint i = 0; i < layout->graph->nodes->len; i++) {
        const struct place *place = &layout->places[i];
        left = fmin(left, place->x - place->width / 2.0);
        right = fmax(right, place->x + place->width / 2.0);
        top = fmin(top, place->y - place->height / 2.0);
        bottom = fmax(bottom, place->y + place->height / 2.0);
    }
    double dx = MARGIN - left, dy = MARGIN + TITLE_HEIGHT - top + beyond;
    for (guint i = 0; i < layout->graph->nodes->len; i++) {
        layout->places[i].x += dx;
        layout->places[i].y += dy;
    }
    layout->width = fmax(right - left + 2.0 * MARGIN + aside, title);
    layout->height = bottom + dy + MARGIN + beyond;
}

GString *topology_graph_svg(const struct topology_graph *graph, const char *title, bool *irregular)
{
    struct layout layout = {.graph = graph, .places = g_new0(struct place, graph->nodes->len + 1)};
    svg_box_sizes(&layout);
    GArray *ring = svg_ring(&layout);
    if (ring)
        svg_lay_ring(&layout, ring);
    else
        svg_lay_rows(&layout);
    *irregular = !ring && svg_is_irregular(&layout);
    svg_fit(&layout, fmax(text_width(title) * 8.6 + 2.0 * MARGIN, 260.0));
    double legend = layout.height + 6.0;
    GString *out = g_string_new("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"machine\"");
    double height = legend + graph->kinds->len * LEGEND_LINE + MARGIN;
    svg_number(out, "width", layout.width);
    svg_number(out, "height", height);
    g_string_append(out, " viewBox=\"0 0 ");
    svg_point(out, "", layout.width, height);
    g_string_append(out, "\" role=\"img\">\n<title>");
    svg_append_xml(out, title);
    g_string_append_printf(out, "</title>\n%s  <text class=\"title\" x=\"%.0f\" y=\"%.0f\">",
                           svg_style, MARGIN, MARGIN + 6.0);
    svg_append_xml(out, title);
    g_string_append(out, "</text>\n");
    for (guint i = 0; i < graph->edges->len; i++)
        svg_append_edge(out, &layout, svg_edge(&layout, i));
    for (guint i = 0; i < graph->nodes->len; i++)
        svg_append_node(out, &layout, (int)i);
    for (guint i = 0; i < graph->edges->len; i++)
        svg_append_count(out, &layout, svg_edge(&layout, i));
    svg_append_legend(out, &layout, legend);
    g_string_append(out, "</svg>\n");
    if (ring)
        g_array_unref(ring);
    g_free(layout.places);
    return out;
}
