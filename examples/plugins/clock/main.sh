# Honest, in shell: registers what it declares.

[ -z "$PLUGIN_STATE" ] || echo "$$" >>"$PLUGIN_STATE/started"

send() {
    printf 'Content-Length: %s\r\n\r\n%s' "${#1}" "$1"
}

while :; do
    length=
    while IFS= read -r line; do
        line=$(printf '%s' "$line" | tr -d '\r')
        [ -n "$line" ] || break
        case $line in
        Content-Length:*) length=${line#*: } ;;
        esac
    done
    [ -n "$length" ] || exit 0
    request=$(dd bs=1 count="$length" 2>/dev/null)
    # Requests are the host's own, which writes ids as plain numbers.
    id=$(printf '%s' "$request" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case $request in
    *'"method":"initialize"'*)
        tool='{"name":"now","description":"Tells the time, UTC.","input_schema":{"type":"object"}}'
        result='{"protocol_version":1,"capabilities":{"tools":['$tool']}}'
        ;;
    *'"method":"shutdown"'*)
        send '{"jsonrpc":"2.0","id":'"$id"',"result":null}'
        exit 0
        ;;
    *) result='"'$(date -u +%H:%M)'"' ;;
    esac
    send '{"jsonrpc":"2.0","id":'"$id"',"result":'"$result"'}'
done
