// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/program/op_shape.h"

#define VALUE(field_) .form = OP_KEY_VALUE, .field = offsetof(struct op, field_)
#define FLAG(field_) .form = OP_KEY_FLAG, .field = offsetof(struct op, field_)

const struct op_key op_keys[OP_KEYS] = {
    [OP_TO] = {"to", VALUE(peer), .quantity = QUANTITY_COUNT},
    [OP_FROM] = {"from", VALUE(peer), .quantity = QUANTITY_COUNT, .any = "any"},
    [OP_FROM_ONE] = {"from", VALUE(peer), .quantity = QUANTITY_COUNT},
    [OP_TO_OR_ALL] = {"to", VALUE(peer), .quantity = QUANTITY_COUNT, .any = "all"},
    [OP_SOURCE] = {"from", VALUE(source), .quantity = QUANTITY_COUNT, .any = "any"},
    [OP_ROOT] = {"root", VALUE(root), .quantity = QUANTITY_COUNT},
    [OP_SIZE] = {"size", VALUE(size), .quantity = QUANTITY_SIZE},
    [OP_STRIDED] = {"strided", .form = OP_KEY_STRIDED},
    [OP_SEGMENTS] = {"segments", .form = OP_KEY_SEGMENTS},
    [OP_TAG] = {"tag", VALUE(tag), .quantity = QUANTITY_COUNT},
    [OP_TAG_OR_ANY] = {"tag", VALUE(tag), .quantity = QUANTITY_COUNT, .any = "any"},
    [OP_BUFFER] = {"buffer", VALUE(buffer), .quantity = QUANTITY_COUNT},
    [OP_RECEIVE_BUFFER] = {"receive_buffer", VALUE(receive_buffer), .quantity = QUANTITY_COUNT},
    [OP_PEER_BUFFER] = {"peer_buffer", VALUE(peer_buffer), .quantity = QUANTITY_COUNT},
    [OP_CHANNEL] = {"channel", VALUE(channel), .quantity = QUANTITY_COUNT},
    [OP_NOTIFY] = {"notify", FLAG(notify)},
    [OP_PHYSICAL] = {"physical", FLAG(physical)},
    [OP_PAGED] = {"paged", FLAG(paged)},
    [OP_HANDLER] = {"handler", .form = OP_KEY_FUNCTION},
    [OP_NAME] = {"name", .form = OP_KEY_FUNCTION},
    [OP_REQUEST] = {"request", .form = OP_KEY_REQUEST},
    [OP_AWAITED] = {"request", .form = OP_KEY_AWAITED},
    [OP_ALL] = {"requests", .form = OP_KEY_AWAITED_ALL},
    [OP_TIME] = {"time", VALUE(time), .quantity = QUANTITY_DURATION},
    [OP_COUNT] = {"count", VALUE(count), .quantity = QUANTITY_COUNT},
    [OP_AS] = {"as", .form = OP_KEY_COUNTER},
    [OP_DO] = {"do", .form = OP_KEY_BODY},
};

#define BIT(key) OP_KEY_BIT(OP_##key)
#define SENDING (BIT(TO) | BIT(SIZE))
#define RECEIVING (BIT(FROM) | BIT(SIZE))
#define ROOTED (BIT(ROOT) | BIT(SIZE))
#define BUFFERS (BIT(BUFFER) | BIT(RECEIVE_BUFFER))

#define ONE_SIDED                                                                                  \
    (OP_DATA_KEYS | BIT(BUFFER) | BIT(PEER_BUFFER) | BIT(CHANNEL) | BIT(NOTIFY) | BIT(PHYSICAL) |  \
     BIT(PAGED) | BIT(REQUEST))

