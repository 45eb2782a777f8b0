# Completion of the command armature for bash. The command itself knows what may follow.
_armature() {
  local line=${COMP_LINE:0:COMP_POINT} words current candidates
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=${words[-1]}
  mapfile -t candidates < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
  if [[ ${candidates[0]:-} == @files ]]; then
    compopt -o default
    COMPREPLY=()
    return
  fi
  # readline breaks words at "=" (and ":"): it wants only what comes behind.
  local behind=''
  [[ $current == *=* && $COMP_WORDBREAKS == *=* ]] && behind=${current%%=*}=
  COMPREPLY=("${candidates[@]#"$behind"}")
  [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _armature armature ./armature
