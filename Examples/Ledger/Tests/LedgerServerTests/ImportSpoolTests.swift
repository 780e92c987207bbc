// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Headrace
import HeadraceHummingbird
import LedgerTestSupport
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    /// The spooled journals beside the database.
    @Suite(.timeLimit(.minutes(1)), .fileOnly(.journals)) struct ImportSpoolTests {
        private let folder: TestFolder
        private var files: URL { URL(filePath: folder.database + "-imports") }

        init() throws {
            folder = try TestFolder()
        }

        private func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: files.path(percentEncoded: false)).sorted()
        }

        /// Writes the files that a killed server leaves.
        private func leaveFiles() throws {
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            for name in ["\(UUID()).part", "\(UUID()).journal", ".dat.nosync01ab.xyz", "notes.txt"] {
                try Data("x".utf8).write(to: files.appending(path: name))
            }
        }

        @Test func aStartDeletesTheFilesOfKilledUploads() async throws {
            try leaveFiles()

            try await TestServer.with(in: folder) { _ in }

            #expect(try names() == ["notes.txt"])
        }

        @Test func journalsOfOpenImportsAndCurrentUploadsAreKept() async throws {
            try leaveFiles()
            let spool = ImportSpool(database: folder.database)
            let (open, underWay) = (UUID(), UUID())
            _ = try await spool.keep(Array("open".utf8), for: open)

            let lock = try await spool.keep(Array("under way".utf8), for: underWay)
            #expect(lock != nil)
            try await spool.discardLeftovers { [] }
            #expect(try names().count == 6)
            withExtendedLifetime(lock) {}
        }

        @Test func onlyWhatIsNeededStays() async throws {
            try leaveFiles()
            let spool = ImportSpool(database: folder.database)
            let (open, ended) = (UUID(), UUID())
            _ = try await spool.keep(Array("open".utf8), for: open)
            _ = try await spool.keep(Array("ended".utf8), for: ended)

            try await spool.discardLeftovers { [open] }

            #expect(try names() == ["\(open.uuidString).journal", "notes.txt"])
            #expect(try spool.bytes(of: open) == Array("open".utf8))
        }

        @Test(arguments: [ENOSPC, EDQUOT, EFBIG])
        func aLackOfSpaceIsKnown(number: Int32) throws {
            let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(number))

            #expect(cause.isLackOfSpace)
            #expect(CocoaError(.fileWriteUnknown, userInfo: [NSUnderlyingErrorKey: cause]).isLackOfSpace)
            #expect(CocoaError(.fileWriteOutOfSpace).isLackOfSpace)
            #expect(!CocoaError(.fileWriteNoPermission).isLackOfSpace)
            #expect(Problem.full("the books").status.code == 507)
        }
    }
}
#endif
