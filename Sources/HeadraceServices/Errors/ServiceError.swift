//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// An error raised by a cluster itself, never by a service.
///
/// Branch on ``code-swift.property``, log ``description``. New codes may appear in minor releases.
public struct ServiceError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case modelInUse, released, tooDeep }

        private let kind: Kind

        /// A mutation of a model that is a value has sent an action that is to change the same model.
        public static let modelInUse = Code(kind: .modelInUse)

        /// There is no cluster any more.
        public static let released = Code(kind: .released)

        /// Too many actions were sent within each other.
        public static let tooDeep = Code(kind: .tooDeep)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// What went wrong.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static func modelInUse(_ model: Any.Type) -> ServiceError {
        ServiceError(
            code: .modelInUse,
            message: """
                A mutation of '\(TypeNames.full(model))' has sent an action that changes the same model, and would wait for \
                itself. To fix, make the change where the model is at hand, send the action from '.post', or make the model an \
                actor.
                """
        )
    }

    static func released(_ action: Any.Type) -> ServiceError {
        ServiceError(
            code: .released,
            message: """
                '\(TypeNames.full(action))' was sent to a cluster that was released. \
                To fix, keep the cluster as long as its services are to work.
                """
        )
    }

    static func tooDeep(_ action: Any.Type, limit: Int) -> ServiceError {
        ServiceError(
            code: .tooDeep,
            message: """
                '\(TypeNames.full(action))' was sent within \(limit) others, each by a handler of the one before. \
                To fix, look for handlers that answer each other, or allow more by 'depthLimit'.
                """
        )
    }
}

extension ServiceError: CodedError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }
}
