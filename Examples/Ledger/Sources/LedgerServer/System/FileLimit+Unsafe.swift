// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation

/// The limit of the system for open files, which include connections.
enum FileLimit {
    /// Number of files for everything except connections.
    private static let reserve = 128

    /// Raises the limit for `connections` and the other files of the process, as far as the system permits.
    ///
    /// - Returns: Maximum number of connections.
    static func allow(_ connections: Int) -> Int {
        // Safe: the pointer refers to a local variable, which outlives the calls.
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return min(connections, 512) }
        let wanted = min(rlim_t(connections + reserve), limit.rlim_max)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            _ = unsafe setrlimit(resource, &limit)
            _ = unsafe getrlimit(resource, &limit)
        }
        let available = limit.rlim_cur > rlim_t(Int32.max) ? Int(Int32.max) : Int(limit.rlim_cur)
        return min(connections, max(16, available - reserve))
    }

    #if canImport(Darwin)
    private static let resource = RLIMIT_NOFILE
    #else
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}
#endif
