// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import Testing

/// Paths and files that a store can and cannot be opened on, with their errors.
@Suite(.timeLimit(.minutes(5))) struct SQLiteStoreOpeningTests {
    // MARK: Paths

    @Test(arguments: ["", ":memory:", "file:x.sqlite", "file::memory:?cache=shared"])
    func aTextThatIsNotAPathIsUnusable(path: String) {
        let error = #expect(throws: StoreError.self) { try openStore(path) }

        #expect(error?.code == .unusable)
        #expect(
            error?.message
                == "'\(path)' is not the path of a file. To fix, use the path of a file, or use InMemoryStore."
        )
    }

    @Test func aPathWithNULIsUnusableAndOpensNothing() async throws {
        try await withTemporaryFolder { folder in
            let error = #expect(throws: StoreError.self) { try openStore(folder.path(of: "a\0b")) }

            #expect(error?.code == .unusable)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            #expect(names.isEmpty)
        }
    }

    @Test func aMissingFolderIsUnusableAndNamed() async throws {
        try await withTemporaryFolder { folder in
            let missing = folder.path(of: "missing")

            let error = #expect(throws: StoreError.self) { try openStore(missing + "/store.sqlite") }

            #expect(error?.code == .unusable)
            #expect(
                error?.message == """
                    '\(missing)/store.sqlite' cannot be used: the folder '\(missing)/' doesn't exist. To fix, \
                    create the folder, or use another path.
                    """
            )

            try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: false)
            try await openStore(missing + "/store.sqlite").insertNotes("a")
        }
    }

    @Test func aFolderIsUnusable() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "folder")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .unusable)
            #expect(error?.message == "'\(path)' cannot be used: it is a folder. To fix, use the path of a file in it.")
        }
    }

    @Test func aFileWhereAFolderShouldBeIsUnusable() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "file")
            try Data().write(to: URL(filePath: path))

            let error = #expect(throws: StoreError.self) { try openStore(path + "/store.sqlite") }

            #expect(error?.code == .unusable)
        }
    }

    @Test func aSymbolicLinkWithoutTargetIsUnusableAndCreatesNoFile() async throws {
        try await withTemporaryFolder { folder in
            let (link, target) = (folder.path(of: "link.sqlite"), folder.path(of: "target.sqlite"))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)

            let error = #expect(throws: StoreError.self) { try openStore(link) }

            #expect(error?.code == .unusable)
            #expect(
                error?.message == """
                    '\(link)' cannot be used: it is a symbolic link to '\(target)', which doesn't exist. To fix, \
                    mount or restore the target of the link, or remove the link.
                    """
            )
            #expect(!FileManager.default.fileExists(atPath: target))
            try await openStore(target).insertNotes("a")
            #expect(try await openStore(link).noteIDs() == ["a"])
        }
    }

    @Test func aSymbolicLinkToAFolderIsAFolder() async throws {
        try await withTemporaryFolder { folder in
            let (link, target) = (folder.path(of: "link"), folder.path(of: "target"))
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)

            let error = #expect(throws: StoreError.self) { try openStore(link) }

            #expect(error?.message == "'\(link)' cannot be used: it is a folder. To fix, use the path of a file in it.")
            try await openStore(link + "/store.sqlite").insertNotes("a")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func aFileOrFolderWithoutWritePermissionIsUnusable() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path())
            let closedFolder = #expect(throws: StoreError.self) { try openStore(path) }
            try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path())
            try await openStore(path).insertNotes("a")
            try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
            let closedFile = #expect(throws: StoreError.self) { try openStore(path) }
            try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)

            #expect(closedFolder?.code == .unusable)
            #expect(closedFile?.code == .unusable)
            #expect(try await openStore(path).noteIDs() == ["a"])
        }
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self")), arguments: ["/proc/x.sqlite", "/dev/null"])
    func aPathWhereNoFileCanExistIsUnusable(path: String) {
        let error = #expect(throws: StoreError.self) { try openStore(path) }

        #expect(error?.code == .unusable)
        #expect(error?.message.hasPrefix("'\(path)' cannot be used: ") == true)
        #expect(error?.message.contains("To fix, ") == true)
    }

    @Test(arguments: ["a b.sqlite", "ä%20ö.sqlite", "?x=1#y", "'quoted'", "-x", "👩‍👩‍👧‍👦"])
    func unusualFileNamesWork(name: String) async throws {
        try await withTemporaryFolder { folder in
            try await openStore(folder.path(of: name)).insertNotes("a")

            #expect(FileManager.default.fileExists(atPath: folder.path(of: name)))
            #expect(try await openStore(folder.path(of: name)).noteIDs() == ["a"])
        }
    }

    // MARK: Other programs' files

    @Test(arguments: [
        "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)",
        "PRAGMA application_id = 42; VACUUM",
        "CREATE VIEW theirs AS SELECT 1",
        "CREATE TABLE entity (kind, key); PRAGMA user_version = 3",
    ])
    func theDatabaseOfAnotherProgramIsLeftUntouched(sql: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "theirs.sqlite")
            try withOtherProgram(path) { try $0.execute(sql: sql) }
            let before = try Data(contentsOf: URL(filePath: path))

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .unusable)
            #expect(
                error?.message == """
                    '\(path)' is the database of another program. Nothing in it was changed. To fix, name another file, or \
                    make the store on the program's connections with SQLiteStore(on:).
                    """
            )
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["theirs.sqlite"])
        }
    }

    @Test func theDatabaseOfAnotherProgramInWriteAheadModeKeepsItsContent() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "theirs.sqlite")
            let theirs = try DatabasePool(path: path)
            try await theirs.write { try $0.execute(sql: "CREATE TABLE theirs (x)") }

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .unusable)
            let tables = try await theirs.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
            #expect(tables == ["theirs"])
        }
    }

    @Test func anEmptyFileAndAnEmptyDatabaseCanBeOpened() async throws {
        try await withTemporaryFolder { folder in
            try Data().write(to: URL(filePath: folder.path(of: "empty")))
            try withOtherProgram(folder.path(of: "vacuumed")) { try $0.execute(sql: "VACUUM") }

            for name in ["empty", "vacuumed"] {
                try await openStore(folder.path(of: name)).insertNotes("a")
                #expect(try await openStore(folder.path(of: name)).noteIDs() == ["a"])
            }
        }
    }

    // MARK: Later versions

    @Test func tablesOfALaterVersionAreRefusedAndLeftAlone() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a")
            try withOtherProgram(path) { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 later')") }

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .newerSchema)
            #expect(
                error?.message == """
                    '\(path)' was written by a later version: it has tables that this version of Headrace doesn't \
                    know. Nothing in it was changed. To fix, run the version of the program that wrote it, or a later one.
                    """
            )
            try withOtherProgram(path) {
                try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '99 later'")
            }
            #expect(try await openStore(path).noteIDs() == ["a"])
        }
    }

    @Test func documentsOfALaterVersionAreRefusedAndLeftAlone() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a")
            try withOtherProgram(path) { try $0.execute(sql: "UPDATE headrace_entity_kind SET schema_version = 7") }

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .newerSchema)
            #expect(
                error?.message == """
                    '\(path)' was written by a later version: 'note' is stored with schema version 7, but this \
                    program knows only version 1. Nothing in it was changed. To fix, run the version of the program \
                    that wrote it, or a later one.
                    """
            )
        }
    }

    // MARK: Indexes

    @Test func anIndexMayBecomeUniqueAndNoLongerUnique() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path, entities: [LooseNote.self]).execute { context in
                context.insert(LooseNote("a", title: "one"))
                context.insert(LooseNote("b", title: "one"))
            }

            let refused = #expect(throws: StoreError.self) { try openStore(path) }
            #expect(refused?.code == .uniqueViolation)

            try await openStore(path, entities: [LooseNote.self]).execute { context in
                try await context.find(LooseNote.self, id: "b")?.title = "two"
            }
            await #expect(throws: StoreError.self) {
                try await openStore(path).execute { $0.insert(Note("c", title: "two")) }
            }
            try await openStore(path, entities: [LooseNote.self]).execute { $0.insert(LooseNote("c", title: "two")) }
        }
    }

    @Test func aDocumentThatDoesNotDecodePreventsANewIndex() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a", "b")
            try withOtherProgram(path) {
                try $0.execute(
                    sql:
                        "UPDATE headrace_entity SET document = '{}' WHERE key = 'b'; DELETE FROM headrace_index_entry; DELETE FROM headrace_entity_index"
                )
            }

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .undecodable)
            #expect(error?.entity == EntityReference(kind: "note", key: "b"))
        }
    }

    @Test func typesThatContradictOneAnotherCreateNoFile() async throws {
        try await withTemporaryFolder { folder in
            let error = #expect(throws: StoreError.self) {
                try openStore(folder.path(of: "store.sqlite"), entities: [Note.self, LooseNote.self])
            }

            #expect(error?.code == .invalidSchema)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            #expect(names.isEmpty)
        }
    }
}

/// A note whose title is not unique.
final class LooseNote: StoredEntity {
    static let entityName = "note"
    static var indexes: [EntityIndex<LooseNote>] { [EntityIndex("title") { $0.title }] }

    let id: String
    var title: String
    var size = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String, title: String) {
        self.id = id
        self.title = title
    }
}
#endif
