# Completion of the command armature for fish. The command itself knows what may follow.
function __armature_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates ($words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$candidates[1]" = @files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $candidates
    end
end
complete -c armature -f -a '(__armature_candidates)'
