# SPDX-License-Identifier: GPL-3.0-or-later
"""Printers for gdb: what a packet, request, socket, association or state machine is, in one line.

    gdb -x tools/netsim-gdb.py --args build-dev/netsim run tiny
    (gdb) break network_send
    (gdb) run
    (gdb) print *packet      node0 to node1, link 1 of 2, 50 B, control packet
    (gdb) info ranks         each rank: the call under way, and its open requests

`print/r *packet` prints the members. All are read from memory: nothing is called in the program, so a core
dump will do.
"""

import os

import gdb
import gdb.printing

PS_PER_US = 1e6


def text(value):
    """A C string; None: NULL."""
    return None if int(value) == 0 else value.string()


def microseconds(time):
    return f"{int(time) / PS_PER_US:g} us"


def state_of(kind, machine):
    """The name of a machine's state by its kind, a struct machine_kind."""
    return text(kind["states"][int(machine["state"])]["name"]) or "new"


def state(kind_symbol, machine):
    return state_of(gdb.parse_and_eval(kind_symbol), machine)


def enumerator(value, prefix):
    """REQUEST_SEND reads "send"."""
    return str(value).removeprefix(prefix).lower()


def flags(*pairs):
    return "".join(f", {word}" for word, value in pairs if int(value))


class Packet:
    def __init__(self, value):
        self.value = value

    def end(self, station):
        network = self.value["route"]["channels"][0].dereference()["network"]
        host = network["stations"][station]["host"]
        hosts = network["topology"]["hosts"].dereference()
        node = hosts["data"].cast(gdb.lookup_type("struct topology_node").pointer())[int(host)]
        return text(node["name"])

    def to_string(self):
        packet = self.value
        message = packet["message"]
        where = "on no route"
        if int(packet["route"]):
            pair = int(packet["route"]["pair"])
            where = (f"{self.end(pair >> 32)} to {self.end(pair & 0xffffffff)}, "
                     f"link {int(packet['hop'])} of {int(packet['route']['links'])}")
        first, length = int(packet["offset"]), int(packet["length"])
        what = f"message {int(message['index']) + 1} [{first}, {first + length})"
        if int(message["generation"]) == 0:
            what = "parts of messages" if int(packet["load"]) else "control packet"
        return (f"{where}, {int(packet['wire_bytes'])} B, {what}" +
                flags(("corrupt", packet["corrupt"]), ("cut off", packet["cut_on"])))


class Request:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        request = self.value
        kind = enumerator(request["kind"], "REQUEST_")
        if kind == "operation":
            kind = text(request["operation"]["name"])
        ops = request["process"]["ops"]
        wait = text(request["waits_for"]["text"]) if int(request["waits_for"]) else None
        return (f"{text(request['process']['name'])}, {kind} {int(request['number'])}: peer {int(request['peer'])}, "
                f"tag {int(request['tag'])}, {int(request['size'])} B, "
                + ("done" if int(request["done"]) else state_of(ops["machine"], request["machine"])
                   if int(ops["machine"]) else "under way")
                + (f", waits for {wait}" if wait and not int(request["done"]) else ""))


class TcpSocket:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        socket, send, receive = self.value, self.value["snd"], self.value["rcv"]
        return (f"{text(socket['host']['host']['name'])}, tcp {int(socket['number'])}: "
                f"{state('tcp_connection_machine', socket['machine'])}, "
                f"una {int(send['una'])}, nxt {int(send['nxt'])}, end {int(send['end'])}, wnd {int(send['wnd'])}, "
                f"cwnd {int(socket['cc']['cwnd'])}, received {int(receive['nxt'])}, read {int(receive['copied'])}" +
                flags(("gone", socket["gone"])))


class SctpAssociation:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        one, out = self.value, self.value["out"]
        paths = ", ".join(f"path {number}: cwnd {int(path['cc']['cwnd'])}, flight {int(path['flight'])}"
                          for number in range(int(one["path_count"])) for path in [one["paths"][number]])
        return (f"{text(one['host']['host']['name'])}, association {int(one['id'])}: "
                f"{state('sctp_association_machine', one['machine'])}, acknowledged to {int(out['cum_tsn'])}, "
                f"unsent {int(out['unsent'])}, next {int(out['next'])}; {paths or 'no path'}")


class SctpSocket:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        socket = self.value
        return (f"{text(socket['host']['host']['name'])}, port {int(socket['port'])}, "
                f"{enumerator(socket['style'], 'SCTP_')}: {int(socket['associations']['len'])} associations" +
                flags(("listening", socket["listening"]), ("closed", socket["closed"]),
                      ("data to read", socket["ready_head"])))


class MachineKind:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        states = [text(self.value["states"][number]["name"]) or "new" for number in range(int(self.value["count"]))]
        return f"{text(self.value['title'])}: {', '.join(states)}"


class InfoRanks(gdb.Command):
    """info ranks: each rank's call under way and its open requests, of the run of the selected frame."""

    def __init__(self):
        super().__init__("info ranks", gdb.COMMAND_STATUS)

    @staticmethod
    def run():
        frame = gdb.selected_frame()
        while frame and frame.name() != "run_case":
            frame = frame.older()
        if not frame:
            raise gdb.GdbError("info ranks: no frame of run_case; stop within a run of packets")
        return frame.read_var("run")

    def invoke(self, argument, from_tty):
        run = self.run()
        print(f"{int(run['ranks'])} ranks at {microseconds(run['sim']['engine']['now'])}")
        for rank in range(int(run["ranks"])):
            process = run["job"]["processes"][rank]
            call = run["interpreters"][rank]["call"]
            kind = call["kind"]
            print(f"rank {rank} on {text(process['host']['name'])}: "
                  + (text(kind["name"]) if int(kind) else "no call")
                  + (f" at line {int(call['mark']['line'])}" if int(call["mark"]) and int(call["mark"]["line"]) else "")
                  + f", {int(process['open_waits'])} waits")
            request = process["active"]
            while int(request):
                print("   ", Request(request.dereference()).to_string())
                request = request["active_next"]


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("netsim")
    for name, printer in (("packet", Packet), ("mpi_request", Request), ("tcp_socket", TcpSocket),
                          ("sctp_socket", SctpSocket), ("sctp_association", SctpAssociation),
                          ("machine_kind", MachineKind)):
        printers.add_printer(name, f"^{name}$", printer)
    gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
    InfoRanks()
    # Sources are known by their names in the tree.
    gdb.execute("directory " + os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


register()
