# sh bomb.sh stay|leave DEPTH: starts two of itself, so many times over, and then stays or leaves.
if [ "$2" -gt 0 ]; then
    setsid sh "$0" "$1" $(($2 - 1)) &
    setsid sh "$0" "$1" $(($2 - 1)) &
    [ "$1" = leave ] && exit
fi
exec sleep 50
