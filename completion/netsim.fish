# fish completion for netsim
#
# What stands between Begin and End is made by `ninja reference' from the tables in sim/cli/.

# Names of a kind that `netsim list` knows. Of a tree's launcher the program that it has built is
# asked: nothing is built while somebody types.
function __netsim_list
    set -l program (commandline -opc)[1]
    set -l tree (string replace -r '/?[^/]*$' '' -- $program)
    if test -n "$tree" -a -e "$tree/CMakeLists.txt"
        set program $tree/build/netsim
        set -q NETSIM_BUILD_DIR; and set program $NETSIM_BUILD_DIR/netsim
    end
    type -q $program; and command $program list $argv[1] --names 2>/dev/null
end

function __netsim_words
    switch $argv[1]
        case choice
            printf '%s\n' $argv[2..-1]
        case file
            __fish_complete_path (commandline -ct)
        case directory
            __fish_complete_directories (commandline -ct)
        case scenario
            __netsim_list scenarios
            __fish_complete_suffix .yaml
        case result
            __netsim_list scenarios
            __fish_complete_path (commandline -ct)
        case parameter
            string replace -r '$' = (__netsim_list parameters)
        case shipped
            __netsim_list scenarios
            __netsim_list testbeds
            __netsim_list sweeps
        case section
            __netsim_list sections
            __netsim_list stacks
            __netsim_list benchmarks
        case stack
            __netsim_list stacks
        case benchmark
            __netsim_list benchmarks
        case testbed
            __netsim_list testbeds
        case figure
            __netsim_list figures
        case command
            complete -C 'netsim ' | string match -rv '^-'
    end
end

complete -c netsim -f
complete -c netsim -n __fish_use_subcommand -l version -d 'Print the version'
complete -c netsim -s h -l help -d 'Explain the command'

