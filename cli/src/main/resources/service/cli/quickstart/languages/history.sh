#!/bin/sh
# The history of the graph `languages`: `service quickstart` has run these commands, one after the other. To make it
# again, add `again: { schema: languages.pg }` to cluster.yaml, end the quickstart, and run
#
#   service cluster apply --config .
#   sh languages/history.sh --cluster . --graph again
#
# `$@` stands for the options that follow. The commits have the times at which they were made: nothing dates them back.
set -e

# The first edition: a commit for each decade.
service load --as ada --mode append --data languages/before-1960.ndjson -m 'Add the languages before 1960' "$@"
service load --as ada --mode append --data languages/1960s.ndjson -m 'Add the languages of the 1960s' "$@"
service load --as ada --mode append --data languages/1970s.ndjson -m 'Add the languages of the 1970s' "$@"
service mutate --as grace -e 'update Language set { summary: "Business records in English sentences; most of the COBOL that was ever written still runs" } where name = "COBOL"' -m 'Say that COBOL still runs' "$@"
service load --as ada --mode append --data languages/1980s.ndjson -m 'Add the languages of the 1980s' "$@"
service mutate --as alan -e 'update Language set { year: 1985 } where name = "C++"' -m 'Date C++ by its first book' "$@"
service tag create first-edition main --as ada -m 'As it was printed' "$@"

# The second edition comes from a branch of its importer, and is merged.
service branch create import/nineties --as barbara "$@"
service load --as barbara --branch import/nineties --mode append --data languages/1990s.ndjson -m 'Add the languages of the 1990s' "$@"
service mutate --as barbara --branch import/nineties -e 'update Language set { summary: "The language of web pages; its first version was made in ten days of May 1995" } where name = "JavaScript"' -m 'Say when the ten days were' "$@"
service mutate --as grace -e 'update Language set { summary: "Formula translation for science and engineering, with the first compiler that optimizes" } where name = "FORTRAN"' -m 'The compiler of FORTRAN was the first of its kind' "$@"
service branch merge import/nineties --as ada -m 'Merge the nineties' "$@"
service load --as barbara --mode append --data languages/2000s.ndjson -m 'Add the languages of the 2000s' "$@"
service load --as barbara --mode append --data languages/2010s.ndjson -m 'Add the languages since 2010' "$@"

# A mistake, and the commit that takes it back.
service mutate --as bot -e 'delete Language where year < 1957' -m 'Drop languages that never ran' "$@"
service commit revert main --as ada -m 'Plankalkül belongs here, whether it ran or not' "$@"

# A review: main and the branch date Lisp and C++ differently, so that the merge has conflicts.
service branch create review/dates --as alan "$@"
service mutate --as alan --branch review/dates -e 'update Language set { year: 1960 } where name = "Lisp"' -m 'Date Lisp by its paper' "$@"
service mutate --as alan --branch review/dates -e 'update Language set { year: 1979 } where name = "C++"' -m 'Date C++ by the first C with classes' "$@"
service mutate --as alan --branch review/dates -e 'update Language set { year: 1967 } where name = "Simula"' -m 'Date Simula by its second edition, which has classes' "$@"
service mutate --as grace -e 'update Language set { year: 1959 } where name = "Lisp"' -m 'Date Lisp by its first interpreter' "$@"
service mutate --as grace -e 'update Language set { year: 1983 } where name = "C++"' -m 'C++ got its name in 1983' "$@"

# Another branch, which merges as it is.
service branch create draft/puzzles --as grace "$@"
service mutate --as grace --branch draft/puzzles -e 'insert Language { name: "INTERCAL", year: 1972, typing: "none", summary: "Has nothing in common with any other major language" } insert Person { name: "Don Woods" } insert Person { name: "James Lyon" } insert DesignedBy { from: "INTERCAL", to: "Don Woods" } insert DesignedBy { from: "INTERCAL", to: "James Lyon" }' -m 'Add INTERCAL, please' "$@"
