# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped scenarios: which end how, and what makes the longer ones short."""

# Tested by test_scenarios.py, test_pingpong.py and test_myrinet.py.
TESTED = {"alltoall_deadlock", "area_overrun", "bcast_cluster1", "bcast_cluster2",
          "bcast_cluster2_small_area", "copy_or_register", "cut_through", "flood_empty_rq", "long",
          "nas_cluster1",
          "pin_cache_search", "pingpong_cluster1", "pingpong_cluster2", "ring_deadlock", "short",
          "tcp_cable_pulled", "tiny", "unexpected_messages"}

MYRINET = {"armci_accumulate", "armci_copy_and_send", "armci_dynamic_buffers",
           "armci_get_config1", "armci_get_config2", "armci_one_port", "armci_put_buffers",
           "armci_put_config1", "armci_put_config2", "gm_allsize", "gm_cable", "gm_corruption",
           "gm_no_buffers", "grim_cable_pulled", "grim_control_deadlock", "grim_injection",
           "grim_late_receiver", "grim_latency", "grim_remote_memory", "grim_reply_deadlock",
           "grim_scan"}
TESTED |= MYRINET

# test_intercept.py
INTERCEPT = {"begin_order_mixed", "boot_message", "design_versions", "eq_overflow",
             "incast_grants", "link_corruption", "long_message_flow", "old_firmware",
             "plane_dead", "plane_masked", "plane_reordering", "portals_bandwidth_system1",
             "portals_pingpong_system1", "self_connect", "short_message_flow", "truncated_put",
             "tx_cb_full", "unmatched_put", "vdma_alignment", "vdma_loopback_system1",
             "vdma_planes_system2", "vdma_scs_reference", "vdma_slices"}
TESTED |= INTERCEPT

# test_sctp.py
SCTP = {"cmt_policies", "cmt_reordering", "cmt_shared_link", "cmt_small_buffer", "sctp_failover",
        "sctp_handshake", "sctp_iperf_failover", "sctp_path_loss", "sctp_paths_x306",
        "sctp_pingpong_x306", "sctp_streams_loss"}
TESTED |= SCTP

# test_openmpi.py
TESTED |= {"openmpi_rails"}

# test_ethernet.py
UNVALIDATED = {"ethernet_25g", "tcp_eager", "tcp_offload"}  # of no thesis
TESTED |= UNVALIDATED

# test_ch3.py
CH3 = {"any_tag", "ch3_connect", "ch3_progress", "hybrid_connect"}
TESTED |= CH3

# The measurements of thesis 004, which `netsim validate` holds against what it prints: test_ch3.py
OSU_X306 = {"osu_bandwidth_x306", "osu_bibandwidth_x306", "osu_latency_x306", "put_get_x306"}
X306 = OSU_X306 | {"nas_x306", "synthetic_x306"}
TESTED |= X306

# Recorded programs, and one that a recording was made of: test_recordings.py
REPLAYS = {"replay_cg", "replay_nas_ep", "replay_nas_is", "replay_sample_sort", "replay_stencil"}
RECORDINGS = REPLAYS | {"replay_otf2", "stencil"}
TESTED |= RECORDINGS

# Packets and flows side by side, which need the plugin for SimGrid: test_flows.py
FLOWS = {"flow_bcast_tcp", "flow_cg", "flow_collectives", "flow_exchange", "flow_incast", "flow_overrun",
         "flow_pingpong", "flow_trunk"}
TESTED |= FLOWS

# Those whose program fails, as it should.
FAILING = {"alltoall_deadlock", "area_overrun", "armci_one_port", "ch3_progress",
           "flood_empty_rq", "grim_cable_pulled", "grim_control_deadlock", "grim_reply_deadlock",
           "old_firmware", "plane_dead", "ring_deadlock", "self_connect"}

# Those that take seconds, with less to do; all others take milliseconds.
LONGER = {"pingpong_cluster1", "pingpong_cluster2", "bcast_cluster1", "bcast_cluster2",
          "bcast_cluster2_small_area", "armci_accumulate", "armci_copy_and_send",
          "armci_get_config1", "armci_get_config2", "armci_put_buffers", "armci_put_config1",
          "armci_put_config2", "gm_allsize", "gm_corruption", "grim_injection", "design_versions",
          "link_corruption", "portals_bandwidth_system1", "vdma_loopback_system1",
          "vdma_planes_system2", "vdma_scs_reference", "vdma_slices",
          # Their timelines are long.
          "ethernet_25g", "openmpi_rails", "tcp_cable_pulled", "tcp_eager", "tcp_offload"}
LONGER |= X306
LONGER |= SCTP - {"sctp_handshake", "sctp_streams_loss"}
QUICK = sorted(TESTED - LONGER - FLOWS)
FEW = ("--set", "workload.sizes=[1 B, 20 KiB, 100 KiB]", "--set", "workload.repetitions=3")
FEW_COUNTS = ("--set", "workload.sizes=[1, 20, 100]") # where sizes are counts, of messages
# Raw VDMA takes no less than 24 B, in quad words.
FEW_BLOCKS = ("--set", "workload.sizes=[96 B, 20 KiB, 100 KiB]", "--set",
              "workload.repetitions=3")
FEWER = {"grim_injection": FEW_COUNTS, "portals_bandwidth_system1": FEW_BLOCKS,
         "vdma_loopback_system1": FEW_BLOCKS, "vdma_planes_system2": FEW_BLOCKS,
         "vdma_scs_reference": FEW_BLOCKS, "vdma_slices": FEW_BLOCKS}
FEWER |= dict.fromkeys(SCTP - {"sctp_pingpong_x306"}, ("--set", "workload.duration=200 ms", "--set", "workload.bin=100 ms"))
FEWER |= dict.fromkeys(OSU_X306, ("--set", "workload.sizes=[4 KiB, 100 KiB]", "--set", "workload.loops=4",
                                  "--set", "workload.loops_large=2"))
FEWER |= dict.fromkeys(("ethernet_25g", "openmpi_rails", "tcp_eager", "tcp_offload"), ("--set", "workload.sizes=[1 KiB, 256 KiB]", "--set",
                                                           "workload.repetitions=3"))
FEWER |= {"tcp_cable_pulled": ("--set", "workload.duration=4 s")}  # pulled from 4 to 6 s; it starts at 1 s
FEWER |= {"nas_x306": ("--set", "workload.class=S"), "synthetic_x306": ("--set", "workload.rounds=2")}
