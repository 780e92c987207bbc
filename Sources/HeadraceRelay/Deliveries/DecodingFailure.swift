// SPDX-License-Identifier: Apache-2.0

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
