// SPDX-License-Identifier: GPL-3.0-or-later
// The four arguments of remote memory messages, notification included (thesis 003, 4.1.1, 4.5.5).
#include "models/grim/memory/memory_internal.h"

#define LAST_PART 1u
#define LAST_READ 0x80000000u // besides a read's length, which is 64,572 at most

void grim_pack_write(struct grim_message *message, const struct grim_write_arguments *arguments)
{
    message->argument[0] = arguments->address;
    message->argument[1] = arguments->word;
    message->argument[2] = arguments->value;
    message->argument[3] = arguments->last ? LAST_PART : 0;
}

struct grim_write_arguments grim_write_of(const struct grim_message *message)
{
    const uint32_t *argument = message->argument;
    return (struct grim_write_arguments){argument[0], argument[1], argument[2],
                                         argument[3] == LAST_PART};
}

void grim_pack_read(struct grim_message *message, const struct grim_read_arguments *arguments)
{
    message->argument[0] = arguments->address;
    message->argument[1] = arguments->local;
    message->argument[2] = arguments->length | (arguments->last ? LAST_READ : 0);
    message->argument[3] = arguments->word;
}

struct grim_read_arguments grim_read_of(const struct grim_message *message)
{
    const uint32_t *argument = message->argument;
    return (struct grim_read_arguments){argument[0], argument[1], argument[2] & ~LAST_READ,
                                        argument[3], (argument[2] & LAST_READ) != 0};
}

// A reply is a write that also identifies the read that it answers: by token and sequence number,
// in place of the value, which is always zero.
void grim_pack_reply(struct grim_message *reply, const struct grim_message *read)
{
    struct grim_read_arguments asked = grim_read_of(read);
    *reply = (struct grim_message){
        .type = GRIM_READ_REPLY,
        .source = read->destination,
        .destination = read->source,
        .bytes = asked.length,
        .message = read->message,
        .offset = read->offset,
        .length = asked.length,
        .content = read->content,
    };
    grim_pack_write(reply, &(struct grim_write_arguments){
                               asked.local, asked.word, (uint32_t)read->token << 8 | read->sequence,
                               asked.last});
}
