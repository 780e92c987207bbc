// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
/// The limits on requests to the routes of an application.
public struct RequestLimits: Sendable {
    /// Maximum length of a body in bytes; 1 MiB by default.
    ///
    /// A longer body receives the status 413.
    public var bodyLength = 1 << 20

    /// Maximum time until a body has arrived; 30 seconds by default.
    ///
    /// A slower body receives the status 408.
    public var bodyTime: Duration = .seconds(30)

    /// Maximum number of query parameters; 64 by default.
    ///
    /// More parameters receive the status 400.
    public var parameterCount = 64

    /// Maximum number of open event streams; 256 by default.
    ///
    /// Further streams receive the status 503.
    public var streamCount = 256

    /// Interval between two comments that keep an idle event stream open; 15 seconds by default.
    public var heartbeat: Duration = .seconds(15)

    /// Creates the default limits.
    public init() {}
}
#endif
