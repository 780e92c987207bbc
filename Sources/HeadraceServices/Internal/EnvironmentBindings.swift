//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// A property of a service that reads its environment.
protocol EnvironmentReading: Sendable {
    func makeBinding(in values: ServiceEnvironmentValues) -> EnvironmentBinding
}

/// Tells a property from all others: its copies have the same one, and those of another value of the service do not.
final class EnvironmentReader: Sendable {
    let name: String

    init(name: String) {
        self.name = name
    }

    /// What `read` gives where the service stands that is being described, or whose handler is running.
    func value<Value>(_ read: (ServiceEnvironmentValues) -> Value?) -> Value {
        let scope = EnvironmentScope.current
        var values =
            scope?.bindings.values(for: self)
            ?? ServiceEnvironmentValues(send: Send(to: SendTarget(.nowhere), from: SendFrame()))
        if let frame = scope?.frame { values.send = values.send.within(frame) }
        guard let value = read(values) else {
            preconditionFailure(
                """
                A '\(name)' was read outside of its service, where there is none. \
                To fix, read it in 'body' or in a handler that stands there.
                """
            )
        }
        return value
    }
}

/// What a property reads at one place in the tree.
struct EnvironmentBinding: Sendable {
    let reader: EnvironmentReader
    let values: ServiceEnvironmentValues
    let isMissing: Bool
}

/// What the properties of a service read where it stands, and those of the services around it.
///
/// A handler may read the properties of several: a block that a service hands to another reads those of the first.
final class EnvironmentBindings: Sendable {
    private let bindings: [EnvironmentBinding]
    private let outer: EnvironmentBindings?

    /// Whether the tree states all that the properties of the service read.
    var isComplete: Bool { !bindings.contains(where: \.isMissing) }

    init(_ bindings: [EnvironmentBinding], within outer: EnvironmentBindings?) {
        self.bindings = bindings
        self.outer = outer
    }

    func values(for reader: EnvironmentReader) -> ServiceEnvironmentValues? {
        var next: EnvironmentBindings? = self
        while let current = next {
            if let binding = current.bindings.first(where: { $0.reader === reader }) { return binding.values }
            next = current.outer
        }
        return nil
    }
}

/// What the properties of services read in this task.
struct EnvironmentScope: Sendable {
    @TaskLocal static var current: EnvironmentScope?

    let bindings: EnvironmentBindings

    /// From where the handler that is running sends.
    let frame: SendFrame?
}
