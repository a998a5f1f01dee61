# interactive.zsh LINE: prints what becomes of a line when Tab is pressed behind it. The current folder holds _pkwrap.
export OUT=$PWD/line
: >$OUT
cat >start.zsh <<'END'
PS1=
unsetopt beep
fpath=($PWD $fpath)
autoload -U compinit
compinit -u -D
show() { print -r -- "line:$BUFFER" >>$OUT }
zle -N show
bindkey '^X' show
print ready >>$OUT
END
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source ./start.zsh"
repeat 200 { grep -q ready $OUT && break; sleep 0.05 }
zpty -w -n shell "$1"$'\t\x18'
repeat 200 { grep -q line: $OUT && break; sleep 0.05 }
sed -n 's/^line://p' $OUT
