// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of the storage of a ``SharedState``.
public struct SharedStateError: CodedError {
    /// The kind of the error, stable enough to branch on.
    public typealias Code = ErrorCode<SharedStateError>

    /// The kind of the error.
    public let code: Code

    /// The error and its fix, in one sentence each.
    public let message: String

    /// The error that has caused this error.
    public let cause: any Error

    package static func damaged(_ place: String, _ value: Any.Type, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .damaged,
            message: """
                The shared state in '\(place)' isn't a '\(String(naming: value))', and was kept. To fix, repair or move the \
                content, or read it with the type that has written it.
                """,
            cause: cause
        )
    }

    package static func unencodable(_ place: String, _ value: Any.Type, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .unencodable,
            message: """
                The new '\(String(naming: value))' can't be encoded, so the shared state in '\(place)' was kept. To fix, store only \
                values that JSON can have; it has no infinite numbers, for example.
                """,
            cause: cause
        )
    }

    package static func undeclared(_ place: String, _ entity: Any.Type, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .unavailable,
            message: """
                The store was not opened with '\(String(naming: entity))', so it can't keep the shared state '\(place)'. To fix, \
                add '\(String(naming: entity)).self' to the 'entities' of the store.
                """,
            cause: cause
        )
    }

    package static func unavailable(_ place: String, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .unavailable,
            message: """
                The shared state in '\(place)' can't be read or written. To fix, check that the place exists and that the \
                program may write there; the value in memory is kept, and the next save stores it.
                """,
            cause: cause
        )
    }
}

extension ErrorCode<SharedStateError> {
    /// The stored content isn't a value of the expected type.
    ///
    /// It was kept as it is.
    public static var damaged: Self { Self() }

    /// The new value can't be encoded.
    ///
    /// The stored content was kept as it is.
    public static var unencodable: Self { Self() }

    /// The storage can't be read or written.
    public static var unavailable: Self { Self() }
}
