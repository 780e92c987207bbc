// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error raised by a cluster itself, never by a service.
///
/// Branch on ``code-swift.property``, log ``message``. New codes may appear in minor releases.
public struct ServiceError: CodedError {
    /// The kind of error; stable, so callers can branch on it.
    public typealias Code = ErrorCode<ServiceError>

    /// The kind of error.
    public let code: Code

    /// The cause and the fix, in one sentence each.
    public let message: String

    static func modelInUse(_ model: Any.Type) -> ServiceError {
        ServiceError(
            code: .modelInUse,
            message: """
                A mutation of '\(String(naming: model))' sent an action that changes the same model, and would wait for itself. \
                To fix, change the model in the first handler, send the action from '.post', or make the model an actor.
                """
        )
    }

    static func released(_ action: Any.Type) -> ServiceError {
        ServiceError(
            code: .released,
            message: """
                '\(String(naming: action))' was sent to a cluster that was released. \
                To fix, keep a reference to the cluster as long as its services are used.
                """
        )
    }

    static func tooDeep(_ action: Any.Type, limit: Int) -> ServiceError {
        ServiceError(
            code: .tooDeep,
            message: """
                '\(String(naming: action))' was sent within \(limit) nested sends. \
                To fix, look for handlers that send actions to each other, or raise 'depthLimit'.
                """
        )
    }
}

extension ErrorCode<ServiceError> {
    /// A mutation of a value model sent an action that changes the same model.
    public static var modelInUse: Self { Self() }

    /// The cluster no longer exists.
    public static var released: Self { Self() }

    /// Sends were nested more deeply than ``HeadraceServices/Bootstrap/Configuration/depthLimit`` allows.
    public static var tooDeep: Self { Self() }
}

/// The errors of several services that handled one action.
///
/// If only one service fails, the sender receives its error unchanged.
public struct ServiceFailures: CodedError {
    /// The errors, at least two, in the order of the services in the tree.
    public let errors: [any Error]

    /// The only code: `serviceFailures`.
    public var code: String { "serviceFailures" }

    /// Number of errors, then each error on a separate line.
    public var message: String {
        (["\(errors.count) services failed."] + errors.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ errors: [any Error]) {
        self.errors = errors
    }
}

/// Errors on their way from the services to the sender, in the order written.
///
/// `reported(_:)` turns it into the error that the sender receives. It differs from ``ServiceFailures``, because a handler may
/// throw a ``ServiceFailures`` that it received from another send: that counts as one error.
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

    init(_ errors: [any Error]) {
        items = errors.flatMap { Self.items(of: $0) }
    }

    static func items(of error: any Error) -> [Item] {
        (error as? CollectedFailures)?.items ?? [Item(error: error)]
    }

    /// Returns the error that the sender receives for `error`.
    static func reported(_ error: any Error) -> any Error {
        guard let failures = error as? CollectedFailures else { return error }
        let errors = failures.items.map(\.error)
        if errors.count == 1 { return errors[0] }
        return errors.allSatisfy { $0 is CancellationError } ? CancellationError() : ServiceFailures(errors)
    }
}
