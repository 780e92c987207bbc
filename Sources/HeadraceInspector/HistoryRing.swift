// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Two files of lines in a folder, which replace each other so that they have a limited size and age.
///
/// The newer file grows to half of the limits. Then a new file replaces the older one. A third file is locked while the ring
/// is open.
struct HistoryRing {
    private let folder: URL
    private let byteLimit: Int

    /// The maximum age in milliseconds.
    private let ageLimit: Double
    private let lock: FileHandle

    /// The file that grows; `nil` before the first file.
    private var active: HistorySegment?

    private init(_ folder: URL, byteLimit: Int, ageLimit: Double, lock: FileHandle, active: HistorySegment?) {
        self.folder = folder
        self.byteLimit = byteLimit
        self.ageLimit = ageLimit
        self.lock = lock
        self.active = active
    }

    /// Opens the ring in `folder`, which is created if its parent exists, and reads it.
    ///
    /// - Parameters:
    ///   - folder: The folder for the files.
    ///   - byteLimit: The maximum size of both files.
    ///   - ageLimit: The maximum age of an entry in milliseconds.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: The ring and its entries.
    /// - Throws: ``InspectorHistoryError``.
    static func open(
        in folder: URL, byteLimit: Int, ageLimit: Double, now: Double
    ) throws -> (ring: HistoryRing, restored: RestoredHistory) {
        let lock: FileHandle
        do {
            if !FileManager.default.fileExists(atPath: folder.path) {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            }
            lock = try HistorySegment.openFile(folder.appending(path: "lock").path, creating: true)
            if try !HistorySegment.lock(lock) { throw InspectorHistoryError.inUse(folder.path) }
        } catch let error as InspectorHistoryError {
            throw error
        } catch {
            throw InspectorHistoryError.unavailable(folder.path, error)
        }
        let opened = try [0, 1]
            .compactMap { index in try HistorySegment.open(path(index, in: folder), limit: byteLimit) }
            .sorted { $0.segment.header.segment < $1.segment.header.segment }
        let restored = RestoredHistory(
            opened.flatMap(\.records), unreadable: opened.reduce(0) { $0 + $1.unreadable }, since: now - ageLimit)
        let ring = HistoryRing(
            folder, byteLimit: byteLimit, ageLimit: ageLimit, lock: lock, active: opened.last?.segment)
        return (ring, restored)
    }

    private static func path(_ index: Int, in folder: URL) -> String {
        folder.appending(path: "flow-\(index).jsonl").path
    }

    /// Adds `lines`.
    ///
    /// If it throws, some of the lines may have been added. Each line in the files is complete or not there.
    mutating func append(_ lines: [Data], at now: Double) throws {
        var part = Data()
        for line in lines {
            if isFull(with: part.count, and: line.count, at: now) {
                try active?.append(part)
                part = Data()
                try rotate(at: now)
            }
            part += line
        }
        try active?.append(part)
    }

    /// Removes the older file if its entries are too old.
    mutating func removeOldEntries(at now: Double) throws {
        if let active, now - active.header.began >= ageLimit / 2 { try rotate(at: now) }
    }

    /// Whether a line of `count` bytes after `part` bytes needs a new file.
    private func isFull(with part: Int, and count: Int, at now: Double) -> Bool {
        guard let active else { return true }
        let hasLines = active.hasLines || part > 0
        return hasLines && active.size + part + count > byteLimit / 2 || now - active.header.began >= ageLimit / 2
    }

    /// Replaces the older file by a new one.
    private mutating func rotate(at now: Double) throws {
        let header = HistoryHeader(segment: (active?.header.segment ?? 0) + 1, began: now)
        let draft = folder.appending(path: "flow.new").path
        // A process that was killed may have left a draft.
        try? FileManager.default.removeItem(atPath: draft)
        var segment = HistorySegment(try HistorySegment.openFile(draft, creating: true), header)
        try segment.append(try header.historyLine())
        segment.endHeader()
        try FileManager.default.replaceFile(at: Self.path(header.segment % 2, in: folder), by: draft)
        active = segment
    }
}

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