# Begin: fish commands
complete -c netsim -n __fish_use_subcommand -a run -d 'run every series of a scenario'
complete -c netsim -n __fish_use_subcommand -a check -d 'validate a scenario without running it'
complete -c netsim -n __fish_use_subcommand -a describe -d 'print or search the parameters of the models'
complete -c netsim -n __fish_use_subcommand -a list -d 'list stacks, testbeds, benchmarks, scenarios and sweeps'
complete -c netsim -n __fish_use_subcommand -a new -d 'write a scenario with comments, to begin with'
complete -c netsim -n __fish_use_subcommand -a show -d 'show a scenario as it is resolved, and draw its machine'
complete -c netsim -n __fish_use_subcommand -a bench -d 'measure the speed of the simulator'
complete -c netsim -n __fish_use_subcommand -a sweep -d 'run a scenario with many values of its parameters'
complete -c netsim -n __fish_use_subcommand -a explain -d 'say where the time of a message goes'
complete -c netsim -n __fish_use_subcommand -a diagram -d 'draw the path of one message through programs, kernels, cards and links'
complete -c netsim -n __fish_use_subcommand -a flatten -d 'say which messages a program'\''s calls come to'
complete -c netsim -n __fish_use_subcommand -a export -d 'write a scenario for other programs'
complete -c netsim -n __fish_use_subcommand -a trace -d 'say what is in a recorded program'
complete -c netsim -n __fish_use_subcommand -a validate -d 'hold the claims of the sources against what is simulated'
complete -c netsim -n __fish_use_subcommand -a compare -d 'compare two results curve by curve'
complete -c netsim -n __fish_use_subcommand -a plot -d 'draw scenarios, results, sweeps and measured points'
complete -c netsim -n __fish_use_subcommand -a report -d 'write runs and sweeps as one page of HTML'
complete -c netsim -n __fish_use_subcommand -a figures -d 'draw the figures of the references'
complete -c netsim -n __fish_use_subcommand -a calibrate -d 'fit parameters to reference points'
complete -c netsim -n __fish_use_subcommand -a help -d 'explain a command'
complete -c netsim -n __fish_use_subcommand -a test -d 'build everything and run the test suite'
complete -c netsim -n '__fish_seen_subcommand_from run' -k -a '(__netsim_words scenario)'
complete -c netsim -n '__fish_seen_subcommand_from run' -l series -x -a '(__netsim_words none)' -d 'only this one of the series (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from run' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from run' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from run' -l out -x -a '(__netsim_words directory)' -d 'directory for the results instead of results/NAME'
complete -c netsim -n '__fish_seen_subcommand_from run' -l seed -x -a '(__netsim_words none)' -d 'seed of all random streams'
complete -c netsim -n '__fish_seen_subcommand_from run' -l draws -x -a '(__netsim_words none)' -d 'run on N machines that the uncertain constants allow, for error bars'
complete -c netsim -n '__fish_seen_subcommand_from run' -l sensitivity -x -a '(__netsim_words choice ranks total)' -d 'with --draws: how the constants that bands come from are found (ranks)'
complete -c netsim -n '__fish_seen_subcommand_from run' -l format -x -a '(__netsim_words choice table csv json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from run' -l metric -x -a '(__netsim_words none)' -d 'only this metric (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from run' -l links -d 'also print what passed over each direction of each link'
complete -c netsim -n '__fish_seen_subcommand_from run' -l trace -x -a '(__netsim_words file)' -d 'write a timeline for ui.perfetto.dev'
complete -c netsim -n '__fish_seen_subcommand_from run' -l log-states -x -a '(__netsim_words file)' -d 'write the protocol transitions, one a line'
complete -c netsim -n '__fish_seen_subcommand_from run' -l values -x -a '(__netsim_words file)' -d 'write the values of windows and the like over time, as CSV'
complete -c netsim -n '__fish_seen_subcommand_from run' -l pcap -x -a '(__netsim_words directory)' -d 'write what the cards send and receive: DIR/SERIES/NODE.pcapng'
complete -c netsim -n '__fish_seen_subcommand_from run' -l pcap-at -x -a '(__netsim_words none)' -d 'capture at these nodes only'
complete -c netsim -n '__fish_seen_subcommand_from run' -l pcap-from -x -a '(__netsim_words none)' -d 'capture from this simulated time of a series on'
complete -c netsim -n '__fish_seen_subcommand_from run' -l pcap-to -x -a '(__netsim_words none)' -d 'capture what comes before this simulated time of a series'
complete -c netsim -n '__fish_seen_subcommand_from run' -l pcap-snap -x -a '(__netsim_words none)' -d 'keep so much of each frame (128 B)'
complete -c netsim -n '__fish_seen_subcommand_from run' -l jobs -s j -x -a '(__netsim_words none)' -d 'simulate in N processes; 0: one for each processor; 1 if not given'
complete -c netsim -n '__fish_seen_subcommand_from run' -l time-limit -x -a '(__netsim_words none)' -d 'end what takes longer; without a unit: seconds'
complete -c netsim -n '__fish_seen_subcommand_from run' -l simulated-limit -x -a '(__netsim_words none)' -d 'end a run that is not over after so much simulated time'
complete -c netsim -n '__fish_seen_subcommand_from run' -l stop-at -x -a '(__netsim_words none)' -d 'stop each series after so much simulated time, and report its state'
complete -c netsim -n '__fish_seen_subcommand_from run' -l quiet -s q -d 'no progress, no summary'
complete -c netsim -n '__fish_seen_subcommand_from check' -k -a '(__netsim_words scenario)'
complete -c netsim -n '__fish_seen_subcommand_from check' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from check' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from check' -l format -x -a '(__netsim_words choice table json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from describe' -k -a '(__netsim_words section)'
complete -c netsim -n '__fish_seen_subcommand_from describe' -l json-schema -d 'print a JSON Schema of scenarios, for editors'
complete -c netsim -n '__fish_seen_subcommand_from describe' -l format -x -a '(__netsim_words choice text markdown json dot svg)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from list' -k -a '(__netsim_words choice stacks testbeds benchmarks scenarios sweeps figures sections parameters)'
complete -c netsim -n '__fish_seen_subcommand_from list' -l names -d 'print names alone, one a line'
complete -c netsim -n '__fish_seen_subcommand_from list' -l format -x -a '(__netsim_words choice table json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from new' -k -a '(__netsim_words none)'
complete -c netsim -n '__fish_seen_subcommand_from new' -l stack -x -a '(__netsim_words stack)' -d 'library and protocol, as `netsim list stacks` names it'
complete -c netsim -n '__fish_seen_subcommand_from new' -l benchmark -x -a '(__netsim_words benchmark)' -d 'what the ranks do, one that the stack runs, or program; otherwise its first'
complete -c netsim -n '__fish_seen_subcommand_from new' -l hosts -x -a '(__netsim_words none)' -d 'number of hosts; otherwise as many as the testbed has'
complete -c netsim -n '__fish_seen_subcommand_from new' -l switches -x -a '(__netsim_words none)' -d 'number of switches of each network, 0 joins two hosts back to back'
complete -c netsim -n '__fish_seen_subcommand_from new' -l topology -x -a '(__netsim_words choice auto star chain ring tree clos)' -d 'how the switches are joined'
complete -c netsim -n '__fish_seen_subcommand_from new' -l ranks -x -a '(__netsim_words none)' -d 'number of ranks; otherwise one a host, as far as the benchmark takes them'
complete -c netsim -n '__fish_seen_subcommand_from new' -l nic -x -a '(__netsim_words none)' -d 'network card of the hosts; otherwise the testbed'\''s'
complete -c netsim -n '__fish_seen_subcommand_from new' -l testbed -x -a '(__netsim_words testbed)' -d 'shipped machine that its costs are of; otherwise the usual one of the stack'
complete -c netsim -n '__fish_seen_subcommand_from new' -l force -d 'write over a file that is there'
complete -c netsim -n '__fish_seen_subcommand_from show' -k -a '(__netsim_words shipped)'
complete -c netsim -n '__fish_seen_subcommand_from show' -l file -d 'print the text of the file instead'
complete -c netsim -n '__fish_seen_subcommand_from show' -l path -d 'print where the file is instead'
complete -c netsim -n '__fish_seen_subcommand_from show' -l origins -d 'print where each value comes from'
complete -c netsim -n '__fish_seen_subcommand_from show' -l defaults -d 'print also values that are defaults'
complete -c netsim -n '__fish_seen_subcommand_from show' -l route -x -a '(__netsim_words none)' -d 'print the routes from this host to the one after NAME'
complete -c netsim -n '__fish_seen_subcommand_from show' -l svg -x -a '(__netsim_words file)' -d 'draw the machine into this file; -: to standard output'
complete -c netsim -n '__fish_seen_subcommand_from show' -l dot -x -a '(__netsim_words file)' -d 'write the machine in Graphviz'\''s language; -: to standard output'
complete -c netsim -n '__fish_seen_subcommand_from show' -l series -x -a '(__netsim_words none)' -d 'only this one of the series (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from show' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from show' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from show' -l format -x -a '(__netsim_words choice text json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from bench' -k -a '(__netsim_words none)'
complete -c netsim -n '__fish_seen_subcommand_from bench' -l format -x -a '(__netsim_words choice table json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from bench' -l quick -d 'take a tenth of the time'
complete -c netsim -n '__fish_seen_subcommand_from bench' -l no-ns3 -d 'do not compare with other simulators (ns-3, SMPI, SimGrid)'
complete -c netsim -n '__fish_seen_subcommand_from bench' -l markdown -d 'print the tables in Markdown, with the machine'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -k -a '(__netsim_words result)'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l set -x -a '(__netsim_words parameter)' -d 'vary a parameter; A .. B doubles; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l zip -d 'first values together, second values together, ...'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l seeds -x -a '(__netsim_words none)' -d 'each point with the seeds 1 .. N'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l draws -x -a '(__netsim_words none)' -d 'each point in the draws 1 .. N of the uncertain constants'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l jobs -s j -x -a '(__netsim_words none)' -d 'simulate in N processes; 0, the default: one for each processor'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l out -x -a '(__netsim_words directory)' -d 'directory of sweep.sqlite instead of results/NAME'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l csv -d 'print all values as CSV'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l report -d 'print best, worst and effects of a sweep that was run, and run nothing'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l format -x -a '(__netsim_words choice table json csv)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l dry-run -d 'only list the points'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l shard -x -a '(__netsim_words none)' -d 'only the K-th of N shares of the runs'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l again -d 'run also what is kept from before'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l time-limit -x -a '(__netsim_words none)' -d 'end what takes longer; without a unit: seconds'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l simulated-limit -x -a '(__netsim_words none)' -d 'end a run that is not over after so much simulated time'
complete -c netsim -n '__fish_seen_subcommand_from sweep' -l quiet -s q -d 'no progress, no summary'
complete -c netsim -n '__fish_seen_subcommand_from explain' -k -a '(__netsim_words scenario)'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l series -x -a '(__netsim_words none)' -d 'only this one of the series (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l size -x -a '(__netsim_words none)' -d 'explain this message size in full instead of all sizes; without a unit: bytes'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l no-trials -d 'do not run a size again with faster resources and other algorithms'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l seed -x -a '(__netsim_words none)' -d 'seed of all random streams'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l format -x -a '(__netsim_words choice table csv json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l time-limit -x -a '(__netsim_words none)' -d 'end what takes longer; without a unit: seconds'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l simulated-limit -x -a '(__netsim_words none)' -d 'end a run that is not over after so much simulated time'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l plot -x -a '(__netsim_words file)' -d 'also draw the classes of stages over the sizes (png, svg or pdf)'
complete -c netsim -n '__fish_seen_subcommand_from explain' -l diagram -x -a '(__netsim_words file)' -d 'also draw a message'\''s space-time diagram (FILE.svg)'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -k -a '(__netsim_words scenario)'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l message -x -a '(__netsim_words none)' -d 'of this message of the run'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l series -x -a '(__netsim_words none)' -d 'only this one of the series (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l size -x -a '(__netsim_words none)' -d 'run this message size by itself; without a unit: bytes'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l out -x -a '(__netsim_words file)' -d 'the picture (FILE.svg); by default diagram.svg'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l format -x -a '(__netsim_words choice svg json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l no-constants -d 'do not find the parameters that each time depends on'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l seed -x -a '(__netsim_words none)' -d 'seed of all random streams'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l time-limit -x -a '(__netsim_words none)' -d 'end what takes longer; without a unit: seconds'
complete -c netsim -n '__fish_seen_subcommand_from diagram' -l simulated-limit -x -a '(__netsim_words none)' -d 'end a run that is not over after so much simulated time'
complete -c netsim -n '__fish_seen_subcommand_from flatten' -k -a '(__netsim_words scenario)'
complete -c netsim -n '__fish_seen_subcommand_from flatten' -l series -x -a '(__netsim_words none)' -d 'only this one of the series (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from flatten' -l rank -x -a '(__netsim_words none)' -d 'only this rank'
complete -c netsim -n '__fish_seen_subcommand_from flatten' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from flatten' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from flatten' -l format -x -a '(__netsim_words choice table json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from export' -k -a '(__netsim_words scenario)'
complete -c netsim -n '__fish_seen_subcommand_from export' -l out -x -a '(__netsim_words directory)' -d 'where the files are written; it is made if it does not exist'
complete -c netsim -n '__fish_seen_subcommand_from export' -l series -x -a '(__netsim_words none)' -d 'only this one of the series (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from export' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from export' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from export' -l host-speed -x -a '(__netsim_words none)' -d 'flops per second of a host, in which the time of computations is counted'
complete -c netsim -n '__fish_seen_subcommand_from export' -l tolerance -x -a '(__netsim_words none)' -d 'how far a platform'\''s PingPong may be off netsim'\''s, 1% to 50%'
complete -c netsim -n '__fish_seen_subcommand_from trace' -k -a '(__netsim_words file)'
complete -c netsim -n '__fish_seen_subcommand_from trace' -l speed -x -a '(__netsim_words none)' -d 'also print how long the computations take at so many flop/s'
complete -c netsim -n '__fish_seen_subcommand_from trace' -l stack -x -a '(__netsim_words stack)' -d 'library and protocol, as `netsim list stacks` names it'
complete -c netsim -n '__fish_seen_subcommand_from trace' -l format -x -a '(__netsim_words choice table csv json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from trace' -l matrix -x -a '(__netsim_words file)' -d 'also draw the communication matrix (png, svg or pdf)'
complete -c netsim -n '__fish_seen_subcommand_from validate' -k -a '(__netsim_words none)'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l top40 -d 'only the most important claims, and how many of those results hold'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l all -d 'also list the behaviours, which tests cover'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l draws -x -a '(__netsim_words none)' -d 'also judge the claims on N machines that the uncertain constants allow'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l tests -x -a '(__netsim_words file)' -d 'results of `netsim test'\'' instead of tests.xml beside the program'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l all-run -d 'end with 2 also if a behaviour'\''s test was not run for this build'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l format -x -a '(__netsim_words choice table brief json junit)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l out -x -a '(__netsim_words file)' -d 'write it to this file'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l database -x -a '(__netsim_words file)' -d 'keep the runs in this database instead of results/validate.sqlite'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l jobs -s j -x -a '(__netsim_words none)' -d 'simulate in N processes; 0, the default: one for each processor'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l again -d 'run also what is kept from before'
complete -c netsim -n '__fish_seen_subcommand_from validate' -l quiet -s q -d 'no progress, no summary'
complete -c netsim -n '__fish_seen_subcommand_from compare' -k -a '(__netsim_words result)'
complete -c netsim -n '__fish_seen_subcommand_from compare' -l tolerance -x -a '(__netsim_words none)' -d 'how far B may be off A: 2%, '\''0.5 us'\'', latency='\''2% worse'\'' (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from compare' -l common -d 'compare only the points that both have'
complete -c netsim -n '__fish_seen_subcommand_from compare' -l metric -x -a '(__netsim_words none)' -d 'only this metric (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from compare' -l draws -x -a '(__netsim_words none)' -d 'run A and B in the draws 1 .. N, and compare draw by draw'
complete -c netsim -n '__fish_seen_subcommand_from compare' -l jobs -s j -x -a '(__netsim_words none)' -d 'simulate in N processes; 0, the default: one for each processor'
complete -c netsim -n '__fish_seen_subcommand_from compare' -l format -x -a '(__netsim_words choice table json junit)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from plot' -k -a '(__netsim_words result)'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l x -x -a '(__netsim_words none)' -d 'what a sweep has along x: a parameter, or size'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l y -x -a '(__netsim_words none)' -d 'draw fields of colours with this parameter of a sweep along y'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l metric -x -a '(__netsim_words none)' -d 'only this metric (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l series -x -a '(__netsim_words none)' -d 'only this one of the series (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l size -x -a '(__netsim_words none)' -d 'draw only this message size, or range A..B (repeatable); without a unit: bytes'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l title -x -a '(__netsim_words none)' -d 'what stands above the picture'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l log -x -a '(__netsim_words choice x y xy)' -d 'logarithmic scale'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l linear -x -a '(__netsim_words choice x y xy)' -d 'linear scale'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l figure -x -a '(__netsim_words figure)' -d 'draw it as this figure of the references: its axes, series and marks'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l over-time -d 'run the scenario and draw its windows and the like over time'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l format -x -a '(__netsim_words choice svg png pdf)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l out -x -a '(__netsim_words file)' -d 'the picture'\''s file instead of figures/NAME.FORMAT'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l time-limit -x -a '(__netsim_words none)' -d 'end what takes longer; without a unit: seconds'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l simulated-limit -x -a '(__netsim_words none)' -d 'end a run that is not over after so much simulated time'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l jobs -s j -x -a '(__netsim_words none)' -d 'simulate in N processes; 0, the default: one for each processor'
complete -c netsim -n '__fish_seen_subcommand_from plot' -l quiet -s q -d 'no progress, no summary'
complete -c netsim -n '__fish_seen_subcommand_from report' -k -a '(__netsim_words result)'
complete -c netsim -n '__fish_seen_subcommand_from report' -l out -x -a '(__netsim_words file)' -d 'the page'\''s file instead of report.html where the first results are'
complete -c netsim -n '__fish_seen_subcommand_from report' -l static -d 'pictures as SVG, which can'\''t be zoomed, and no script'
complete -c netsim -n '__fish_seen_subcommand_from report' -l no-explain -d 'do not run a scenario again to explain where its time goes'
complete -c netsim -n '__fish_seen_subcommand_from report' -l quiet -s q -d 'no progress, no summary'
complete -c netsim -n '__fish_seen_subcommand_from figures' -k -a '(__netsim_words figure)'
complete -c netsim -n '__fish_seen_subcommand_from figures' -l format -x -a '(__netsim_words choice svg png pdf)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from figures' -l out -x -a '(__netsim_words directory)' -d 'directory for the pictures instead of figures/'
complete -c netsim -n '__fish_seen_subcommand_from figures' -l jobs -s j -x -a '(__netsim_words none)' -d 'simulate in N processes; 0, the default: one for each processor'
complete -c netsim -n '__fish_seen_subcommand_from figures' -l again -d 'run also what is kept from before'
complete -c netsim -n '__fish_seen_subcommand_from figures' -l list -d 'print the figures there are, draw nothing'
complete -c netsim -n '__fish_seen_subcommand_from figures' -l quiet -s q -d 'no progress, no summary'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -k -a '(__netsim_words scenario)'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l fit -x -a '(__netsim_words parameter)' -d 'parameter to fit, with bounds (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l to -x -a '(__netsim_words file)' -d 'reference points, orders and crossovers'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l out -x -a '(__netsim_words file)' -d 'write the overlay to this file'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l check -x -a '(__netsim_words file)' -d 'compare with an overlay instead; ends with 2 if a value differs'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l posterior -d 'weigh draws of the uncertain constants by the targets'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l draws -x -a '(__netsim_words none)' -d 'fit again in each of N draws of the uncertain constants'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l again -d 'run also what is kept from before'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l discrepancy -x -a '(__netsim_words none)' -d 'error of the model itself, 2% of each value by default'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l method -x -a '(__netsim_words choice auto lm nelder-mead)' -d 'how to search'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l set -x -a '(__netsim_words parameter)' -d 'set one parameter; beats the file (repeatable)'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l allow-unused -d 'accept settings that nothing reads'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l seed -x -a '(__netsim_words none)' -d 'seed of all random streams'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l jobs -s j -x -a '(__netsim_words none)' -d 'simulate in N processes; 0, the default: one for each processor'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l database -x -a '(__netsim_words file)' -d 'keep the runs in this database'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l time-limit -x -a '(__netsim_words none)' -d 'end what takes longer; without a unit: seconds'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l simulated-limit -x -a '(__netsim_words none)' -d 'end a run that is not over after so much simulated time'
complete -c netsim -n '__fish_seen_subcommand_from calibrate' -l format -x -a '(__netsim_words choice table json)' -d 'form of the output'
complete -c netsim -n '__fish_seen_subcommand_from help' -k -a '(__netsim_words command)'
complete -c netsim -n '__fish_seen_subcommand_from help' -l fill -x -a '(__netsim_words file)' -d 'print FILE with the parts made anew that come from the tables of options'
# End
