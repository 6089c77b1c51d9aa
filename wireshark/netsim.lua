-- SPDX-License-Identifier: GPL-3.0-or-later
-- Dissectors for what netsim's captures hold and Wireshark does not know: M-VIA (EtherType 0x8886),
-- behind the route bytes of Myrinet, GM (link type 147) and GRIM (148), and Intercept (149).
--
--     tshark -X lua_script:netsim.lua -r DIR/SERIES/node0.pcapng
--
-- or copy this file to the folder of personal Lua plugins (Help, About Wireshark, Folders).
--
-- The layouts are those of models/via/vip/frame.h, models/myrinet_gm/gm/gm_capture.c,
-- models/grim/ni/message.h, models/intercept/nic/nic_capture.c and what that names. A frame that was cut short by a snap length is shown as far as it goes.

local ETHERTYPE_VIA = 0x8886
local encapsulations = wtap_encaps or wtap -- the name since Wireshark 2.x, and the one before

-- ---- What the dissectors share ----

-- Numbers that stand for words.
local function word(words, number)
    return words[number] or string.format("unknown (%d)", number)
end

-- Reads a header field by field. What the frame no longer has is not shown, and its value is nil.
local function reader(tvb, tree, expert)
    local self = { at = 0, cut = false }

    -- The next `length` bytes as a field: its number. With `at`: those bytes, without going on.
    function self.take(field, length, at)
        local from = at or self.at
        if not at then
            self.at = from + length
        end
        if from + length > tvb:len() then
            if not self.cut then
                tree:add_proto_expert_info(expert, "the frame ends within its header")
            end
            self.cut = true
            return nil
        end
        local range = tvb(from, length)
        tree:add(field, range)
        if length <= 4 then
            return range:uint()
        end
        return range:uint64()
    end

    -- The payload: `length` bytes, or as many of them as there are.
    function self.payload(length, pinfo, root)
        local have = math.min(length, tvb:len() - self.at)
        if have > 0 then
            Dissector.get("data"):call(tvb(self.at, have):tvb(), pinfo, root)
        end
    end

    return self
end

local function expert_of(proto)
    local expert = ProtoExpert.new(proto.name:lower() .. ".cut", "Cut short",
                                   expert.group.MALFORMED, expert.severity.NOTE)
    proto.experts = { expert }
    return expert
end

-- A text of which a part may be missing.
local function info(format, ...)
    for i = 1, select("#", ...) do
        if select(i, ...) == nil then
            return "[cut short]"
        end
    end
    return string.format(format, ...)
end

-- ---- M-VIA ----

local mvia = Proto("mvia", "M-VIA")
local mvia_types = { [0] = "connect", [1] = "disconnect", [2] = "data" }
local mvia_operations = { [0] = "receive", [1] = "send", [2] = "RDMA write" }
local mvia_fields = {
    type = ProtoField.uint8("mvia.type", "Type", base.DEC, mvia_types, 0xc0),
    operation = ProtoField.uint8("mvia.operation", "Operation", base.DEC, mvia_operations, 0x30),
    answer = ProtoField.bool("mvia.answer", "Answers a request", 8, nil, 0x02),
    immediate_flag = ProtoField.bool("mvia.immediate_flag", "Has immediate data", 8, nil, 0x01),
    handle = ProtoField.uint24("mvia.handle", "Remote handle"),
    source_vi = ProtoField.uint16("mvia.source_vi", "Source VI"),
    destination_vi = ProtoField.uint16("mvia.destination_vi", "Destination VI"),
    sequence = ProtoField.uint32("mvia.sequence", "Sequence number"),
    total = ProtoField.uint32("mvia.total", "Bytes of the transfer"),
    offset = ProtoField.uint32("mvia.offset", "Offset in the transfer"),
    length = ProtoField.uint16("mvia.length", "Bytes in this frame"),
    address = ProtoField.uint64("mvia.address", "Remote address", base.HEX),
    immediate = ProtoField.uint32("mvia.immediate", "Immediate data", base.HEX),
    discriminator = ProtoField.uint64("mvia.discriminator", "Discriminator", base.HEX),
}
mvia.fields = mvia_fields
local mvia_cut = expert_of(mvia)

