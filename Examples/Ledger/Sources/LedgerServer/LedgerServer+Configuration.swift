//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

extension LedgerServer {
    /// What a server needs to know; the defaults are for everyday use.
    public struct Configuration: Sendable {
        /// The path of the SQLite file that holds the books; it is made where there is none.
        public var database: String

        /// The address that is listened on; only this machine reaches the default.
        public var host = "127.0.0.1"

        /// The port; 0 for one that is free.
        public var port = 8080

        /// By which names, besides the usual ones of this machine and ``host``, requests may call the server.
        public var allowedHosts: [String] = []

        /// Where each posted transaction is told to another program; nowhere unless set.
        public var webhook: URL?

        /// What clients may ask of the server.
        public var limits = Limits()

        /// Creates the default configuration for a database.
        public init(database: String) {
            self.database = database
        }
    }

    /// What clients may ask of the server at the most.
    public struct Limits: Sendable {
        /// How many connections may be open; others are turned away with 503.
        ///
        /// Fewer where the system allows fewer files.
        public var connections = 4_096

        /// How many event streams may be open.
        public var eventStreams = 256

        /// How many bytes a request may have.
        public var bodyBytes = 1 << 20

        /// How many bytes a journal may have.
        public var journalBytes = 64 << 20

        /// How many journals may be on their way here at once.
        public var uploads = 2

        /// How many imports may be under way or paused.
        public var openImports = 16

        /// How long a connection may be idle, and how long a request may take until it is here.
        public var idleTimeout: Duration = .seconds(30)

        /// How long a journal may take until it is here.
        public var uploadTimeout: Duration = .seconds(600)

        /// How often an event stream that has nothing to tell says that it is there.
        public var heartbeat: Duration = .seconds(10)

        /// How long an event stream waits at least from one event to the next; what happens meanwhile is one event.
        public var eventInterval: Duration = .milliseconds(50)

        /// How often it is looked for what other processes have committed.
        public var pollInterval: Duration = .milliseconds(250)

        /// Creates the default limits.
        public init() {}
    }
}
