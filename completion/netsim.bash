# bash completion for netsim

_netsim() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local commands='run check describe list bench sweep plot figures explain calibrate validate compare test help'
    local command='' formats='table csv json' words=''
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    COMPREPLY=()

    case $previous in
    --format)
        [[ $command == bench || $command == list || $command == sweep || $command == check ]] && formats='table json'
        [[ $command == explain ]] && formats='table csv json'
        [[ $command == calibrate ]] && formats='table json'
        [[ $command == validate ]] && formats='table json junit'
        [[ $command == compare ]] && formats='table json'
        [[ $command == describe ]] && formats='text markdown'
        [[ $command == plot || $command == figures ]] && formats='svg png pdf'
        mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
        return
        ;;
    --out)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    --method)
        mapfile -t COMPREPLY < <(compgen -W 'auto lm nelder-mead' -- "$current")
        return
        ;;
    --to | --check | --database | --trace | --log-states | --pcap)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    --figure)
        mapfile -t COMPREPLY < <(compgen -W "$(netsim figures --list 2>/dev/null | cut -d ' ' -f 1)" \
            -- "$current")
        return
        ;;
    --seeds | --jobs | --shard | --time-limit | --simulated-limit | --tolerance | --metric | --set | --seed | --fit | --series | --size) # nothing that could be guessed
        return
        ;;
    esac

    case $command in
    '') words="$commands --version --help" ;;
    run) words='--set --allow-unused --out --seed --format --trace --log-states --pcap --time-limit --simulated-limit --quiet --help' ;;
    check) words='--set --allow-unused --format --help' ;;
    describe) words='--json-schema --format --help' ;;
    list) words='stacks testbeds benchmarks scenarios sweeps --names --format --help' ;;
    sweep)
        words='merge --set --allow-unused --zip --seeds --jobs --out --csv --report --format --dry-run --shard --again'
        words+=' --time-limit --simulated-limit --quiet --help'
        ;;
    bench) words='--format --quick --no-ns3 --help' ;;
    plot) words='--figure --format --out --set --allow-unused --jobs --time-limit --simulated-limit --quiet --help' ;;
    figures) words='--format --out --jobs --again --list --quiet --help' ;;
    explain) words='--series --size --set --allow-unused --seed --format --plot --time-limit --simulated-limit --help' ;;
    validate) words='--top40 --all --tests --all-run --format --out --database --jobs --again --quiet --help' ;;
    compare) words='--tolerance --metric --format --help' ;;
    calibrate)
        words='--fit --to --out --check --method --set --allow-unused --seed --jobs --database --format'
        words+=' --time-limit --simulated-limit --help'
        ;;
    help) words=$commands ;;
    *) words='--help' ;;
    esac

    if [[ ($command == sweep || $command == explain || $command == calibrate || $command == run || $command == check || $command == plot) && $current != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(
            compgen -f -X '!*.yaml' -- "$current"
            compgen -f -X '!*.yml' -- "$current"
            compgen -d -- "$current"
        )
    elif [[ $command == compare && $current != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    fi
}

complete -F _netsim netsim
