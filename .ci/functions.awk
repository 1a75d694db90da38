# The functions of C files formatted as .clang-format says: one line each,
#   FILE <tab> FIRST LINE <tab> LAST LINE <tab> NAME <tab> 1 where a "dispatch:" comment stands above.
# A definition starts in column 0 with a word, has its parameter list before its brace, and ends with a
# brace in column 0 or on its own line.
function report(last) {
    print FILENAME "\t" first "\t" last "\t" name "\t" marked
    first = 0
}
FNR == 1 { first = 0; above = 0; body = 0; continued = 0 }
{
    line = $0
    in_macro = continued
    continued = (line ~ /\\$/)
}
in_macro || line ~ /^#/ { above = 0; next }
body { if (line ~ /^}/) { report(FNR); body = 0 } ; next }
!first && line ~ /^[A-Za-z_].*\(/ && line !~ /^(typedef|_Static_assert|static_assert)/ &&
line !~ /^(static |const )*(enum|struct|union)[^(]*\{/ {
    first = FNR
    marked = above ? 1 : 0
    name = line
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    text = ""
}
first {
    text = text line
    if (text ~ /\) *\{.*\}$/) report(FNR)
    else if (text ~ /\) *\{$/) body = 1
    else if (line ~ /[;{]$/) first = 0
}
line ~ /dispatch:/ { above = 1; next }
line !~ /^( \*.*)?$/ { above = 0 }
