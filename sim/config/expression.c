// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/expression.h"

#include "sim/config/units.h"

#include <math.h>
#include <muParserDLL.h>
#include <string.h>

#define LONGEST_EXPRESSION 1000
#define PRECEDENCE_OF_PRODUCTS 6 // muParser's prMUL_DIV
#define UNKNOWN_TOKEN 1          // muParser's ecUNASSIGNABLE_TOKEN

struct expression {
    muParserHandle_t parser;
    char *text;
};

// ---- What may be used ----

#define UNIT_OPERATOR(name, multiple)                                                              \
    static double times_##name(double value)                                                       \
    {                                                                                              \
        return value * multiple##.0;                                                               \
    }
UNITS_OF_SIZE(UNIT_OPERATOR)
UNITS_OF_DURATION(UNIT_OPERATOR)

// The remainder has the sign of the divisor, so that (rank - 1) % ranks is a neighbour.
static double remainder_floored(double value, double divisor)
{
    return value - divisor * floor(value / divisor);
}

static double least(const double *values, int count)
{
    double result = values[0];
    for (int i = 1; i < count; i++)
        result = fmin(result, values[i]);
    return result;
}

static double most(const double *values, int count)
{
    double result = values[0];
    for (int i = 1; i < count; i++)
        result = fmax(result, values[i]);
    return result;
}

// Mixes a number into a hash: the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
static uint64_t hash_with(uint64_t hash, double key)
{
    uint64_t bits;
    key += 0.0; // -0 is 0
    memcpy(&bits, &key, sizeof bits);
    hash = (hash ^ bits) + UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

static double random_whole(const double *values, int count)
{
    double choices = floor(values[0]);
    if (!(choices >= 1.0))
        return NAN;
    uint64_t hash = 0;
    for (int i = 0; i < count; i++)
        hash = hash_with(hash, i == 0 ? choices : values[i]);
    return floor((double)(hash >> 11) * 0x1p-53 * choices);
}

static void define_all(muParserHandle_t parser)
{
    mupClearFun(parser);
    mupClearConst(parser);
#define DEFINE_UNIT(name, multiple) mupDefinePostfixOprt(parser, #name, times_##name, true);
    UNITS_OF_SIZE(DEFINE_UNIT)
    UNITS_OF_DURATION(DEFINE_UNIT)
    mupDefineOprt(parser, "%", remainder_floored, PRECEDENCE_OF_PRODUCTS, muOPRT_ASCT_LEFT, true);
    mupDefineMultFun(parser, "min", least, true);
    mupDefineMultFun(parser, "max", most, true);
    mupDefineMultFun(parser, "random", random_whole, true);
    mupDefineFun1(parser, "floor", floor, true);
    mupDefineFun1(parser, "ceil", ceil, true);
}

// ---- Compiling ----

// Finds syntax that muParser would take but has no sense here: assignments, lists of results,
// strings, endless texts. NULL if all is well.
static const char *not_supported(const char *text)
{
    if (strlen(text) > LONGEST_EXPRESSION)
        return "the expression is too long";
    if (text[strspn(text, " \t")] == '\0')
        return "the expression is empty";
    if (strpbrk(text, "\"';#\r\n"))
        return "the expression has a character that has no meaning in it";
    for (const char *at = text; (at = strchr(at, '=')); at++) {
        bool second = at > text && strchr("<>!=", at[-1]);
        if (!second && at[1] != '=')
            return "= is no comparison; write ==";
        at += !second;
    }
    return NULL;
}

// muParser's complaint, or a clearer one if an unknown name is the cause.
static char *complaint(muParserHandle_t parser, const struct expression_variables *variables)
{
    const char *token = mupGetErrorToken(parser);
    bool name = token && (g_ascii_isalpha(token[0]) || token[0] == '_');
    if (!name || mupGetErrorCode(parser) != UNKNOWN_TOKEN)
        return g_strdup(mupGetErrorMsg(parser));
    GString *text = g_string_new(NULL);
    g_string_printf(text, "\"%.40s\" is not known here; there are ", token);
    for (int i = 0; i < variables->count; i++)
        g_string_append_printf(text, "%s, ", variables->names[i]);
    g_string_append(text, "min, max, floor, ceil, random, and units of size and time");
    return g_string_free(text, FALSE);
}

static bool define_variables(muParserHandle_t parser, const struct expression_variables *variables,
                             char **error)
{
    static const char *const functions[] = {"min", "max", "floor", "ceil", "random", NULL};
    for (int i = 0; i < variables->count; i++) {
        if (g_strv_contains(functions, variables->names[i])) {
            *error = g_strdup_printf("\"%s\" is a function", variables->names[i]);
            return false;
        }
        mupDefineVar(parser, variables->names[i], &variables->values[i]);
    }
    if (!mupError(parser))
        return true;
    *error = g_strdup(mupGetErrorMsg(parser));
    return false;
}

static bool compile(muParserHandle_t parser, const char *text,
                    const struct expression_variables *variables, char **error)
{
    if (!define_variables(parser, variables, error))
        return false;
    int results = 0;
    mupSetExpr(parser, text);
    mupEvalMulti(parser, &results);
    if (mupError(parser))
        *error = complaint(parser, variables);
    else if (results > 1)
        *error = g_strdup("a comma stands only between the arguments of a function");
    return !*error;
}

struct expression *expression_new(const char *text, const struct expression_variables *variables,
                                  char **error)
{
    const char *unsupported = not_supported(text);
    *error = g_strdup(unsupported);
    if (unsupported)
        return NULL;
    struct expression *expression = g_new0(struct expression, 1);
    expression->text = g_strdup(text);
    expression->parser = mupCreate(muBASETYPE_FLOAT);
    define_all(expression->parser);
    if (compile(expression->parser, text, variables, error))
        return expression;
    expression_free(expression);
    return NULL;
}

void expression_free(struct expression *expression)
{
    if (!expression)
        return;
    mupRelease(expression->parser);
    g_free(expression->text);
    g_free(expression);
}

// ---- Evaluating ----

int64_t expression_value(struct expression *expression, char **error)
{
    double value = mupEval(expression->parser);
    *error = NULL;
    if (mupError(expression->parser))
        *error = g_strdup(mupGetErrorMsg(expression->parser));
    else if (isnan(value) && strstr(expression->text, "random"))
        *error = g_strdup_printf("\"%s\" has no value: it divides by zero, or random chooses from "
                                 "less than one number",
                                 expression->text);
    else if (!isfinite(value))
        *error = g_strdup_printf("\"%s\" divides by zero or is too large", expression->text);
    else if (fabs(value) >= 0x1p63)
        *error = g_strdup_printf("\"%s\" is beyond 64 bits", expression->text);
    return *error ? 0 : llround(value);
}
