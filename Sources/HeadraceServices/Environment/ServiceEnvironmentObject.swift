// SPDX-License-Identifier: Apache-2.0

/// Reads an object that the tree above a service provides with ``Service/environmentObject(_:)``.
///
/// Within a service, write `@EnvironmentObject`. If the object is missing, ``Bootstrap`` throws. Otherwise the property behaves
/// like ``ServiceEnvironment``.
@propertyWrapper
public struct ServiceEnvironmentObject<Object: AnyObject & Sendable>: Sendable {
    private let reader = EnvironmentReader(name: String(shortNaming: Object.self))

    /// Creates a property that reads the object of its type.
    public init() {}

    /// The nearest object of this type above the service.
    public var wrappedValue: Object { reader.value { $0.object(of: Object.self) } }
}

extension ServiceEnvironmentObject: EnvironmentReading {
    func makeBinding(in values: ServiceEnvironmentValues) -> EnvironmentBinding {
        EnvironmentBinding(reader: reader, values: values, isMissing: values.object(of: Object.self) == nil)
    }
}
