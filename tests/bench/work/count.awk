# Work for awk: words, fields, expressions, strings and arrays of a text file that is read N times.
{
    lines++
    for (i = 1; i <= NF; i++) {
        word = tolower($i)
        gsub(/[^a-z_]/, "", word)
        if (length(word) > 2)
            count[word]++
    }
    if ($0 ~ /^[ \t]*(if|for|while|switch)/)
        branches++
    if (match($0, /[a-z]+[0-9]+/))
        found[substr($0, RSTART, RLENGTH)] += lines % 7
    total += length($0) * 3 % 101
}
END {
    for (word in count)
        if (count[word] > most) {
            most = count[word]
            name = word
        }
    for (at in found)
        sum += found[at]
    printf "%d %d %s %d %d %d\n", lines, branches, name, most, sum, total
}
