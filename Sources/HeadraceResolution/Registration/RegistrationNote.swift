//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a module that registers wants to have checked with the graph: each command has one handler, say.
///
/// ```swift
/// struct Handled: RegistrationNote {
///     let message: String
///
///     static func problems(in notes: [Handled]) -> [CompositionProblem] {
///         Dictionary(grouping: notes, by: \.message).filter { $1.count > 1 }.keys.sorted().map {
///             CompositionProblem(CompositionProblem.Kind("doubled"), path: [], message: "\($0) is handled twice")
///         }
///     }
/// }
/// ```
package protocol RegistrationNote: Sendable {
    /// What is wrong with `notes`: all of this type in one container, in the order of registration.
    ///
    /// A note of a registration that another has replaced is not among them.
    static func problems(in notes: [Self]) -> [CompositionProblem]

    /// What nothing proves about `notes`, for ``ValidationLevel/strict``; nothing unless implemented.
    ///
    /// `all` are the notes of every type.
    static func unproved(in notes: [Self], among all: [any RegistrationNote]) -> [CompositionProblem]
}

extension RegistrationNote {
    package static func unproved(in notes: [Self], among all: [any RegistrationNote]) -> [CompositionProblem] { [] }

    static func unproved(among notes: [any RegistrationNote]) -> [CompositionProblem] {
        unproved(in: notes.compactMap { $0 as? Self }, among: notes)
    }

    /// The problems of the notes among `notes` that are of this type.
    static func problems(among notes: [any RegistrationNote]) -> [CompositionProblem] {
        problems(in: notes.compactMap { $0 as? Self })
    }
}