const struct op_shape op_shapes[] = {
    [OP_SEND] = {.name = "send",
                 .must = SENDING,
                 .may = BIT(TAG) | BIT(BUFFER),
                 .owner = OP_OF_MPI},
    [OP_SSEND] = {.name = "ssend",
                  .must = SENDING,
                  .may = BIT(TAG) | BIT(BUFFER),
                  .owner = OP_OF_MPI},
    [OP_ISEND] = {.name = "isend",
                  .must = SENDING | BIT(REQUEST),
                  .may = BIT(TAG) | BIT(BUFFER),
                  .owner = OP_OF_MPI},
    [OP_ISSEND] = {.name = "issend",
                   .must = SENDING | BIT(REQUEST),
                   .may = BIT(TAG) | BIT(BUFFER),
                   .owner = OP_OF_MPI},
    [OP_RECV] = {.name = "recv",
                 .must = RECEIVING,
                 .may = BIT(TAG_OR_ANY) | BIT(BUFFER),
                 .owner = OP_OF_MPI},
    [OP_IRECV] = {.name = "irecv",
                  .must = RECEIVING | BIT(REQUEST),
                  .may = BIT(TAG_OR_ANY) | BIT(BUFFER),
                  .owner = OP_OF_MPI},
    [OP_PROBE] = {.name = "probe", .must = BIT(FROM), .may = BIT(TAG_OR_ANY), .owner = OP_OF_MPI},
    [OP_IPROBE] = {.name = "iprobe", .must = BIT(FROM), .may = BIT(TAG_OR_ANY), .owner = OP_OF_MPI},
    [OP_WAIT] = {.name = "wait", .must = BIT(AWAITED), .plain = true},
    [OP_WAITALL] = {.name = "waitall", .must = BIT(ALL), .plain = true},
    [OP_COMPUTE] = {.name = "compute", .must = BIT(TIME), .plain = true},
    [OP_BARRIER] = {.name = "barrier", .owner = OP_OF_MPI, .plain = true},
    [OP_SENDRECV] = {.name = "sendrecv",
                     .must = SENDING | BIT(SOURCE),
                     .may = BIT(TAG) | BUFFERS,
                     .owner = OP_OF_MPI},
    [OP_BCAST] = {.name = "bcast", .must = ROOTED, .may = BIT(BUFFER), .owner = OP_OF_MPI},
    [OP_REDUCE] = {.name = "reduce", .must = ROOTED, .may = BUFFERS, .owner = OP_OF_MPI},
    [OP_ALLREDUCE] =
        {.name = "allreduce", .must = BIT(SIZE), .may = BUFFERS, .owner = OP_OF_MPI, .plain = true},
    [OP_GATHER] = {.name = "gather", .must = ROOTED, .may = BUFFERS, .owner = OP_OF_MPI},
    [OP_SCATTER] = {.name = "scatter", .must = ROOTED, .may = BUFFERS, .owner = OP_OF_MPI},
    [OP_ALLGATHER] =
        {.name = "allgather", .must = BIT(SIZE), .may = BUFFERS, .owner = OP_OF_MPI, .plain = true},
    [OP_ALLTOALL] =
        {.name = "alltoall", .must = BIT(SIZE), .may = BUFFERS, .owner = OP_OF_MPI, .plain = true},
    [OP_COPY] = {.name = "copy", .must = BIT(SIZE), .plain = true},
    [OP_REGISTER] = {.name = "register", .must = BIT(SIZE) | BIT(BUFFER)},
    [OP_DEREGISTER] = {.name = "deregister", .must = BIT(SIZE) | BIT(BUFFER)},
    [OP_PUT] =
        {.name = "put", .must = BIT(TO), .may = ONE_SIDED, .owner = OP_OF_SOME, .data = true},
    [OP_GET] =
        {.name = "get", .must = BIT(FROM_ONE), .may = ONE_SIDED, .owner = OP_OF_SOME, .data = true},
    [OP_ACCUMULATE] = {.name = "accumulate",
                       .must = BIT(TO),
                       .may = ONE_SIDED,
                       .owner = OP_OF_SOME,
                       .data = true},
    [OP_FETCH_ADD] = {.name = "fetch_add",
                      .must = BIT(TO),
                      .may = BIT(REQUEST),
                      .owner = OP_OF_SOME,
                      .plain = true},
    [OP_LOCK] =
        {.name = "lock", .must = BIT(TO), .may = BIT(REQUEST), .owner = OP_OF_SOME, .plain = true},
    [OP_UNLOCK] = {.name = "unlock",
                   .must = BIT(TO),
                   .may = BIT(REQUEST),
                   .owner = OP_OF_SOME,
                   .plain = true},
    [OP_FENCE] = {.name = "fence",
                  .must = BIT(TO_OR_ALL),
                  .may = BIT(REQUEST),
                  .owner = OP_OF_SOME,
                  .plain = true},
    [OP_ACTIVE_MESSAGE] = {.name = "active_message",
                           .must = SENDING,
                           .may = BIT(BUFFER) | BIT(HANDLER) | BIT(CHANNEL) | BIT(REQUEST),
                           .owner = OP_OF_SOME},
    [OP_POLL] = {.name = "poll", .must = BIT(COUNT), .owner = OP_OF_SOME, .plain = true},
    [OP_CALL] = {.name = "call",
                 .must = BIT(NAME),
                 .may = BIT(COUNT) | BIT(SIZE) | BIT(REQUEST),
                 .owner = OP_OF_SOME,
                 .plain = true},
    [OP_LOOP] = {.name = "loop", .must = BIT(COUNT) | BIT(DO), .may = BIT(AS)},
    [OP_MEASURE_START] = {.name = "measure_start", .internal = true},
    [OP_MEASURE_STOP] = {.name = "measure_stop", .internal = true},
};

