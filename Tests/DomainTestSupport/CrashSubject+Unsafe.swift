//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Unsafe code: the calls of the operating system take pointers to local variables, which outlive the calls.
extension CrashSubject {
    /// Waits until a signal has stopped a child process.
    static func waitForStop(of process: Process) {
        var information = unsafe siginfo_t()
        _ = unsafe waitid(P_PID, id_t(process.processIdentifier), &information, WSTOPPED | WNOWAIT)
    }

    /// Whether `handle` can be read without waiting.
    static func hasData(_ handle: FileHandle) -> Bool {
        var descriptor = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLIN) != 0
    }
}
