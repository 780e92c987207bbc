// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceHummingbird
import Hummingbird
import LedgerApplication

extension RouterMethods<LedgerRequestContext> {
    /// Adds the routes that begin, pause, and resume imports.
    func addImports(_ imports: ImportService, of dispatcher: any CommandQueryDispatcher, limits: LedgerServerLimits) {
        let uploads = Permits(limits.uploads)
        on("/api/imports", method: .post) { try await Self.begin($0, imports, uploads, limits) }
        on("/api/imports/{id}/pause", method: .post) { reader in
            try await imports.pause(try reader.importID())
            return try await Self.answer(reader, dispatcher)
        }
        on("/api/imports/{id}/resume", method: .post) { reader in
            try await imports.resume(try reader.importID())
            return try await Self.answer(reader, dispatcher)
        }
    }

    private static func begin(
        _ reader: RequestReader,
        _ imports: ImportService,
        _ uploads: Permits,
        _ limits: LedgerServerLimits
    ) async throws -> Response {
        try reader.requireParameters("name", "atomic", "missing")
        let name = try reader.required("name")
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "/" }
        guard isPlain, name.utf8.count <= 255 else {
            throw Problem.malformed("'name' must be a file name of at most 255 bytes.")
        }
        let isAtomic = try reader.flag("atomic")
        let missing = try reader.parameter("missing").map { text in
            guard let missing = MissingTransactions(rawValue: text) else {
                throw Problem.malformed("'missing' must be 'refuse', 'keep', or 'replace'. To fix, correct or omit it.")
            }
            return missing
        }
        try reader.requireType("text/plain")
        // First, so that a journal that is too large doesn't take the place of another upload.
        try reader.requireLength(atMost: limits.journalBytes)
        guard let permit = uploads.tryAcquire() else {
            throw Problem(
                .serviceUnavailable,
                code: "tooManyUploads",
                "Too many journals are being uploaded. To fix, send it again in a moment."
            )
            .retry(after: .seconds(2))
        }
        defer { withExtendedLifetime(permit) {} }
        let bytes = try await reader.bytes(limit: limits.journalBytes, within: limits.uploadTimeout)
        let id = try await imports.begin(name, bytes: bytes, isAtomic: isAtomic, missing: missing ?? .refuse)
        return try JSONAnswer(
            ImportBegunResponse(import: id),
            status: .accepted,
            headers: [.location: "/api/imports/\(id)"]
        )
        .response()
    }

    private static func answer(
        _ reader: RequestReader,
        _ dispatcher: any CommandQueryDispatcher
    ) async throws -> Response {
        let id = try reader.importID()
        guard let status = try await dispatcher.dispatch(GetImportStatus(of: id)) else { throw UnknownImport(id: id) }
        return try JSONAnswer(ImportResponse(status)).response()
    }
}

extension RequestReader {
    /// Returns the identifier of the import in the path of a request without parameters.
    fileprivate func importID() throws -> UUID {
        try requireParameters()
        return try UUID(path: context.parameters.get("id") ?? "", of: "import")
    }
}
#endif
