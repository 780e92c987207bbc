//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a module that registers wants to have checked with the graph: each command has one handler, say.
///
/// ```swift
/// struct HandledMessage: RegistrationNote {
///     let message: Any.Type
///     let handler: Any.Type
///
///     static func problems(in notes: [HandledMessage]) -> [CompositionProblem] { … }
/// }
/// ```
package protocol RegistrationNote: Sendable {
    /// What is wrong with `notes`: all of this type in one container, in the order of registration.
    ///
    /// A note of a registration that another has replaced is not among them.
    static func problems(in notes: [Self]) -> [CompositionProblem]
}

extension RegistrationNote {
    /// The problems of the notes among `notes` that are of this type.
    static func problems(among notes: [any RegistrationNote]) -> [CompositionProblem] {
        problems(in: notes.compactMap { $0 as? Self })
    }
}
