// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceJSON

/// A key of the user defaults with the JSON of a ``SharedState``.
///
/// The last of two processes that write at the same time wins, because user defaults have no lock.
public struct SharedUserDefaults<Value: Codable & Sendable>: SharedStorage {
    /// The key.
    public let key: String

    /// The name of the domain; `nil` for the domain of the application.
    public let suiteName: String?

    /// Creates a storage under `key` in the domain `suiteName`; `nil` for the domain of the application.
    public init(key: String, suiteName: String? = nil) {
        self.key = key
        self.suiteName = suiteName
    }

    /// Returns the value under the key; `nil` if the key has none.
    ///
    /// - Throws: ``SharedStateError`` with the code `SharedStateError.Code.damaged` if it isn't the JSON of a value.
    @concurrent
    public func load() async throws -> Value? {
        try read(defaults)
    }

    /// Replaces the value under the key.
    ///
    /// - Throws: ``SharedStateError``. The value was kept.
    @concurrent
    public func replace(by change: @Sendable (_ stored: Value?) -> Value) async throws -> Value {
        let defaults = defaults
        let value = change(try read(defaults))
        do {
            defaults.set(try JSONDocumentEncoder.encode(value), forKey: key)
        } catch {
            throw SharedStateError.unencodable(key, Value.self, error)
        }
        return value
    }

    private var defaults: UserDefaults { suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

    private func read(_ defaults: UserDefaults) throws -> Value? {
        guard let object = defaults.object(forKey: key) else { return nil }
        do {
            guard let data = object as? Data else { throw CocoaError(.coderReadCorrupt) }
            return try JSONDocumentDecoder.decode(Value.self, from: data)
        } catch {
            throw SharedStateError.damaged(key, Value.self, error)
        }
    }
}
