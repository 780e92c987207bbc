// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CommandFailure {
    /// Returns the bytes of the file, the pipe, or the device at `path`.
    ///
    /// - Throws: ``CommandFailure`` if it can't be read.
    static func bytes(at path: String) throws -> Data {
        do {
            // 'Data' doesn't read pipes and devices.
            guard isStream(path) else { return try Data(contentsOf: URL(filePath: path)) }
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            return try file.readToEnd() ?? Data()
        } catch {
            throw CommandFailure(reading: path, error)
        }
    }

    /// Whether `path` is a descriptor of this process, as in `<(…)` of a shell.
    static func isDescriptor(_ path: String) -> Bool {
        path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
    }

    /// Whether `path` is neither a regular file nor a folder.
    static func isStream(_ path: String) -> Bool {
        if isDescriptor(path) { return true }
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let type = try? FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
        return type.map { ![.typeRegular, .typeDirectory].contains($0) } ?? false
    }
}
