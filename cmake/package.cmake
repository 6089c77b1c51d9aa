# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages: `cmake --preset package && cmake --build --preset package --target package` makes
# build-package/netsim_VERSION_ARCH.deb, python3-netsim_VERSION_all.deb with the module for Python, and
# where SimGrid is installed netsim-simgrid_VERSION_ARCH.deb with the plugin for flows.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The authors of netsim <netsim@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL program python)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME netsim)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-matplotlib, node-d3")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "netsim-simgrid, python3-netsim, graphviz, wireshark")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "Network cards, switches, buses, hosts and MPI libraries execute the state
machines of the real protocols, and every cost is a physical constant with a
source: M-VIA, TCP and SCTP on Ethernet, Myrinet with GM, Intercept with
Portals. Scenarios are YAML files; sweeps, calibration, error bars, figures
and explanations of a message's time come with it.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-netsim)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-pandas, netsim (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-matplotlib")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "The module for Python: runs, sweeps and pictures of netsim as pandas frames
and figures of matplotlib, for notebooks.")

# Debian's policy asks for the licence of a package, and for its changes, compressed.
file(WRITE ${PROJECT_BINARY_DIR}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: netsim

Files: *
Copyright: 2026 the authors of netsim
License: GPL-3.0-or-later

License: GPL-3.0-or-later
 This program is free software: you can redistribute it and/or modify it under
 the terms of the GNU General Public License as published by the Free Software
 Foundation, either version 3 of the License, or (at your option) any later
 version. On Debian systems its text is in /usr/share/common-licenses/GPL-3.
")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${PROJECT_BINARY_DIR}/changelog.Debian "netsim (${PROJECT_VERSION}-1) unstable; urgency=medium

  * As changelog.gz has it.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
find_program(GZIP_PROGRAM gzip REQUIRED)
foreach(pair CHANGELOG.md:changelog docs/netsim.1:netsim.1 ${PROJECT_BINARY_DIR}/changelog.Debian:changelog.Debian)
    string(REGEX MATCH "(.*):(.*)" pair ${pair})
    execute_process(COMMAND ${GZIP_PROGRAM} -9nc ${CMAKE_MATCH_1} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_FILE ${PROJECT_BINARY_DIR}/${CMAKE_MATCH_2}.gz COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(package_documents ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/changelog.gz ${PROJECT_BINARY_DIR}/changelog.Debian.gz)
install(FILES ${package_documents} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/netsim COMPONENT program)
install(FILES ${package_documents} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-netsim COMPONENT python)
install(FILES ${PROJECT_BINARY_DIR}/netsim.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)

if(TARGET netsim_flow)
    list(APPEND CPACK_COMPONENTS_ALL simgrid)
    set(CPACK_DEBIAN_SIMGRID_PACKAGE_NAME netsim-simgrid)
    set(CPACK_DEBIAN_SIMGRID_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_SIMGRID_PACKAGE_DEPENDS "netsim (= ${PROJECT_VERSION}-1)")
    set(CPACK_DEBIAN_SIMGRID_DESCRIPTION "The plugin of netsim for runs on SimGrid's flows: scenarios with
`fidelity: flow` share links as streams, for thousands of ranks, and
netsim holds its own packets beside SimGrid's.")
    install(FILES ${package_documents} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/netsim-simgrid
            COMPONENT simgrid)
endif()

include(CPack)