local function mvia_data(read, kind)
    local total = read.take(mvia_fields.total, 4)
    local offset = read.take(mvia_fields.offset, 4)
    local length = read.take(mvia_fields.length, 2)
    local operation = math.floor(kind / 16) % 4
    if operation == 2 then
        read.take(mvia_fields.handle, 3, 1)
        read.take(mvia_fields.address, 6)
    else
        read.at = read.at + 6
    end
    if kind % 2 == 1 then
        read.take(mvia_fields.immediate, 4)
    else
        read.at = read.at + 4
    end
    return info("%s, %d B at %d of %d", word(mvia_operations, operation), length, offset, total),
           length
end

function mvia.dissector(tvb, pinfo, root)
    local tree = root:add(mvia, tvb())
    local read = reader(tvb, tree, mvia_cut)
    pinfo.cols.protocol = "M-VIA"
    local kind = read.take(mvia_fields.type, 1)
    if not kind then
        return
    end
    for _, field in ipairs({ "operation", "answer", "immediate_flag" }) do
        read.take(mvia_fields[field], 1, 0)
    end
    read.at = 4
    local source = read.take(mvia_fields.source_vi, 2)
    local destination = read.take(mvia_fields.destination_vi, 2)
    local sequence = read.take(mvia_fields.sequence, 4)
    local what, length
    if math.floor(kind / 64) == 2 then
        what, length = mvia_data(read, kind)
        what = what .. info(", frame %d", sequence)
    else
        read.take(mvia_fields.discriminator, 8)
        what = word(mvia_types, math.floor(kind / 64)) ..
                   (math.floor(kind / 2) % 2 == 1 and ", answer" or "")
    end
    what = what .. info(", VI %d > %d", source, destination)
    pinfo.cols.info = what
    tree:append_text(": " .. what)
    if length then
        read.payload(length, pinfo, root)
    end
end

DissectorTable.get("ethertype"):add(ETHERTYPE_VIA, mvia)

-- ---- Myrinet: route bytes in front of the packet ----

