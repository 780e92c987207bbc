// SPDX-License-Identifier: Apache-2.0

/// Source: developer.apple.com/documentation/swiftui/app; without `main()`, because tests draw the application.
@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

/// Source: developer.apple.com/documentation/swiftui/scene.
@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

extension Scene where Body == Never {
    /// Never called, because the scene draws itself.
    public var body: Never { preconditionFailure("'\(Self.self)' draws itself.") }
}

/// Source: developer.apple.com/documentation/swiftui/scenebuilder; for one scene.
@resultBuilder
public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

extension Scene {
    /// Source: developer.apple.com/documentation/swiftui/scene/environment(_:_:).
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>,
        _ value: V
    ) -> some Scene {
        EnvironmentWriting(content: self, keyPath: keyPath, value: value)
    }
}

/// Source: developer.apple.com/documentation/swiftui/windowgroup/init(makecontent:).
public struct WindowGroup<Content: View> {
    let makeContent: () -> Content

    nonisolated public init(@ViewBuilder makeContent: @escaping () -> Content) {
        self.makeContent = makeContent
    }
}

extension WindowGroup: Scene {
    public typealias Body = Never
}

extension WindowGroup: DrawnScene {
    package func draw(on canvas: Canvas) {
        canvas.draw(makeContent())
    }
}
