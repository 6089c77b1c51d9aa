# fish completion for netsim

set -l commands run check describe list bench test help

complete -c netsim -f
complete -c netsim -n "not __fish_seen_subcommand_from $commands" -l version -d 'Print the version'
complete -c netsim -l help -d 'Explain the command'

complete -c netsim -n __fish_use_subcommand -a run -d 'Run every series of a scenario'
complete -c netsim -n __fish_use_subcommand -a check -d 'Validate a scenario without running it'
complete -c netsim -n __fish_use_subcommand -a describe -d 'Print the parameters of the models'
complete -c netsim -n __fish_use_subcommand -a list -d 'List stacks, testbeds, benchmarks and scenarios'
complete -c netsim -n __fish_use_subcommand -a bench -d 'Measure the speed of the simulator'
complete -c netsim -n __fish_use_subcommand -a test -d 'Build everything and run the test suite'
complete -c netsim -n __fish_use_subcommand -a help -d 'Explain a command'

set -l run '__fish_seen_subcommand_from run'
complete -c netsim -n $run -l set -x -d 'Set one parameter: PATH=VALUE'
complete -c netsim -n $run -l out -x -a '(__fish_complete_directories)' -d 'Directory for the results'
complete -c netsim -n $run -l seed -x -d 'Seed of the random streams'
complete -c netsim -n $run -l format -x -a 'table csv json' -d 'What to print'
complete -c netsim -n $run -l trace -r -F -d 'Write a timeline'
complete -c netsim -n $run -l log-states -r -F -d 'Write the protocol transitions'
complete -c netsim -n $run -l quiet -d 'No progress, no summary'
complete -c netsim -n '__fish_seen_subcommand_from run check' \
    -k -a '(__fish_complete_suffix .yaml)'

complete -c netsim -n '__fish_seen_subcommand_from describe' -l json-schema \
    -d 'Print a JSON Schema for editors'
complete -c netsim -n '__fish_seen_subcommand_from bench' -l format -x -a 'table json' \
    -d 'What to print'
complete -c netsim -n '__fish_seen_subcommand_from help' -a "$commands"
