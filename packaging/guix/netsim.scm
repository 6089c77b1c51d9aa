;; SPDX-License-Identifier: GPL-3.0-or-later
;; netsim for Guix, from the tree that this file lies in: guix build -f packaging/guix/netsim.scm
(use-modules (guix packages)
             (guix gexp)
             (guix git-download)
             (guix build-system cmake)
             ((guix licenses) #:prefix license:)
             (gnu packages compression)
             (gnu packages glib)
             (gnu packages maths)
             (gnu packages ninja)
             (gnu packages pkg-config)
             (gnu packages serialization)
             (gnu packages sqlite)
             (gnu packages web))

(package
  (name "netsim")
  (version "1.0.0")
  (source (local-file "../.." "netsim-checkout"
                      #:recursive? #t
                      #:select? (git-predicate (string-append (current-source-directory) "/../.."))))
  (build-system cmake-build-system)
  (arguments
   (list #:tests? #f ; `./netsim test' runs them in a tree
         #:configure-flags #~(list "-GNinja" "-DBUILD_TESTING=OFF" "-DNETSIM_MPI=OFF")
         #:phases
         #~(modify-phases %standard-phases
             (replace 'build (lambda _ (invoke "ninja")))
             (replace 'install (lambda _ (invoke "ninja" "install"))))))
  (native-inputs (list ninja pkg-config))
  (inputs (list glib gsl jansson libyaml muparser sqlite zlib))
  (synopsis "Packet-level simulator of cluster interconnects")
  (description "Network cards, switches, buses, hosts and MPI libraries execute the state machines of
the real protocols, and every cost is a physical constant with a source.")
  (home-page #f)
  (license license:gpl3+))
