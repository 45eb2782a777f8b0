#compdef armature
# Completion of the command armature for zsh. The command itself knows what may follow.
local -a candidates
candidates=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ ${candidates[1]} == @files ]]; then
  _files
elif [[ ${candidates[1]} == *= ]]; then
  compadd -S '' -- "${candidates[@]}"
else
  compadd -- "${candidates[@]}"
fi
