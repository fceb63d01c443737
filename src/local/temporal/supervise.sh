#!/bin/sh
# Runs a command that cannot outlive whoever started it: supervise.sh SIGNAL COMMAND [ARGUMENT...]
#
# Standard input is a pipe whose other end only the parent process holds. However the parent ends (normally, by a
# signal, by kill -9), the kernel closes that end, `read` returns, and the command gets SIGNAL, then SIGKILL if it
# is still there five seconds later. A shell and not a Node script: it is there in 2 ms, and `killall -9 node` does
# not hit it.
signal=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
command=$!
# What the shell itself may say ("Killed") is for nobody, and writing it to a parent that is gone would be fatal.
exec >/dev/null 2>&1
{
  read -r _ <&3
  kill -s "$signal" "$command"
  tries=50
  while kill -0 "$command" && [ "$tries" -gt 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
  done
  kill -s KILL "$command"
} &
watcher=$!
wait "$command"
status=$?
kill "$watcher"
wait "$watcher"
exit "$status"
