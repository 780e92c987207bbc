// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of a ``HistoryRing``: a header and records, each in a line.
struct HistorySegment {
    private static let headerLimit = 1_024

    let header: HistoryHeader

    /// Size of the complete lines in bytes.
    private(set) var size = 0

    private let handle: FileHandle
    private var headerSize = 0

    /// Whether a part of a line can be behind the complete lines.
    private var isTorn = false

    /// Creates an empty segment in the empty file `handle`.
    init(_ handle: FileHandle, _ header: HistoryHeader) {
        self.handle = handle
        self.header = header
    }

    /// Whether there are lines after the header.
    var hasLines: Bool { size > headerSize }

    /// Marks all lines so far as the header.
    mutating func endHeader() { headerSize = size }

    /// Reads the file at `path`.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limit: The maximum size; of a larger file, the last lines are read.
    /// - Returns: The file and its records; `nil` if there is no file, or if it is empty.
    /// - Throws: ``InspectorHistoryError``.
    static func open(
        _ path: String, limit: Int
    ) throws -> (segment: HistorySegment, records: [HistoryRecord], unreadable: Int)? {
        do {
            let handle = try openFile(path, creating: false)
            let size = Int(try handle.seekToEnd())
            if size == 0 { return nil }
            try handle.seek(toOffset: 0)
            let (header, headerSize) = try header(in: try handle.read(upToCount: headerLimit) ?? Data(), path)
            let start = max(headerSize, size - limit)
            try handle.seek(toOffset: UInt64(start))
            var lines = (try handle.read(upToCount: size - start) ?? Data())
                .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // A line at the cut isn't complete. The last part is empty, or is a line that a killed process didn't complete.
            if start > headerSize { lines.removeFirst() }
            let rest = lines.popLast() ?? Data()
            let records = lines.map { HistoryRecord(line: Data($0)) }
            var segment = HistorySegment(handle, header)
            segment.headerSize = headerSize
            segment.size = size - rest.count
            segment.isTorn = !rest.isEmpty
            return (
                segment, records.compactMap { $0 }, records.count { $0 == nil } + (rest.isEmpty ? 0 : 1)
            )
        } catch let error as InspectorHistoryError {
            throw error
        } catch let error as POSIXError where error.code == .ENOENT {
            return nil
        } catch {
            throw InspectorHistoryError.unavailable(path, error)
        }
    }

    private static func header(in start: Data, _ path: String) throws -> (HistoryHeader, size: Int) {
        guard let end = start.firstIndex(of: UInt8(ascii: "\n")),
            let form = try? JSONDecoder().decode(HistoryForm.self, from: start[..<end]),
            form.form == HistoryHeader.currentForm
        else { throw InspectorHistoryError.damaged(path) }
        if form.version != HistoryHeader.currentVersion {
            throw InspectorHistoryError.unsupportedVersion(form.version, path)
        }
        guard let header = try? JSONDecoder().decode(HistoryHeader.self, from: start[..<end]),
            (1...HistoryHeader.numberLimit).contains(header.segment)
        else { throw InspectorHistoryError.damaged(path) }
        return (header, end + 1)
    }

    /// Writes complete lines.
    ///
    /// After a failure, the next call removes the part of a line that the failure has left.
    mutating func append(_ lines: Data) throws {
        if lines.isEmpty { return }
        if isTorn { try handle.truncate(atOffset: UInt64(size)) }
        try handle.seek(toOffset: UInt64(size))
        isTorn = true
        try handle.write(contentsOf: lines)
        isTorn = false
        size += lines.count
    }
}
