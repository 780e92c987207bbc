//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import Hummingbird
import LedgerApplication

/// The routes to the imports.
struct ImportRoutes: Sendable {
    let container: Container
    let desk: ImportDesk
    let uploads: Slots
    let limits: LedgerServer.Limits

    private var dispatcher: any CommandQueryDispatcher { container.resolve() }

    var routes: [LedgerRoute] {
        [
            .post("/api/imports", begin),
            .get("/api/imports") { _ in
                let imports = try await dispatcher.dispatch(GetImports()).suffix(PageState.mostImports)
                return try JSONAnswer(ImportsWire(imports: imports.map { ImportWire($0) })).response()
            },
            .get("/api/imports/{id}") { reader in try await answer(try reader.id("import")) },
            .post("/api/imports/{id}/pause") { reader in
                let id = try reader.id("import")
                try await desk.pause(id)
                return try await answer(id)
            },
            .post("/api/imports/{id}/resume") { reader in
                let id = try reader.id("import")
                try await desk.resume(id)
                return try await answer(id)
            },
        ]
    }

    @Sendable
    private func begin(_ reader: RequestReader) async throws -> Response {
        let name = try reader.required("name")
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "/" }
        guard isPlain, name.utf8.count <= 255 else {
            throw APIError.malformed("'name' must be the name of a file, of 255 bytes at the most.")
        }
        try reader.requireType("text/plain")
        // Before it takes a slot: a journal that is too large must not keep others away.
        try reader.requireLength(atMost: limits.journalBytes)
        let slot = try uploads.take(
            orThrow: APIError(
                .serviceUnavailable,
                "tooManyUploads",
                "Other journals are on their way here. Send it again in a moment.",
                retryAfter: 2
            )
        )
        defer { withExtendedLifetime(slot) {} }
        let bytes = try await reader.bytes(limit: limits.journalBytes, within: limits.uploadTimeout)
        let id = try await desk.begin(name, bytes: bytes)
        return try JSONAnswer(
            BegunWire(import: id),
            status: .accepted,
            headers: [.location: "/api/imports/\(id)"]
        )
        .response()
    }

    private func answer(_ id: UUID) async throws -> Response {
        guard let status = try await dispatcher.dispatch(GetImportStatus(of: id)) else { throw UnknownImport(id: id) }
        return try JSONAnswer(ImportWire(status)).response()
    }
}
