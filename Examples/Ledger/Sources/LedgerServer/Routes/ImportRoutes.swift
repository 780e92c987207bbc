// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceHummingbird
import Hummingbird
import LedgerApplication

/// The routes for imports.
struct ImportRoutes: Sendable {
    let container: Container
    let imports: ImportService
    let uploads: Permits
    let limits: LedgerServerLimits

    private var dispatcher: any CommandQueryDispatcher { container.resolve() }

    var routes: [LedgerRoute] {
        [
            .post("/api/imports", begin),
            .post("/api/imports/{id}/pause") { reader in
                try reader.requireParameters()
                let id = try reader.id("import")
                try await imports.pause(id)
                return try await answer(id)
            },
            .post("/api/imports/{id}/resume") { reader in
                try reader.requireParameters()
                let id = try reader.id("import")
                try await imports.resume(id)
                return try await answer(id)
            },
        ]
    }

    @Sendable
    private func begin(_ reader: RequestReader) async throws -> Response {
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

    private func answer(_ id: UUID) async throws -> Response {
        guard let status = try await dispatcher.dispatch(GetImportStatus(of: id)) else { throw UnknownImport(id: id) }
        return try JSONAnswer(ImportResponse(status)).response()
    }
}
