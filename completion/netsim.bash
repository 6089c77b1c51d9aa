# bash completion for netsim
#
# What stands between Begin and End is made by `ninja reference' from the tables in sim/cli/.
# In a source tree, `source completion/netsim.bash' completes netsim and ./netsim.

# The program that is being called; of a tree's launcher the one that it has built, for nothing is
# built while somebody types.
_netsim_program() {
    local program=${COMP_WORDS[0]/#\~/$HOME}
    [[ -e ${program%/*}/CMakeLists.txt ]] && program=${NETSIM_BUILD_DIR:-${program%/*}/build}/netsim
    type -P -- "$program"
}

# Names of a kind that `netsim list` knows.
_netsim_list() {
    local program
    program=$(_netsim_program) && "$program" list "$1" --names 2>/dev/null
}

_netsim_files() { # FIND-OPTION ...
    compopt -o filenames 2>/dev/null
    compgen "$@" -- "$current"
}

# What begins as the word that is being typed, of a kind.
_netsim_words() {
    case $1 in
    choice*) compgen -W "${1#choice}" -- "$current" ;;
    file | result) _netsim_files -f ;;&
    directory) _netsim_files -d ;;
    scenario)
        _netsim_files -d
        _netsim_files -f -X '!*.y?(a)ml'
        ;;&
    scenario | result) compgen -W "$(_netsim_list scenarios)" -- "$current" ;;
    parameter) compgen -W "$(_netsim_list parameters)" -S = -- "$current" ;;
    shipped) compgen -W "$(_netsim_list scenarios) $(_netsim_list testbeds) $(_netsim_list sweeps)" -- "$current" ;;
    section) compgen -W "$(_netsim_list sections) $(_netsim_list stacks) $(_netsim_list benchmarks)" -- "$current" ;;
    stack) compgen -W "$(_netsim_list stacks)" -- "$current" ;;
    benchmark) compgen -W "program $(_netsim_list benchmarks)" -- "$current" ;;
    testbed) compgen -W "$(_netsim_list testbeds)" -- "$current" ;;
    figure) compgen -W "$(_netsim_list figures)" -- "$current" ;;
    command) compgen -W "$commands" -- "$current" ;;
    esac
}

_netsim() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' commands='' options='' arguments='' value=''
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    # "--format=json" comes as three words.
    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $current == = ]] && current=''
    COMPREPLY=()

    # Begin: bash commands
    commands='run check describe list new show bench sweep explain diagram flatten export trace validate compare plot report figures calibrate fit help test'
    case $command in
    run)
        arguments='scenario'
        options='--series --set --allow-unused --out --seed --draws --sensitivity --causes --format --metric --wide --links --trace --log-states --values --pcap --trace-from --trace-to --pcap-at --pcap-from --pcap-to --pcap-snap --jobs --time-limit --simulated-limit --stop-at --quiet --help'
        case $previous in
        --series) value='none' ;;
        --set) value='parameter' ;;
        --out) value='directory' ;;
        --seed) value='none' ;;
        --draws) value='none' ;;
        --sensitivity) value='choice ranks total' ;;
        --causes) value='file' ;;
        --format) value='choice table csv json' ;;
        --metric) value='none' ;;
        --trace) value='file' ;;
        --log-states) value='file' ;;
        --values) value='file' ;;
        --pcap) value='directory' ;;
        --trace-from) value='none' ;;
        --trace-to) value='none' ;;
        --pcap-at) value='none' ;;
        --pcap-from) value='none' ;;
        --pcap-to) value='none' ;;
        --pcap-snap) value='none' ;;
        --jobs | -j) value='none' ;;
        --time-limit) value='none' ;;
        --simulated-limit) value='none' ;;
        --stop-at) value='none' ;;
        esac
        ;;
    check)
        arguments='scenario'
        options='--set --allow-unused --wide --format --help'
        case $previous in
        --set) value='parameter' ;;
        --format) value='choice table json' ;;
        esac
        ;;
    describe)
        arguments='section'
        options='--json-schema --wide --format --help'
        case $previous in
        --format) value='choice text markdown json dot svg' ;;
        esac
        ;;
    list)
        arguments='choice stacks testbeds benchmarks scenarios sweeps figures sections parameters'
        options='--names --wide --format --help'
        case $previous in
        --format) value='choice table json' ;;
        esac
        ;;
    new)
        arguments='none'
        options='--stack --benchmark --hosts --switches --topology --ranks --nic --testbed --force --help'
        case $previous in
        --stack) value='stack' ;;
        --benchmark) value='benchmark' ;;
        --hosts) value='none' ;;
        --switches) value='none' ;;
        --topology) value='choice auto star chain ring tree clos' ;;
        --ranks) value='none' ;;
        --nic) value='none' ;;
        --testbed) value='testbed' ;;
        esac
        ;;
    show)
        arguments='shipped'
        options='--file --path --origins --defaults --route --svg --dot --series --set --allow-unused --wide --format --help'
        case $previous in
        --route) value='none' ;;
        --svg) value='file' ;;
        --dot) value='file' ;;
        --series) value='none' ;;
        --set) value='parameter' ;;
        --format) value='choice text json' ;;
        esac
        ;;
    bench)
        arguments='none'
        options='--format --quick --no-ns3 --markdown --help'
        case $previous in
        --format) value='choice table json' ;;
        esac
        ;;
    sweep)
        arguments='result'
        options='--set --allow-unused --zip --seeds --draws --jobs --out --csv --report --wide --format --dry-run --shard --again --time-limit --simulated-limit --quiet --help'
        case $previous in
        --set) value='parameter' ;;
        --seeds) value='none' ;;
        --draws) value='none' ;;
        --jobs | -j) value='none' ;;
        --out) value='directory' ;;
        --format) value='choice table json csv' ;;
        --shard) value='none' ;;
        --time-limit) value='none' ;;
        --simulated-limit) value='none' ;;
        esac
        ;;
    explain)
        arguments='scenario'
        options='--series --size --no-trials --set --allow-unused --seed --wide --format --time-limit --simulated-limit --plot --diagram --help'
        case $previous in
        --series) value='none' ;;
        --size) value='none' ;;
        --set) value='parameter' ;;
        --seed) value='none' ;;
        --format) value='choice table csv json' ;;
        --time-limit) value='none' ;;
        --simulated-limit) value='none' ;;
        --plot) value='file' ;;
        --diagram) value='file' ;;
        esac
        ;;
    diagram)
        arguments='scenario'
        options='--message --series --size --out --format --no-constants --set --allow-unused --seed --time-limit --simulated-limit --help'
        case $previous in
        --message) value='none' ;;
        --series) value='none' ;;
        --size) value='none' ;;
        --out) value='file' ;;
        --format) value='choice svg json' ;;
        --set) value='parameter' ;;
        --seed) value='none' ;;
        --time-limit) value='none' ;;
        --simulated-limit) value='none' ;;
        esac
        ;;
    flatten)
        arguments='scenario'
        options='--series --rank --set --allow-unused --wide --format --help'
        case $previous in
        --series) value='none' ;;
        --rank) value='none' ;;
        --set) value='parameter' ;;
        --format) value='choice table json' ;;
        esac
        ;;
    export)
        arguments='scenario'
        options='--out --series --set --allow-unused --host-speed --tolerance --help'
        case $previous in
        --out) value='directory' ;;
        --series) value='none' ;;
        --set) value='parameter' ;;
        --host-speed) value='none' ;;
        --tolerance) value='none' ;;
        esac
        ;;
    trace)
        arguments='file'
        options='--speed --stack --wide --format --matrix --help'
        case $previous in
        --speed) value='none' ;;
        --stack) value='stack' ;;
        --format) value='choice table csv json' ;;
        --matrix) value='file' ;;
        esac
        ;;
    validate)
        arguments='none'
        options='--top40 --all --claims --draws --tests --all-run --wide --format --out --database --jobs --again --quiet --help'
        case $previous in
        --claims) value='file' ;;
        --draws) value='none' ;;
        --tests) value='file' ;;
        --format) value='choice table brief json junit' ;;
        --out) value='file' ;;
        --database) value='file' ;;
        --jobs | -j) value='none' ;;
        esac
        ;;
    compare)
        arguments='result'
        options='--tolerance --common --metric --draws --seeds --jobs --wide --format --help'
        case $previous in
        --tolerance) value='none' ;;
        --metric) value='none' ;;
        --draws) value='none' ;;
        --seeds) value='none' ;;
        --jobs | -j) value='none' ;;
        --format) value='choice table json junit' ;;
        esac
        ;;
    plot)
        arguments='result'
        options='--x --y --metric --series --size --points --title --log --linear --figure --over-time --format --out --set --allow-unused --time-limit --simulated-limit --jobs --quiet --help'
        case $previous in
        --x) value='none' ;;
        --y) value='none' ;;
        --metric) value='none' ;;
        --series) value='none' ;;
        --size) value='none' ;;
        --points) value='file' ;;
        --title) value='none' ;;
        --log) value='choice x y xy' ;;
        --linear) value='choice x y xy' ;;
        --figure) value='figure' ;;
        --format) value='choice svg png pdf' ;;
        --out) value='file' ;;
        --set) value='parameter' ;;
        --time-limit) value='none' ;;
        --simulated-limit) value='none' ;;
        --jobs | -j) value='none' ;;
        esac
        ;;
    report)
        arguments='result'
        options='--out --static --no-explain --quiet --help'
        case $previous in
        --out) value='file' ;;
        esac
        ;;
    figures)
        arguments='figure'
        options='--format --out --jobs --again --list --quiet --help'
        case $previous in
        --format) value='choice svg png pdf' ;;
        --out) value='directory' ;;
        --jobs | -j) value='none' ;;
        esac
        ;;
    calibrate)
        arguments='scenario'
        options='--fit --to --out --check --posterior --draws --again --discrepancy --method --set --allow-unused --seed --jobs --database --time-limit --simulated-limit --wide --format --help'
        case $previous in
        --fit) value='parameter' ;;
        --to) value='file' ;;
        --out) value='file' ;;
        --check) value='file' ;;
        --draws) value='none' ;;
        --discrepancy) value='none' ;;
        --method) value='choice auto lm nelder-mead' ;;
        --set) value='parameter' ;;
        --seed) value='none' ;;
        --jobs | -j) value='none' ;;
        --database) value='file' ;;
        --time-limit) value='none' ;;
        --simulated-limit) value='none' ;;
        --format) value='choice table json' ;;
        esac
        ;;
    fit)
        arguments='file'
        options='--testbed --scenario --stack --benchmark --fit --draws --discrepancy --out --picture --set --allow-unused --seed --jobs --database --time-limit --simulated-limit --wide --format --quiet --help'
        case $previous in
        --testbed) value='shipped' ;;
        --scenario) value='scenario' ;;
        --stack) value='stack' ;;
        --benchmark) value='benchmark' ;;
        --fit) value='parameter' ;;
        --draws) value='none' ;;
        --discrepancy) value='none' ;;
        --out) value='directory' ;;
        --picture) value='file' ;;
        --set) value='parameter' ;;
        --seed) value='none' ;;
        --jobs | -j) value='none' ;;
        --database) value='file' ;;
        --time-limit) value='none' ;;
        --simulated-limit) value='none' ;;
        --format) value='choice table json' ;;
        esac
        ;;
    help)
        arguments='command'
        options='--fill --help'
        case $previous in
        --fill) value='file' ;;
        esac
        ;;
    esac
    # End

    if [[ -n $value ]]; then
        arguments=$value
    elif [[ $command == '' ]]; then
        arguments="choice $commands --version --help"
    elif [[ $command == sweep && $previous == sweep && -n $current && merge == "$current"* ]]; then
        arguments='choice merge'
    elif [[ $current == -* ]]; then
        arguments="choice $options"
    fi
    [[ $arguments == parameter || $arguments == file || $arguments == directory ]] && compopt -o nospace 2>/dev/null
    [[ $arguments == scenario || $arguments == result || $arguments == file || $arguments == directory ]] &&
        compopt -o filenames 2>/dev/null
    shopt -q extglob || { shopt -s extglob; trap 'shopt -u extglob; trap - RETURN' RETURN; }
    mapfile -t COMPREPLY < <(_netsim_words "$arguments" | sort -u)
}

complete -F _netsim netsim
