# Completes in an interactive zsh, as a user's keys would: zsh -f complete.zsh. Exit status: 0 or 1.
zmodload zsh/zpty
setopt extended_glob
zpty shell zsh -f -i || exit
typed() { # TEXT WANT: completes TEXT, and waits until the line is WANT
  local line='' more start=$SECONDS
  zpty -w -n shell $'\C-u'"$1"$'\t'
  while (( SECONDS - start < 20 )); do
    zpty -r -t shell more && line+=$more || sleep 0.1
    # without what moves the cursor and sets colours
    [[ ${${line//$'\e'\[[0-9;]#[A-Za-z]/}//$'\r'/} == *"$2"* ]] && { print -r -- "zsh, $1: $2"; return; }
  done
  print -r -- "use: zsh, $1: expected $2, got ${(V)line}"
  exit 1
}
zpty -w shell 'unset zle_bracketed_paste; PS1=; autoload -Uz compinit; compinit -u -D; print rea""dy'
while zpty -r shell answer; do [[ $answer == *ready* ]] && break; done
typed 'trommel bu' 'trommel build '
typed 'trommel attr build --max' 'trommel attr build --max-capacity='
typed 'trommel build --type sc' 'trommel build --type scalable '
typed 'trommel stats --js' 'trommel stats --json '
typed 'trommel help attr er' 'trommel help attr erase '
typed 'trommel query /usr/share/zsh/vendor-completions/_tromm' \
  'trommel query /usr/share/zsh/vendor-completions/_trommel '
zpty -d shell