const size_t op_shape_count = G_N_ELEMENTS(op_shapes);

const char *op_kind_name(enum op_kind kind)
{
    return op_shapes[kind].name;
}

bool op_library_has(const struct op_library *library, enum op_kind kind)
{
    const struct op_shape *shape = &op_shapes[kind];
    if (shape->owner == OP_OF_PROCESS)
        return true;
    return library->operations ? g_strv_contains(library->operations, shape->name)
                               : shape->owner == OP_OF_MPI;
}

const struct op_key *op_plain_key(const struct op_shape *shape)
{
    return shape->must ? &op_keys[__builtin_ctz(shape->must)] : NULL;
}

// ---- JSON Schema ----

static json_t *value_schema(void)
{
    return json_pack("{s:[{s:s}, {s:s}]}", "anyOf", "type", "string", "type", "integer");
}

static json_t *values_schema(int least, int most)
{
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", value_schema(), "minItems",
                     least, "maxItems", most);
}

static json_t *strided_schema(void)
{
    return json_pack("{s:s, s:{s:o, s:o, s:o}, s:[s, s], s:b}", "type", "object", "properties",
                     "counts", values_schema(2, OP_LAYOUT_LEVELS + 1), "strides",
                     values_schema(1, OP_LAYOUT_LEVELS), "peer_strides",
                     values_schema(1, OP_LAYOUT_LEVELS), "required", "counts", "strides",
                     "additionalProperties", 0);
}

static json_t *segments_schema(void)
{
    return json_pack("{s:s, s:i, s:{s:s, s:{s:o, s:o}, s:[s, s], s:b}}", "type", "array",
                     "minItems", 1, "items", "type", "object", "properties", "bytes",
                     value_schema(), "count", value_schema(), "required", "bytes", "count",
                     "additionalProperties", 0);
}

static json_t *key_schema(const struct op_key *key)
{
    switch (key->form) {
    case OP_KEY_VALUE:
        return value_schema();
    case OP_KEY_AWAITED_ALL:
        return json_pack("{s:[{s:s}, {s:s, s:{s:s}}]}", "anyOf", "const", "all", "type", "array",
                         "items", "type", "string");
    case OP_KEY_BODY:
        return json_pack("{s:s}", "$ref", "#/$defs/operations");
    case OP_KEY_FLAG:
        return json_pack("{s:s}", "type", "boolean");
    case OP_KEY_STRIDED:
        return strided_schema();
    case OP_KEY_SEGMENTS:
        return segments_schema();
    case OP_KEY_REQUEST:
    case OP_KEY_AWAITED:
    case OP_KEY_COUNTER:
    case OP_KEY_FUNCTION:
        break;
    }
    return json_pack("{s:s}", "type", "string");
}

// Exactly one of the keys that say which data.
static json_t *data_schema(void)
{
    json_t *choices = json_array();
    for (unsigned i = 0; i < OP_KEYS; i++)
        if (OP_DATA_KEYS & OP_KEY_BIT(i))
            json_array_append_new(choices, json_pack("{s:[s]}", "required", op_keys[i].name));
    return choices;
}

static json_t *shape_schema(const struct op_shape *shape)
{
    json_t *properties = json_object(), *required = json_array();
    for (unsigned i = 0; i < OP_KEYS; i++) {
        if ((shape->must | shape->may) & OP_KEY_BIT(i))
            json_object_set_new(properties, op_keys[i].name, key_schema(&op_keys[i]));
        if (shape->must & OP_KEY_BIT(i))
            json_array_append_new(required, json_string(op_keys[i].name));
    }
    json_t *map = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                            "required", required, "additionalProperties", 0);
    if (shape->data)
        json_object_set_new(map, "oneOf", data_schema());
    if (!shape->plain)
        return map;
    json_t *plain =
        shape->must ? key_schema(op_plain_key(shape)) : json_pack("{s:s}", "type", "null");
    return json_pack("{s:[o, o]}", "anyOf", map, plain);
}

json_t *program_operations_schema(void)
{
    json_t *properties = json_object(), *words = json_array();
    for (size_t i = 0; i < op_shape_count; i++) {
        if (op_shapes[i].internal)
            continue;
        json_object_set_new(properties, op_shapes[i].name, shape_schema(&op_shapes[i]));
        if (op_shapes[i].plain && !op_shapes[i].must)
            json_array_append_new(words, json_string(op_shapes[i].name));
    }
    return json_pack("{s:s, s:{s:[{s:o}, {s:s, s:o, s:i, s:i, s:b}]}}", "type", "array", "items",
                     "anyOf", "enum", words, "type", "object", "properties", properties,
                     "minProperties", 1, "maxProperties", 1, "additionalProperties", 0);
}
