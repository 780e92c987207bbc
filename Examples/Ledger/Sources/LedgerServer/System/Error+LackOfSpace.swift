// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation

extension Error {
    /// Whether a file can't grow because the disk is full, or a quota or the file size limit of the process is reached.
    var isLackOfSpace: Bool {
        if (self as? CocoaError)?.code == .fileWriteOutOfSpace { return true }
        var cause: (any Error)? = self
        while let error = cause.map({ $0 as NSError }) {
            if error.domain == NSPOSIXErrorDomain, [ENOSPC, EDQUOT, EFBIG].contains(Int32(error.code)) { return true }
            cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
        }
        return false
    }
}
#endif
