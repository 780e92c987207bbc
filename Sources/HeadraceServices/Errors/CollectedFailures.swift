// SPDX-License-Identifier: Apache-2.0

/// Errors on their way from the services to the sender, in the order written.
///
/// `reported(_:)` turns it into the error that the sender receives. It differs from ``ServiceFailures``, because a handler may
/// throw a ``ServiceFailures`` that it received from another send: that counts as one error.
@usableFromInline
struct CollectedFailures: Error {
    struct Item: Sendable {
        let error: any Error

        /// Whether a `transformError` has already handled this error, so that outer ones don't.
        var isFinal = false
    }

    let items: [Item]

    init(_ items: [Item]) {
        self.items = items
    }

    @usableFromInline
    init(_ errors: [any Error]) {
        items = errors.flatMap { Self.items(of: $0) }
    }

    static func items(of error: any Error) -> [Item] {
        (error as? CollectedFailures)?.items ?? [Item(error: error)]
    }

    /// Returns the error that the sender receives for `error`.
    @usableFromInline
    static func reported(_ error: any Error) -> any Error {
        guard let failures = error as? CollectedFailures else { return error }
        let errors = failures.items.map(\.error)
        if errors.count == 1 { return errors[0] }
        return errors.allSatisfy { $0 is CancellationError } ? CancellationError() : ServiceFailures(errors)
    }
}
