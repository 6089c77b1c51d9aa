# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of ns-2.35's SCTP with CMT (sctp.cc, sctp-cmt.cc), written down a second time, from the rules alone: one
sender that has always data, one receiver that reads at once, direct links, processors without costs. A run records
time and path of each chunk sent, so that a test can compare netsim's profile `ns2` with it.

Where it begins: all paths are confirmed, and their round trips measured once, by heartbeats."""

import heapq
import itertools

DATA = 1468  # bytes of a chunk; with IP's and SCTP's headers 1,500
HEADERS = 20 + 12
SACK = 16
BURST = 4
NONE, FAST, TIMEOUT = range(3)


class Chunk:
    def __init__(self, tsn, path, time):
        self.tsn, self.path, self.time = tsn, path, time
        self.sent, self.missing, self.marked = 1, 0, NONE
        self.gap_acked = self.no_fast = self.counted = self.timed = False


class Path:
    def __init__(self, number, link):
        self.number, self.link = number, link
        self.cwnd = min(4 * DATA, max(2 * DATA, 4380))
        self.ssthresh, self.pba, self.out = 65536, 0, 0
        self.rto, self.srtt, self.var = 3.0, None, None
        self.timer = None
        self.active, self.suspected, self.errors, self.suspected_at = True, False, 0, 0
        self.heartbeat = None
        self.recover = 0
        self.timing = False
        self.find = self.find_again = True
        self.pseudo = self.again = 0
        self.one_more = False
        self.idle = None

    def ready(self):
        return self.active and not self.suspected


class Link:
    """A link with two directions: rate in bit/s, delay in s; drops: which packets vanish, from 1; down: (from, to)."""

    def __init__(self, rate, delay, drops=(), down=None, overhead=38, least=84, gap=12):
        self.rate, self.delay, self.drops, self.down = rate, delay, frozenset(drops), down
        self.overhead, self.least, self.gap = overhead, least, gap * 8 / rate
        self.free, self.count = [0.0, 0.0], [0, 0]

    def send(self, now, way, bytes_):
        """Returns when it arrives, or None."""
        self.count[way] += 1
        start = max(now, self.free[way])
        self.free[way] = start + max(bytes_ + self.overhead, self.least) * 8 / self.rate
        lost = way == 0 and self.count[0] in self.drops
        if lost or self.down and self.down[0] <= start < self.down[1]:
            return None
        return self.free[way] - self.gap + self.delay


class Run:
    def __init__(self, links, chunks, rwnd=65536, pf=True, seed_rtt=True, sfr=True, policy="cwnd", path_retries=5):
        self.paths = [Path(number, link) for number, link in enumerate(links)]
        self.total, self.rwnd, self.pf, self.sfr, self.policy = chunks, rwnd, pf, sfr, policy
        self.path_retries = path_retries
        self.newest = 0  # acknowledged; outlives a SACK
        self.now, self.events, self.order = 0.0, [], itertools.count()
        self.queue, self.next, self.cum, self.peer = [], 1, 0, rwnd
        self.limit_bursts = False
        self.last = None
        self.sent = []  # (time on the wire, path, TSN, whether again)
        self.timeouts, self.fast = [], 0
        # The receiver's.
        self.got, self.received, self.packets, self.sack_timer = set(), 0, 0, None
        self.done = None
        if seed_rtt:
            for path in self.paths:
                took = 2 * (path.link.delay + max(HEADERS + 48 + path.link.overhead, path.link.least) * 8 / path.link.rate)
                self.measured(path, took)

    # ---- Events ----

    def at(self, time, what, *args):
        event = [time, next(self.order), what, args]
        heapq.heappush(self.events, event)
        return event

    @staticmethod
    def cancel(event):
        if event:
            event[2] = None

    def run(self, limit=1000.0):
        self.new_data()
        while self.events and self.now < limit and self.done is None:
            time, _, what, args = heapq.heappop(self.events)
            if what:
                self.now = time
                what(*args)
        return self

    # ---- Sending ----

    def measured(self, path, took):
        if path.srtt is None:
            path.srtt, path.var = took, took / 2
        else:
            path.var = 0.75 * path.var + 0.25 * abs(path.srtt - took)
            path.srtt = 0.875 * path.srtt + 0.125 * took
        path.rto = min(60.0, max(1.0, path.srtt + 4 * path.var))

    def start_timer(self, path):
        self.cancel(path.timer)
        path.timer = self.at(self.now + path.rto, self.timeout, path)

    def stop_timer(self, path):
        self.cancel(path.timer)
        path.timer = None

    def carry(self, path, chunk, again):
        self.sent.append((max(self.now, path.link.free[0]), path.number, chunk.tsn, again))
        arrival = path.link.send(self.now, 0, HEADERS + DATA)
        if arrival is not None:
            self.at(arrival, self.data_arrives, path, chunk.tsn)

    def new_data(self):
        if self.pf:
            self.resurrect()
        count = len(self.paths)
        start = (self.last + 1) % count if self.last is not None else 0
        for step in range(count):
            path = self.paths[(start + step) % count]
            served = False
            while path.ready() and path.out < path.cwnd and self.next <= self.total:
                outstanding = sum(each.out for each in self.paths)
                if DATA > self.peer and outstanding > 0:
                    break
                if DATA <= self.peer and self.limit_bursts:
                    if path.burst >= BURST:
                        break
                    path.burst += 1
                chunk = Chunk(self.next, path, self.now)
                self.next += 1
                if not path.timing:
                    chunk.timed = path.timing = True
                self.queue.append(chunk)
                path.out += DATA
                self.peer = max(0, self.peer - DATA)
                if not path.timer:
                    self.start_timer(path)
                self.carry(path, chunk, False)
                served = True
            if served:
                self.last = path.number
        for path in self.paths:
            path.burst = 0

    def resurrect(self):
        """All paths are suspected: the best of them is used with a window of one chunk."""
        if not all(path.suspected and path.active for path in self.paths):
            return None
        best = min(self.paths, key=lambda path: (path.errors, -path.suspected_at))
        self.stop_timer(best)
        self.cancel(best.heartbeat)
        best.heartbeat = None
        best.cwnd, best.suspected = DATA, False
        return best

    def choose(self, one_packet):
        found = self.resurrect() if self.pf else None
        if found:
            return found
        best = None
        for path in self.paths:
            if path.ready() and (best is None or getattr(path, self.policy) > getattr(best, self.policy)):
                best = path
        if best and (one_packet and best.one_more and best.went == 0 or best.out < best.cwnd):
            return best
        return None

    def again(self, one_packet):
        first = {}
        for path in self.paths:
            path.went = path.burst = 0
        for chunk in self.queue:
            if chunk.marked:
                chunk.path.out -= DATA
        for chunk in self.queue:
            if not chunk.gap_acked:
                first.setdefault(chunk.path, chunk)
            if not chunk.marked:
                continue
            path, old = self.choose(one_packet), chunk.path
            if path is None:
                continue
            if old is not path:
                old.find = old.find_again = True
            chunk.no_fast = True
            if old.timing and chunk.timed:
                chunk.timed = old.timing = False
            if first.get(old) is chunk and old.out > 0:
                self.start_timer(old)
            if path not in first or chunk.tsn < first[path].tsn:
                first[path] = chunk
                self.start_timer(path)
            chunk.path, chunk.marked = path, NONE
            chunk.sent += 1
            path.out += DATA
            self.peer -= DATA
            path.went += 1
            self.carry(path, chunk, True)
            if not path.timer:
                self.start_timer(path)
            if self.limit_bursts:
                path.burst += 1
                if path.burst > BURST:
                    break
        for chunk in self.queue:
            if chunk.marked:
                chunk.path.out += DATA

    # ---- Time-outs ----

    def timeout(self, path):
        path.timer = None
        self.timeouts.append((self.now, path.number))
        path.ssthresh, path.cwnd, path.pba = max(path.cwnd // 2, 2 * DATA), DATA, 0
        path.timing = False
        if not self.failed(path):
            return
        for chunk in self.queue:
            if chunk.path is path and not chunk.gap_acked:
                chunk.marked, chunk.missing = TIMEOUT, 0
                self.peer += DATA
        self.again(True)
        if path.suspected or not path.active:
            self.beat(path)

    def failed(self, path):
        path.rto = min(60.0, 2 * path.rto)
        path.errors += 1
        if path.errors == 1 and self.pf:
            path.suspected, path.suspected_at = True, self.now
        if path.errors > self.path_retries:
            path.active = path.suspected = False
        return True

    def beat(self, path):
        self.cancel(path.heartbeat)
        path.heartbeat = self.at(self.now + path.rto, self.beat_lost, path)
        arrival = path.link.send(self.now, 0, HEADERS + 48)
        if arrival is not None:
            self.at(arrival, self.beat_arrives, path, self.now)

    def beat_lost(self, path):
        path.heartbeat = None
        self.failed(path)
        self.beat(path)

    def beat_arrives(self, path, sent_at):
        arrival = path.link.send(self.now, 1, HEADERS + 48)
        if arrival is not None:
            self.at(arrival, self.beat_answered, path, sent_at)

    def beat_answered(self, path, sent_at):
        self.cancel(path.heartbeat)
        path.heartbeat = None
        self.measured(path, self.now - sent_at)
        was_suspected = path.suspected
        was_down = not path.active
        path.errors, path.active, path.suspected = 0, True, False
        if was_suspected:
            path.cwnd = 2 * DATA
        if was_suspected or was_down:
            for chunk in self.queue:
                if chunk.path is path and not chunk.gap_acked:
                    chunk.marked, chunk.missing = TIMEOUT, 0
            if any(chunk.marked for chunk in self.queue):
                self.again(True)
            self.new_data()

    # ---- SACKs ----

    def clear_errors(self, path, chunk):
        if path.errors and chunk.marked != TIMEOUT:
            path.errors, path.active, path.suspected = 0, True, False

    def round_trip(self, chunk):
        if chunk.path.timing and chunk.timed:
            if chunk.sent == 1 and chunk.marked != TIMEOUT:
                self.measured(chunk.path, self.now - chunk.time)
            chunk.path.timing = False

    def cum_acked(self, cum, path_state):
        while self.queue and self.queue[0].tsn <= cum:
            chunk = self.queue.pop(0)
            path = chunk.path
            if not chunk.gap_acked:
                state = path_state[path]
                state["bytes"] += DATA
                self.newest = chunk.tsn
                state["lowest"] = state["lowest"] or chunk.tsn
                path.find = path.find_again = state["pseudo"] = True
                if path.cwnd > path.ssthresh and path.out >= path.cwnd:
                    path.pba += DATA
                self.round_trip(chunk)
                if chunk.sent == 1 or not self.pf:
                    self.clear_errors(path, chunk)
            self.limit_bursts |= chunk.no_fast
            if path.timer and path.pseudo <= chunk.tsn or path.again <= chunk.tsn:
                self.stop_timer(path)
        self.cum = cum

    def gap_acked(self, gaps, path_state):
        highest = gaps[-1][1] if gaps else 0
        covered = {chunk for chunk in self.queue if any(low <= chunk.tsn <= high for low, high in gaps)}
        first = {}
        for chunk in self.queue:
            if chunk.tsn > highest:
                # The walk ends after tracking the first chunk beyond the last block.
                if gaps:
                    self.track(chunk)
                    gaps = []
                self.renege(chunk)
                continue
            path = chunk.path
            self.track(chunk)
            if not chunk.gap_acked:
                first.setdefault(path, chunk)
            if chunk not in covered:
                self.renege(chunk)
                continue
            if chunk.gap_acked:
                continue
            state = path_state[path]
            chunk.gap_acked = True
            if path.suspected and chunk.sent == 1:
                path.suspected, path.errors = False, 0
            if chunk.tsn == path.pseudo:
                state["pseudo"] = path.find = True
            if chunk.tsn == path.again:
                state["pseudo"] = path.find_again = True
            state["saw"] = True
            self.newest = max(self.newest, chunk.tsn)
            state["highest"] = max(state["highest"], chunk.tsn)
            state["lowest"] = state["lowest"] or chunk.tsn
            state["bytes"] += DATA
            if path.cwnd > path.ssthresh and state["pseudo"] and not chunk.counted:
                chunk.counted = True
                path.pba += DATA
            self.round_trip(chunk)
            if first.get(path) is chunk:
                self.stop_timer(path)
            self.clear_errors(path, chunk)
            chunk.marked = NONE

    @staticmethod
    def renege(chunk):
        if chunk.gap_acked:
            chunk.gap_acked = False
            chunk.path.out += DATA

    @staticmethod
    def track(chunk):
        path = chunk.path
        if path.find and not chunk.gap_acked and chunk.sent == 1:
            path.pseudo, path.find = chunk.tsn, False
        if path.find_again and not chunk.gap_acked and chunk.sent > 1:
            path.again, path.find_again = chunk.tsn, False

    def strikes(self, flags, path_state):
        fast, saw = False, sum(state["saw"] for state in path_state.values())
        for chunk in self.queue:
            state = path_state[chunk.path]
            later = state["saw"] and chunk.tsn < state["highest"] if self.sfr else chunk.tsn < self.newest
            if chunk.gap_acked or not later:
                continue
            chunk.missing += flags if saw == 1 and state["lowest"] > chunk.tsn else 1
            if chunk.missing >= 3 and not chunk.no_fast:
                chunk.marked, chunk.no_fast, fast = FAST, True, True
                self.peer += DATA
                self.fast += 1
        return fast

    def grow(self, path, state):
        if not state["pseudo"] or state["bytes"] == 0:
            return
        if path.cwnd <= path.ssthresh:
            if path.out >= path.cwnd:
                path.cwnd += min(state["bytes"], DATA)
        elif path.pba >= path.cwnd and path.out >= path.cwnd:
            path.pba -= path.cwnd
            path.cwnd += DATA

    def cut(self):
        done = set()
        for path in self.paths:
            path.one_more = False
        for chunk in self.queue:
            path = chunk.path
            if not chunk.marked:
                continue
            if path not in done and chunk.tsn > path.recover:
                path.ssthresh = path.cwnd = max(path.cwnd // 2, 2 * DATA)
                path.pba = 0
                path.timing = False
                path.recover = max((each.tsn for each in self.queue if each.path is path and not each.marked),
                                   default=0)
                done.add(path)
            if chunk.marked == FAST:
                path.one_more = True

    def sack_arrives(self, cum, gaps, window, flags):
        state = {path: {"bytes": 0, "lowest": 0, "highest": cum, "saw": False, "pseudo": False} for path in self.paths}
        for path in self.paths:
            path.burst = 0
        if cum < self.cum:
            self.new_data()
            return
        if cum > self.cum:
            self.cum_acked(cum, state)
        self.gap_acked(gaps, state)
        fast = self.strikes(flags, state) if gaps else False
        for chunk in self.queue:
            if chunk.marked:
                chunk.path.out -= DATA
        for path in self.paths:
            self.grow(path, state[path])
            path.out = max(0, path.out - state[path]["bytes"])
            if path.out == 0:
                path.pba = 0
                self.stop_timer(path)
            elif not path.timer:
                self.start_timer(path)
        for chunk in self.queue:
            if chunk.marked:
                chunk.path.out += DATA
        if fast:
            self.cut()
        if any(chunk.marked for chunk in self.queue):
            self.again(fast)
        self.peer = max(0, window - sum(path.out for path in self.paths))
        if cum == self.total:
            self.done = self.now
            return
        self.new_data()

    # ---- The receiver ----

    def window(self):
        return self.rwnd - DATA * len(self.got)

    def data_arrives(self, path, tsn):
        self.packets += 1
        now = self.packets == 2
        if self.packets == 1:
            self.cancel(self.sack_timer)
            self.sack_timer = self.at(self.now + 0.2, self.sack_late)
        self.reply = path
        if self.window() < DATA:
            return
        if tsn <= self.received or tsn in self.got:
            now = True
        else:
            self.got.add(tsn)
            while self.received + 1 in self.got:
                self.received += 1
                self.got.remove(self.received)
        if now:
            self.cancel(self.sack_timer)
            self.sack()

    def sack_late(self):
        self.packets = 0
        self.sack()

    def sack(self):
        gaps = []
        for tsn in sorted(self.got):
            if gaps and gaps[-1][1] == tsn - 1:
                gaps[-1][1] = tsn
            else:
                gaps.append([tsn, tsn])
        flags, self.packets = self.packets, 0
        arrival = self.reply.link.send(self.now, 1, HEADERS + SACK + 4 * len(gaps))
        if arrival is not None:
            self.at(arrival, self.sack_arrives, self.received, gaps, self.window(), flags)
