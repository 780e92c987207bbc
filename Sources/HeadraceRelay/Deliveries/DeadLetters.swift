// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceStorage

/// Access to the dead-letter queue of a store: list, replay, or discard messages that could not be delivered.
///
/// ```swift
/// let deadLetters = DeadLetters(in: store)
/// for letter in try await deadLetters.page() {
///     print(letter.id, letter.subscription, letter.reason)
/// }
/// try await deadLetters.replay([42])
/// ```
///
/// A dead letter stays until it is replayed or discarded. The later events of the same stream were delivered to the
/// subscription without it. A replayed dead letter comes after them.
public struct DeadLetters: Sendable {
    private let store: any DeliveryStore

    /// Returns the reason why a corrected content can't be decoded; `nil` if it can be, or if its type is unknown.
    private let decodingFailure: @Sendable (Delivery.Content) -> DecodingFailure?

    /// Creates access to the dead letters in `store`.
    public init(in store: any DeliveryStore) {
        self.init(in: store) { _ in nil }
    }

    init(in store: any DeliveryStore, decodingFailure: @escaping @Sendable (Delivery.Content) -> DecodingFailure?) {
        self.store = store
        self.decodingFailure = decodingFailure
    }

    /// Returns a page of dead letters, the oldest first.
    ///
    /// - Parameters:
    ///   - id: The identifier of the last dead letter on the previous page; 0, the default, for the first page.
    ///   - subscription: The subscription of the dead letters, or `nil` for all subscriptions.
    ///   - limit: Maximum number of dead letters.
    /// - Returns: The page; empty after the last page.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func page(
        after id: Int64 = 0,
        of subscription: String? = nil,
        limit: Int = 100
    ) async throws -> [DeadLetter] {
        try await store.deadLetters(after: id, of: subscription, limit: limit)
    }

    /// Returns the dead letter `id`, or `nil` if it doesn't exist any longer.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func find(_ id: Int64) async throws -> DeadLetter? {
        try await store.deadLetter(id)
    }

    /// Delivers dead letters again, starting with the first attempt; unknown identifiers are skipped.
    ///
    /// - Returns: Number of dead letters that are delivered again.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func replay(_ ids: [Int64]) async throws -> Int {
        try await store.replayDeadLetters(ids)
    }

    /// Corrects the content of a dead letter, and delivers it again, starting with the first attempt.
    ///
    /// ```swift
    /// let letters = DeadLetters(in: store, relays: [relay])
    /// let corrected = Data(#"{"order": "8"}"#.utf8)
    /// try await letters.replay(letter.id, correctedTo: corrected, by: "anna")
    /// ```
    ///
    /// Only this delivery has the corrected content. The event in the log stays as it is, so other subscriptions, projections, and
    /// replays of the subscription after this delivery receive the earlier content. A scheduled event isn't in the log yet, so all its
    /// subscriptions receive the corrected content. The message keeps its identifier, name, version, and
    /// origin. The content must have the form of that version.
    ///
    /// An event `headrace.operation` in the log has the name of the operator and both contents. It is stored before the dead letter
    /// is replayed. If the process ends between the two steps, the dead letter stays.
    ///
    /// - Parameters:
    ///   - id: The identifier of the dead letter.
    ///   - json: The corrected content as JSON, in UTF-8. If a relay of ``init(in:relays:)`` knows the type of the message, the
    ///     content must decode as that type.
    ///   - operatorName: The name of the operator.
    /// - Throws: ``RelayError``, with the code `invalidCorrection` if the content isn't JSON or doesn't decode, or with the code
    ///   `deadLetterGone` if the dead letter was replayed, corrected, or discarded meanwhile. Then the delivery is unchanged.
    ///   ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func replay(
        _ id: Int64,
        correctedTo json: Data,
        by operatorName: String
    ) async throws {
        guard let letter = try await find(id) else { throw RelayError.deadLetterGone(id) }
        guard let message = letter.content.message else { throw RelayError.contentGone(id) }
        do {
            _ = try DocumentCoding.decode(AnyJSON.self, from: json)
        } catch {
            throw RelayError.noJSON(id, DecodingFailure(error))
        }
        if let failure = decodingFailure(letter.content.corrected(to: json)) {
            throw RelayError.undecodable(id, message.name, failure)
        }
        let correction = OperatorLog.Operation.Correction(
            id: message.id,
            message: message.name,
            subscription: letter.subscription,
            earlier: String(decoding: message.json, as: UTF8.self),
            corrected: String(decoding: json, as: UTF8.self)
        )
        try await OperatorLog(in: store).record(
            OperatorLog.Operation("correct dead letter", of: ["\(id)"], correction: correction), by: operatorName)
        if try await !store.replayDeadLetter(id, correctedTo: json) { throw RelayError.deadLetterGone(id) }
    }

    /// Delivers all dead letters of `subscription` again, in the order in which they became dead letters.
    ///
    /// - Returns: Number of dead letters that are delivered again.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func replayAll(of subscription: String) async throws -> Int {
        // Deliveries that fail again meanwhile get greater identifiers, so this loop ends with the dead letters at its
        // start.
        var ids: [Int64] = []
        while true {
            let page = try await page(after: ids.last ?? 0, of: subscription)
            if page.isEmpty { break }
            ids += page.map(\.id)
        }
        return try await replay(ids)
    }

    /// Discards dead letters for good; unknown identifiers are skipped.
    ///
    /// - Returns: Number of discarded dead letters.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func discard(_ ids: [Int64]) async throws -> Int {
        try await store.discardDeadLetters(ids)
    }
}

/// Any JSON: only its syntax is checked.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) {}
}

/// The reason why JSON doesn't decode, for a person who corrects it.
struct DecodingFailure {
    /// The reason, without a full stop at its end.
    let reason: String

    init(_ error: any Error) {
        let text = (error as? DecodingError).map(Self.text) ?? "\(error)"
        reason = text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private static func text(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "there is no member '\(path(context.codingPath + [key]))'"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? context.underlyingError.map { "\($0)" } ?? context.debugDescription
                : "at '\(path(context.codingPath))': \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
    }
}
