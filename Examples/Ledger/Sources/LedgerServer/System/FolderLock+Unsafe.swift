// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation

extension FolderLock {
    /// Opens `folder` and locks it without waiting.
    static func acquire(_ operation: Int32, on folder: URL) -> Result<Int32, POSIXError> {
        // Safe: the pointer refers to the text of the path, which outlives the call.
        let descriptor = unsafe open(folder.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return .failure(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)) }
        while flock(descriptor, operation | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            close(descriptor)
            return .failure(POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO))
        }
        return .success(descriptor)
    }
}
#endif
