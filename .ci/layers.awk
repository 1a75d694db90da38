# Lines of grep -n on #include in, violations of the rules file out.
BEGIN {
    while ((getline line < rules) > 0) {
        if (line ~ /^(#|$)/) continue
        split(line, side, / *: */)
        allowed[side[1]] = " " side[2] " "
    }
    layers = " base kernel model client record stats workloads replay loader import study plots cli "
    free = " assert.h ctype.h errno.h fcntl.h float.h inttypes.h limits.h math.h signal.h stdarg.h " \
           "stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h sys/stat.h " \
           "sys/types.h unistd.h "
    # What else a layer above the simulation may ask of the system.
    system_user = " record replay loader import study plots cli "
}
function layer_of(path) {
    if (path ~ /^sim\/include\/ddbsim\//) return "public"
    if (path ~ /^workloads\/replay\//) return "replay"
    sub(/^(sim|scenarios)\//, "", path)
    sub(/\/.*/, "", path)
    return path
}
function may(from, file, header,    target, rule) {
    if (header ~ /\.\./) return 0
    rule = allowed[from] allowed[file]
    if (rule ~ / \* / || index(rule, " " header " ") || index(free, " " header " ")) return 1
    target = layer_of(header)
    if (target == "ddbsim") return from == "public" || index(rule, " public ")
    if (index(layers, " " target " ")) return target == from || index(rule, " " target " ")
    if (target ~ /^(sqlite3|yaml|cairo.*|jansson|xxhash|ft2build|csv|zlib|zstd.*)\.h$|^(gsl|freetype|cairo)$/)
        return (target ~ /^cairo/ && rule ~ / cairo /) || index(rule, " " target "/ ")
    return index(system_user, " " from " ") && header !~ /locale\.h/
}
{
    place = $0
    match(place, /^[^:]*:[0-9]*:/)
    place = substr($0, 1, RLENGTH - 1)
    path = place
    sub(/:.*/, "", path)
    header = $0
    sub(/^[^<"]*[<"]/, "", header)
    quoted = ($0 ~ /include *"/)
    sub(/[>"].*/, "", header)
    from = layer_of(path)
    file = path
    sub(/^(sim|scenarios)\//, "", file)
    # "x.h" stands beside the file that includes it.
    if (quoted && header !~ /\//) header = (from == "public" ? "ddbsim" : from) "/" header
    if (!(from in allowed)) print place ": " path " belongs to no layer of .ci/layers"
    else if (!may(from, file, header)) print place ": " from " may not include <" header ">"
}
