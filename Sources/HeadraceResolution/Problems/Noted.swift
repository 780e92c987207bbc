// SPDX-License-Identifier: Apache-2.0

/// The registrations of a container, or a resolver of it.
protocol Noted: Sendable {
    /// The notes of the registrations that are used, in the order of registration.
    var notes: [any RegistrationNote] { get }
}

extension DependencyResolver {
    /// The facts that modules recorded with the registrations of the container; empty if this isn't a container or a scope of one.
    package var registrationNotes: [any RegistrationNote] { (self as? any Noted)?.notes ?? [] }
}