-- A route byte has its upper bit set, and a switch's ports from the one a packet comes by to the one
-- it leaves by in six bits with a sign. No packet begins with such a byte.
local function take_route(read, tvb, tree, field)
    local turns = {}
    while read.at < tvb:len() and tvb(read.at, 1):uint() >= 0x80 do
        local turn = tvb(read.at, 1):uint() % 64
        table.insert(turns, string.format("%+d", turn >= 32 and turn - 64 or turn))
        read.at = read.at + 1
    end
    if #turns > 0 then
        tree:add(field, tvb(0, #turns)):append_text(" (" .. table.concat(turns, ", ") .. ")")
    end
end

-- ---- GM ----

local gm = Proto("gm", "Myrinet GM")
local gm_subtypes = {
    [0] = "data", [1] = "directed", [2] = "ACK", [3] = "NACK gap", [4] = "NACK refused",
    [5] = "NACK closed", [6] = "NACK rejected",
}
local gm_fields = {
    route = ProtoField.bytes("gm.route", "Route"),
    type = ProtoField.uint16("gm.type", "Packet type"),
    subtype = ProtoField.uint8("gm.subtype", "Subtype", base.DEC, gm_subtypes),
    last = ProtoField.bool("gm.last", "Last of its message", 8, nil, 0x80),
    priority = ProtoField.uint8("gm.priority", "Priority", base.DEC, { [0] = "low", [1] = "high" },
                                0x40),
    size = ProtoField.uint8("gm.size", "Size class", base.DEC, nil, 0x1f),
    destination = ProtoField.uint16("gm.destination", "Destination node"),
    source = ProtoField.uint16("gm.source", "Source node"),
    session = ProtoField.uint16("gm.session", "Session"),
    sequence = ProtoField.uint16("gm.sequence", "Sequence number"),
    ack = ProtoField.uint16("gm.ack", "Expected sequence number"),
    attempt = ProtoField.uint16("gm.attempt", "Answers sending number"),
    length = ProtoField.uint16("gm.length", "Bytes in this packet"),
    destination_port = ProtoField.uint8("gm.destination_port", "Destination port"),
    source_port = ProtoField.uint8("gm.source_port", "Source port"),
    position = ProtoField.uint32("gm.position", "Position in the message"),
    total = ProtoField.uint32("gm.total", "Bytes of the message"),
    address = ProtoField.uint64("gm.address", "Remote address", base.HEX),
}
gm.fields = gm_fields
local gm_cut = expert_of(gm)

local function gm_data(read, subtype, sequence, length)
    local destination = read.take(gm_fields.destination_port, 1)
    local source = read.take(gm_fields.source_port, 1)
    local position = read.take(gm_fields.position, 4)
    local total = read.take(gm_fields.total, 4)
    if subtype == 1 then
        read.take(gm_fields.address, 8)
    end
    return info("%s, sequence %d, %d B at %d of %d, port %d > %d", word(gm_subtypes, subtype),
                sequence, length, position, total, source, destination)
end

function gm.dissector(tvb, pinfo, root)
    local tree = root:add(gm, tvb())
    local read = reader(tvb, tree, gm_cut)
    pinfo.cols.protocol = "GM"
    take_route(read, tvb, tree, gm_fields.route)
    read.take(gm_fields.type, 2)
    local subtype = read.take(gm_fields.subtype, 1)
    local is_data = subtype == 0 or subtype == 1
    if is_data then
        for _, field in ipairs({ "last", "priority", "size" }) do
            read.take(gm_fields[field], 1, read.at)
        end
    end
    read.at = read.at + 1
    local destination = read.take(gm_fields.destination, 2)
    local source = read.take(gm_fields.source, 2)
    if source then
        pinfo.cols.src = "node " .. source
        pinfo.cols.dst = "node " .. destination
    end
    local session = read.take(gm_fields.session, 2)
    local sequence = read.take(is_data and gm_fields.sequence or gm_fields.ack, 2)
    local number = read.take(is_data and gm_fields.length or gm_fields.attempt, 2)
    local what
    if is_data then
        what = gm_data(read, subtype, sequence, number)
    else
        what = info("%s, expects %d", subtype and word(gm_subtypes, subtype), sequence)
    end
    what = what .. info(", session %d", session)
    pinfo.cols.info = what
    tree:append_text(": " .. what)
    if is_data and number then
        read.payload(number, pinfo, root)
    end
end

DissectorTable.get("wtap_encap"):add(encapsulations.USER0, gm)

-- ---- GRIM ----

local grim = Proto("grim", "GRIM")
local grim_types = {
    [0] = "active message", [1] = "RM-V write", [2] = "RM-P write", [3] = "RM-RV read",
    [4] = "RM-RV reply", [5] = "multicast", [6] = "ACK", [7] = "NACK",
}
local grim_fields = {
    route = ProtoField.bytes("grim.route", "Route"),
    id = ProtoField.uint16("grim.id", "GRIM identifier", base.HEX),
    token = ProtoField.uint8("grim.token", "NI token"),
    sequence = ProtoField.uint8("grim.sequence", "NI sequence number"),
    type = ProtoField.uint8("grim.type", "Type", base.DEC, grim_types, 0xfc),
    correction = ProtoField.uint8("grim.correction", "Padding of the payload", base.DEC, nil, 0x03),
    tree = ProtoField.uint8("grim.tree", "Multicast tree"),
    source = ProtoField.uint16("grim.source", "Source endpoint"),
    words = ProtoField.uint16("grim.words", "Words of payload"),
    destination = ProtoField.uint16("grim.destination", "Destination endpoint"),
    channel = ProtoField.uint16("grim.channel", "Logical channel"),
    handler = ProtoField.uint16("grim.handler", "Handler"),
    argument = ProtoField.uint32("grim.argument", "Argument", base.HEX),
    length = ProtoField.uint32("grim.length", "Bytes of payload"),
}
grim.fields = grim_fields
local grim_cut = expert_of(grim)

local function grim_message(read, tree, columns, correction, type, source)
    local words = read.take(grim_fields.words, 2)
    local destination = read.take(grim_fields.destination, 2)
    read.take(grim_fields.channel, 2)
    local handler = read.take(grim_fields.handler, 2)
    for _ = 1, 4 do
        read.take(grim_fields.argument, 4)
    end
    local length = words and math.max(words * 4 - correction, 0)
    if length then
        tree:add(grim_fields.length, length):set_generated()
    end
    if destination then
        columns.src = "endpoint " .. source
        columns.dst = "endpoint " .. destination
    end
    return info("%s, %d B, endpoint %d > %d, handler %d", word(grim_types, type), length, source,
                destination, handler), length
end

function grim.dissector(tvb, pinfo, root)
    local tree = root:add(grim, tvb())
    local read = reader(tvb, tree, grim_cut)
    pinfo.cols.protocol = "GRIM"
    take_route(read, tvb, tree, grim_fields.route)
    read.take(grim_fields.id, 2)
    local token = read.take(grim_fields.token, 1)
    local sequence = read.take(grim_fields.sequence, 1)
    read.take(grim_fields.type, 1, read.at)
    local kind = read.take(grim_fields.correction, 1)
    read.take(grim_fields.tree, 1)
    local source = read.take(grim_fields.source, 2)
    if not source then
        pinfo.cols.info = "[cut short]"
        return
    end
    local type, what, length = math.floor(kind / 4), nil, nil
    if type == 6 or type == 7 then
        what = info("%s to endpoint %d", word(grim_types, type), source)
    else
        what, length = grim_message(read, tree, pinfo.cols, kind % 4, type, source)
    end
    what = what .. info(", token %d, sequence %d", token, sequence)
    pinfo.cols.info = what
    tree:append_text(": " .. what)
    if length then
        read.payload(length, pinfo, root)
    end
end

DissectorTable.get("wtap_encap"):add(encapsulations.USER1, grim)

-- ---- Intercept ----

local intercept = Proto("intercept", "Intercept")
local intercept_kinds = { [1] = "VDMA data", [2] = "short message" }
local intercept_fields = {
    kind = ProtoField.uint8("intercept.kind", "Kind", base.DEC, intercept_kinds),
    marked = ProtoField.bool("intercept.marked", "Marked: interrupts its receiver", 8, nil, 0x01),
    destination = ProtoField.uint16("intercept.destination", "Destination IUCA"),
    source = ProtoField.uint16("intercept.source", "Source IUCA"),
    vnic = ProtoField.uint8("intercept.vnic", "Destination VNIC"),
    channel = ProtoField.uint8("intercept.channel", "VDMA channel"),
    length = ProtoField.uint16("intercept.length", "Bytes of payload"),
    address = ProtoField.uint32("intercept.address", "Address in the channel"),
    reserved = ProtoField.bytes("intercept.reserved", "Reserved"),
}
intercept.fields = intercept_fields
local intercept_cut = expert_of(intercept)

-- The simplified RMPP of the Portals NAL (models/intercept/p3/frames.c).
local rmpp = Proto("rmpp", "RMPP of Portals over Intercept")
local rmpp_types = {
    [0] = "RTS", [1] = "CTS", [2] = "NEXT_CTS", [3] = "DATA", [4] = "STOP_DATA", [5] = "LAST_DATA",
    [6] = "MSGEND", [7] = "MSGERROR",
}
local portals_kinds = { [0] = "PUT", [1] = "GET", [2] = "REPLY", [3] = "ACK" }
local rmpp_fields = {
    type = ProtoField.uint32("rmpp.type", "Type", base.DEC, rmpp_types),
    number = ProtoField.uint64("rmpp.msgnum", "msgNum"),
    length = ProtoField.uint32("rmpp.len", "Bytes of headers and data"),
    grant = ProtoField.uint32("rmpp.n", "Data packets that may come"),
    wanted = ProtoField.uint32("rmpp.mlen", "Bytes that are wanted"),
    data = ProtoField.uint32("rmpp.data", "Number of the data packet"),
    error = ProtoField.int32("rmpp.error", "Error"),
    kind = ProtoField.uint32("rmpp.portals.kind", "Kind", base.DEC, portals_kinds),
    nid = ProtoField.uint32("rmpp.portals.nid", "nid"),
    pid = ProtoField.uint32("rmpp.portals.pid", "pid"),
    portal = ProtoField.uint32("rmpp.portals.portal", "Portal"),
    match = ProtoField.uint64("rmpp.portals.match_bits", "Match bits", base.HEX),
    header_data = ProtoField.uint64("rmpp.portals.header_data", "Header data", base.HEX),
    bytes = ProtoField.uint64("rmpp.portals.length", "Bytes of the message"),
    offset = ProtoField.uint64("rmpp.portals.offset", "Offset"),
}
rmpp.fields = rmpp_fields
local rmpp_cut = expert_of(rmpp)

local function rmpp_portals(read)
    local kind = read.take(rmpp_fields.kind, 4)
    for _ = 1, 2 do
        read.take(rmpp_fields.nid, 4)
        read.take(rmpp_fields.pid, 4)
    end
    local portal = read.take(rmpp_fields.portal, 4)
    read.take(rmpp_fields.match, 8)
    read.take(rmpp_fields.header_data, 8)
    local bytes = read.take(rmpp_fields.bytes, 8)
    read.take(rmpp_fields.offset, 8)
    return info(", %s of %s B, portal %d", kind and word(portals_kinds, kind), bytes and tostring(bytes), portal)
end

function rmpp.dissector(tvb, pinfo, root)
    local tree = root:add(rmpp, tvb())
    local read = reader(tvb, tree, rmpp_cut)
    pinfo.cols.protocol = "RMPP"
    local type = read.take(rmpp_fields.type, 4)
    local number = read.take(rmpp_fields.number, 8)
    local length = read.take(rmpp_fields.length, 4)
    if not length then
        pinfo.cols.info = "[cut short]"
        return
    end
    local what = info("%s of message %s, %d B", word(rmpp_types, type), tostring(number), length)
    if type == 0 then
        what = what .. rmpp_portals(read)
    elseif type == 1 then
        what = what .. info(", n %d", read.take(rmpp_fields.grant, 4))
        read.take(rmpp_fields.wanted, 4)
    elseif type == 2 then
        what = what .. info(", n %d", read.take(rmpp_fields.grant, 4))
    elseif type >= 3 and type <= 5 then
        what = what .. info(", number %d", read.take(rmpp_fields.data, 4))
    elseif type == 7 then
        read.take(rmpp_fields.error, 4)
    end
    pinfo.cols.info = what
    tree:append_text(": " .. what)
end

-- Messages between VDMA handlers, which use VNIC 15 (models/intercept/vdma/handler_frames.c).
local VDMA_VNIC = 15
local vdma = Proto("vdma_handler", "VDMA handler of Intercept")
local vdma_kinds = {
    [0] = "CONNECT", [1] = "refusal", [2] = "credit update", [3] = "GET", [4] = "PUT", [5] = "DONE",
    [6] = "GET_EXT_REPLY", [7] = "client's message",
}
local vdma_fields = {
    kind = ProtoField.uint8("vdma_handler.kind", "Kind", base.DEC, vdma_kinds),
    channel = ProtoField.uint8("vdma_handler.channel", "Channel"),
    type = ProtoField.uint8("vdma_handler.type", "Type of the client's message"),
    slice = ProtoField.uint16("vdma_handler.slice", "Slice"),
    count = ProtoField.uint32("vdma_handler.count", "Credits, or bytes"),
    address = ProtoField.uint64("vdma_handler.address", "Address", base.HEX),
    bytes = ProtoField.uint64("vdma_handler.bytes", "Bytes"),
    key = ProtoField.uint64("vdma_handler.key", "Key"),
}
vdma.fields = vdma_fields
local vdma_cut = expert_of(vdma)

function vdma.dissector(tvb, pinfo, root)
    local tree = root:add(vdma, tvb())
    local read = reader(tvb, tree, vdma_cut)
    pinfo.cols.protocol = "VDMA handler"
    local kind = read.take(vdma_fields.kind, 1)
    local channel = read.take(kind == 3 and vdma_fields.channel or vdma_fields.type, 1)
    local slice = read.take(vdma_fields.slice, 2)
    local count = read.take(vdma_fields.count, 4)
    if not count then
        pinfo.cols.info = "[cut short]"
        return
    end
    local what = word(vdma_kinds, kind)
    if kind == 3 or kind == 4 then
        read.take(vdma_fields.address, 8)
        local bytes = read.take(vdma_fields.bytes, 8)
        what = what .. info(" of %s B", bytes and tostring(bytes))
    elseif kind == 5 or kind == 6 then
        local key = read.take(vdma_fields.key, 8)
        what = what .. info(", key %s", key and tostring(key))
    end
    if kind == 3 then
        what = what .. info(", slice %d, channel %d", slice, channel)
    elseif kind == 2 then
        what = what .. info(" of %d", count)
    end
    pinfo.cols.info = what
    tree:append_text(": " .. what)
end

function intercept.dissector(tvb, pinfo, root)
    local tree = root:add(intercept, tvb(0, math.min(16, tvb:len())))
    local read = reader(tvb, tree, intercept_cut)
    pinfo.cols.protocol = "Intercept"
    local kind = read.take(intercept_fields.kind, 1)
    local marked = read.take(intercept_fields.marked, 1)
    local destination = read.take(intercept_fields.destination, 2)
    local source = read.take(intercept_fields.source, 2)
    local is_data = kind == 1
    local to = read.take(is_data and intercept_fields.channel or intercept_fields.vnic, 1)
    read.take(intercept_fields.reserved, 1)
    local length = read.take(intercept_fields.length, 2)
    read.take(intercept_fields.reserved, 2)
    local address = read.take(intercept_fields.address, 4)
    if not address then
        pinfo.cols.info = "[cut short]"
        return
    end
    pinfo.cols.src = "node " .. source
    pinfo.cols.dst = "node " .. destination
    local what
    if is_data then
        what = info("%s, %d B at %d, channel %d", word(intercept_kinds, kind), length, address, to)
    else
        what = info("%s, %d B, VNIC %d", word(intercept_kinds, kind), length, to)
        what = what .. (marked % 2 == 1 and ", marked" or "")
    end
    pinfo.cols.info = what
    tree:append_text(": " .. what)
    local have = math.min(length, tvb:len() - 16)
    if is_data or have <= 0 then
        read.payload(length, pinfo, root)
    elseif to == VDMA_VNIC then
        vdma.dissector(tvb(16, have):tvb(), pinfo, root)
    else
        rmpp.dissector(tvb(16, have):tvb(), pinfo, root)
    end
end

DissectorTable.get("wtap_encap"):add(encapsulations.USER2, intercept)
