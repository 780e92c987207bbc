// SPDX-License-Identifier: Apache-2.0

#if Server
import Headrace
import HeadraceHummingbird

/// The limits of a ``LedgerServer`` for its clients.
public struct LedgerServerLimits: Sendable {
    /// Maximum number of open connections.
    ///
    /// Further connections receive the status 503.
    ///
    /// The limit is lower if the system allows fewer open files.
    public var connections = 4_096

    /// Maximum number of open event streams.
    public var eventStreams = 256

    /// Maximum length of a request's body in bytes.
    public var bodyBytes = 1 << 20

    /// Maximum length of a journal in bytes.
    public var journalBytes = 64 << 20

    /// Maximum number of concurrent uploads of journals.
    public var uploads = 2

    /// Maximum number of transactions of a journal that are posted in one unit of work.
    ///
    /// Larger journals are imported in steps, unless the client decides otherwise.
    public var atomicTransactions = 10_000

    /// Maximum number of transactions that a client can post in one unit of work.
    ///
    /// A unit of work holds all of them in memory, about 4 KB for each.
    public var mostAtomicTransactions = 100_000

    /// Maximum number of imports that run or are paused.
    public var openImports = 16

    /// Maximum time for which a connection may be idle, and for which a request may be incomplete.
    public var idleTimeout: Duration = .seconds(30)

    /// Maximum duration of a request; then its query is cancelled, and its commands are refused.
    public var requestTimeout: Duration = .seconds(30)

    /// Maximum duration of the upload of a journal.
    public var uploadTimeout: Duration = .seconds(600)

    /// Interval between two comments that keep an idle event stream alive.
    public var heartbeat: Duration = .seconds(10)

    /// Minimum interval between two events of an event stream.
    ///
    /// Changes in between are combined.
    public var eventInterval: Duration = .milliseconds(50)

    /// Interval between two checks for the commits of other processes.
    public var pollInterval: Duration = .milliseconds(250)

    /// The limits of the routes of messages.
    var requests: RequestLimits {
        var limits = RequestLimits()
        limits.bodyLength = bodyBytes
        limits.bodyTime = idleTimeout
        return limits
    }

    /// Creates the default limits.
    public init() {}
}
#endif
