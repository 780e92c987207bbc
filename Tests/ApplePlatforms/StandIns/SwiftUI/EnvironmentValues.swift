// SPDX-License-Identifier: Apache-2.0

/// Source: developer.apple.com/documentation/swiftui/environmentkey.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// Source: developer.apple.com/documentation/swiftui/environmentvalues.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public init() {}

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

/// Source: developer.apple.com/documentation/swiftui/entry().
@attached(accessor)
@attached(peer, names: prefixed(__Key_))
public macro Entry() = #externalMacro(module: "StandInMacros", type: "EntryMacro")

/// Source: developer.apple.com/documentation/swiftui/environment.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private final class Reading {
        var value: Value?
    }

    private let keyPath: KeyPath<EnvironmentValues, Value>
    private let reading = Reading()

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        self.keyPath = keyPath
    }

    public var wrappedValue: Value { reading.value ?? EnvironmentValues()[keyPath: keyPath] }
}

extension Environment: InstalledProperty {
    package func install(at place: String, on canvas: Canvas) {
        reading.value = canvas.environment[keyPath: keyPath]
    }
}

extension View {
    /// Source: developer.apple.com/documentation/swiftui/view/environment(_:_:).
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>,
        _ value: V
    ) -> some View {
        EnvironmentWriting(content: self, keyPath: keyPath, value: value)
    }
}

struct EnvironmentWriting<Content, Value> {
    let content: Content
    let keyPath: WritableKeyPath<EnvironmentValues, Value>
    let value: Value
}

extension EnvironmentWriting: View where Content: View {
    typealias Body = Never
}

extension EnvironmentWriting: DrawnView where Content: View {
    func draw(on canvas: Canvas) {
        canvas.with(keyPath, value) { canvas.draw(content) }
    }
}

extension EnvironmentWriting: Scene where Content: Scene {
    typealias Body = Never
}

extension EnvironmentWriting: DrawnScene where Content: Scene {
    func draw(on canvas: Canvas) {
        canvas.with(keyPath, value) { canvas.draw(content) }
    }
}
