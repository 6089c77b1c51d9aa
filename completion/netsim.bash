# bash completion for netsim

_netsim() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local commands='run check describe list bench test help'
    local command='' formats='table csv json' words=''
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    COMPREPLY=()

    case $previous in
    --format)
        [[ $command == bench || $command == list ]] && formats='table json'
        [[ $command == describe ]] && formats='text markdown'
        mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
        return
        ;;
    --out)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    --trace | --log-states)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    --set | --seed) # nothing that could be guessed
        return
        ;;
    esac

    case $command in
    '') words="$commands --version --help" ;;
    run) words='--set --out --seed --format --trace --log-states --quiet --help' ;;
    check) words='--set --help' ;;
    describe) words='--json-schema --format --help' ;;
    list) words='stacks testbeds benchmarks scenarios --names --format --help' ;;
    bench) words='--format --quick --no-ns3 --help' ;;
    help) words=$commands ;;
    *) words='--help' ;;
    esac

    if [[ ($command == run || $command == check) && $current != -* ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(
            compgen -f -X '!*.yaml' -- "$current"
            compgen -f -X '!*.yml' -- "$current"
            compgen -d -- "$current"
        )
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    fi
}

complete -F _netsim netsim
