#!/bin/sh
# Tests ./commas. The profile of each test goes to the folder `passed` or to the folder `failed`.
set -eu
mkdir -p passed failed
while read -r number expected; do
    printed=$(PATHCC_PROFILE=last.pathprof ./commas "$number")
    verdict=passed
    if [ "$printed" != "$expected" ]; then
        verdict=failed
        echo "$number: $expected is expected, and $printed was printed"
    fi
    mv last.pathprof "$verdict/$number.pathprof"
done <<'END'
1 1
12 12
123 123
1234 1,234
123456 123,456
-1 -1
-12 -12
-1234 -1,234
-123 -123
-123456 -123,456
END
