//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
public import HeadraceCore

/// Why an ``InspectorServer`` does not start.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct InspectorServerError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Word: String { case alreadyRunning, cannotListen }

        private let word: Word

        /// The server runs already.
        public static let alreadyRunning = Code(word: .alreadyRunning)

        /// The port is taken, or may not be used.
        public static let cannotListen = Code(word: .cannotListen)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { word.rawValue }
    }

    /// What is wrong.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// What the system has said, where it has.
    public let cause: (any Error)?

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static let alreadyRunning = InspectorServerError(
        code: .alreadyRunning,
        message: "The inspector's server runs already. To fix, start it once, or stop it before.",
        cause: nil
    )

    static func cannotListen(on port: UInt16, _ cause: any Error) -> InspectorServerError {
        InspectorServerError(
            code: .cannotListen,
            message: """
                The inspector cannot listen on port \(port) of 127.0.0.1: \(cause). To fix, give another port, or 0 for one \
                that is free.
                """,
            cause: cause
        )
    }
}

extension InspectorServerError: CodedError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }
}
#endif
