// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A property of a service that reads its environment.
protocol EnvironmentReading: Sendable {
    func makeBinding(in values: ServiceEnvironmentValues) -> EnvironmentBinding
}

/// The identity of a property that reads the environment.
///
/// Copies of a service share it. Two values of the service that were created separately don't.
final class EnvironmentReader: Sendable {
    let name: String

    init(name: String) {
        self.name = name
    }

    /// Reads a value at the position of the service whose body is being read or whose handler is running.
    func value<Value>(_ read: (ServiceEnvironmentValues) -> Value?) -> Value {
        let environment = CurrentEnvironment.current
        var values =
            environment?.bindings.values(for: self)
            ?? ServiceEnvironmentValues(send: Send(to: SendTarget(.nowhere), from: SendFrame()))
        if let frame = environment?.frame { values.send = values.send.within(frame) }
        guard let value = read(values) else {
            preconditionFailure(
                """
                The environment has no '\(name)', because it was read outside the body and the handlers of its service. \
                To fix, read it in 'body' or in a handler written there.
                """
            )
        }
        return value
    }
}

/// The values that a property reads at one position in the tree.
struct EnvironmentBinding: Sendable {
    let reader: EnvironmentReader
    let values: ServiceEnvironmentValues
    let isMissing: Bool
}

/// The values that the properties of a service and of the services around it read.
///
/// A handler may read the properties of several services: a service can pass a block that it wrote to another service.
final class EnvironmentBindings: Sendable {
    private let bindings: [EnvironmentBinding]
    private let outer: EnvironmentBindings?

    /// Whether the tree sets every value that the properties of the service require.
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

/// The environment of the current task.
struct CurrentEnvironment: Sendable {
    @TaskLocal static var current: CurrentEnvironment?

    let bindings: EnvironmentBindings

    /// The frame of the running handler, or `nil` during bootstrap.
    let frame: SendFrame?
}
