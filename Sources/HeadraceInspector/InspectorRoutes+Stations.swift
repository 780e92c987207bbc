// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceRelay
import HeadraceStations
import HeadraceStorage

/// The journals of stations: download, replay on a copy, and the restoring of a state.
extension InspectorRoutes {
    private struct Journal: Codable {
        let journal: String
    }

    private struct Upload: Decodable {
        let station: String
        let journal: String

        /// Number of actions before the state to restore.
        let position: Int?
    }

    func journal(_ target: RequestTarget) -> InspectorResponse {
        guard let station = target.query["station"].flatMap({ inspector.station($0) }) else { return Self.noStation }
        guard let text = try? station.history.journal?.text else {
            return .refusal(
                409,
                "The station has no journal, because a state or an action is hidden or isn't 'Codable'. To fix, pass both "
                    + "types to 'InspectorConfiguration(showing:)', and conform them to 'Codable'."
            )
        }
        return .json(Journal(journal: String(decoding: text, as: UTF8.self)))
    }

    /// Replays a journal, or restores a state of it.
    nonisolated(nonsending) func upload(
        _ request: InspectorRequest, restoring isRestore: Bool, by operatorName: String
    ) async -> InspectorResponse {
        guard let upload = try? JSONDecoder().decode(Upload.self, from: request.body),
            (upload.position != nil) == isRestore
        else {
            return .refusal(
                400,
                isRestore
                    ? #"The body must be JSON like {"station": "Page", "journal": "…", "position": 2}."#
                    : #"The body must be JSON like {"station": "Page", "journal": "…"}."#
            )
        }
        guard let station = inspector.station(upload.station) else { return Self.noStation }
        inspector.activate()
        do {
            let file = try JournalFile(Data(upload.journal.utf8))
            if file.actions.count > limits.journalCount {
                return .refusal(
                    413,
                    "The journal has more than \(limits.journalCount) actions. To fix, raise the limit 'journalCount', or "
                        + "import a shorter journal."
                )
            }
            guard let position = upload.position else {
                guard let view = try await station.replay(file) else { return Self.stationIsGone }
                return .json(view)
            }
            return try await restore(file, position, on: station, by: operatorName)
        } catch let error as StationError {
            return .refusal(422, error.message)
        } catch let error as StoreError {
            return .refusal(503, "The operation couldn't be recorded, so nothing was changed. \(error.message)")
        } catch {
            return .refusal(503, "The operation was cancelled. To fix, send the request again.")
        }
    }

    private nonisolated(nonsending) func restore(
        _ file: JournalFile, _ position: Int, on station: InspectedStation, by operatorName: String
    ) async throws -> InspectorResponse {
        guard let restore = station.restore else {
            return .refusal(
                409,
                "The station has no action that restores a state. To fix, call 'inspector.show(_:named:restoring:)' with "
                    + "such an action."
            )
        }
        guard (0...file.actions.count).contains(position) else {
            return .refusal(400, "The position must be from 0 to \(file.actions.count).")
        }
        if let inspected = inspectedStore(nil) {
            let operation = OperatorLog.Operation("restore station", of: [station.history.name, "\(position)"])
            try await OperatorLog(in: inspected.store).record(operation, by: operatorName)
        }
        guard try await restore(file, position) else { return Self.stationIsGone }
        return .json(["position": position])
    }

    private static var noStation: InspectorResponse {
        .refusal(
            404,
            "No station has this name. To fix, call 'inspector.show(station, named:)', or use a name from the overview."
        )
    }

    private static var stationIsGone: InspectorResponse {
        .refusal(409, "The station has been released. To fix, show a station that the program keeps.")
    }
}
