//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// How many files, connections included, the process may have open.
enum FileLimit {
    /// What is left to everything but connections.
    private static let reserve = 128

    /// Raises the limit as far as the process may, up to `connections` and what else it needs.
    ///
    /// - Returns: How many connections there may be.
    static func allow(_ connections: Int) -> Int {
        // Unsafe as it hands over a pointer: to a local variable, which outlives the call.
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
