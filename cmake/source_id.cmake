# SPDX-License-Identifier: GPL-3.0-or-later
# Writes a C file that defines campaign_source_id (sim/campaign/source_id.h): a hash over the sources
# in sim/ and models/, names and contents in a fixed order.
#
#   cmake -D ROOT=... -D OUTPUT=... -P source_id.cmake
#
# The file is left alone if it would be the same, so that nothing is compiled or linked again. The
# build also gives a hash of the names, only so that it notices when one is taken away.

cmake_minimum_required(VERSION 3.22)

file(GLOB_RECURSE sources RELATIVE ${ROOT}
     ${ROOT}/sim/*.c ${ROOT}/sim/*.h ${ROOT}/sim/*.inc
     ${ROOT}/models/*.c ${ROOT}/models/*.h ${ROOT}/models/*.inc)
# By bytes, as on every machine: GLOB's own order may follow the locale.
list(SORT sources COMPARE STRING CASE SENSITIVE ORDER ASCENDING)

set(all "")
foreach(source IN LISTS sources)
    file(SHA256 ${ROOT}/${source} hash)
    string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 id)

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"// Made by cmake/source_id.cmake.
#include \"sim/campaign/source_id.h\"

const char campaign_source_id[] = \"${id}\";
")
