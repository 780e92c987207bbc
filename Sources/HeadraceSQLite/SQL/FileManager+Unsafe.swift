// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation

extension FileManager {
    /// Whether the item at `path`, after symbolic links, is a folder; `nil` if there is no item.
    func isFolder(_ path: String) -> Bool? {
        // Unsafe because it passes a pointer to a local variable, which outlives the call.
        var isFolder: ObjCBool = false
        return unsafe fileExists(atPath: path, isDirectory: &isFolder) ? isFolder.boolValue : nil
    }
}
#endif
