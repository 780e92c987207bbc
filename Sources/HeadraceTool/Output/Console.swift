// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation

/// The standard output, which a test replaces.
enum Console {
    /// Receives each line.
    @TaskLocal static var receive: @Sendable (String) -> Void = { print($0) }

    /// Writes a line.
    static func write(_ line: String) { receive(line) }
}
#endif
