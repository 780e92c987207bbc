//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads an object that the tree above a service gives by ``Service/environmentObject(_:)``; within a service its name is
/// `EnvironmentObject`.
///
/// Without the object, there is no cluster. For the rest see ``ServiceEnvironment``.
@propertyWrapper
public struct ServiceEnvironmentObject<Object: AnyObject & Sendable>: Sendable {
    private let reader = EnvironmentReader(name: TypeNames.short(Object.self))

    /// Reads the object of the property's type.
    public init() {}

    /// The object of this type that is nearest above.
    public var wrappedValue: Object { reader.value { $0.object(of: Object.self) } }
}

extension ServiceEnvironmentObject: EnvironmentReading {
    func makeBinding(in values: ServiceEnvironmentValues) -> EnvironmentBinding {
        EnvironmentBinding(reader: reader, values: values, isMissing: values.object(of: Object.self) == nil)
    }
}
