// SPDX-License-Identifier: Apache-2.0

/// A property that takes its value from the environment in which its view is drawn.
@MainActor
package protocol InstalledProperty {
    func install(at place: String, on canvas: Canvas)
}

/// The result of drawing an application once.
@MainActor
package final class Canvas {
    package var environment = EnvironmentValues()
    package var texts: [String] = []
    var buttons: [(label: String, action: @MainActor () -> Void)] = []
    var fields: [(label: String, text: Binding<String>)] = []
    private(set) var tasks: [(place: String, priority: TaskPriority, action: @Sendable () async -> Void)] = []

    package let screen: Screen
    private var path: [String] = []
    private var nextIndexes = [0]

    init(for screen: Screen) {
        self.screen = screen
    }

    package func draw<V: View>(_ view: V) {
        within(V.self) {
            install(the: view)
            if let drawn = view as? any DrawnView {
                drawn.draw(on: self)
            } else {
                draw(view.body)
            }
        }
    }

    package func draw<S: Scene>(_ scene: S) {
        within(S.self) {
            install(the: scene)
            if let drawn = scene as? any DrawnScene {
                drawn.draw(on: self)
            } else {
                draw(scene.body)
            }
        }
    }

    func with<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value, _ body: () -> Void) {
        let outer = environment
        environment[keyPath: keyPath] = value
        body()
        environment = outer
    }

    func texts(of view: some View) -> String {
        let canvas = Canvas(for: screen)
        canvas.environment = environment
        canvas.draw(view)
        return canvas.texts.joined(separator: " ")
    }

    func begin(_ action: @escaping @Sendable () async -> Void, priority: TaskPriority) {
        tasks.append((path.joined(separator: "/"), priority, action))
    }

    func storage<Value>(at place: String, or new: StateStorage<Value>) -> StateStorage<Value> {
        if let known = screen.states[place] as? StateStorage<Value> { return known }
        screen.states[place] = new
        new.changed = { [weak screen] in screen?.invalidate() }
        return new
    }

    private func within(_ type: Any.Type, _ body: () -> Void) {
        let index = nextIndexes.removeLast()
        nextIndexes += [index + 1, 0]
        path.append("\(index) \(type)")
        body()
        path.removeLast()
        nextIndexes.removeLast()
    }

    private func install(the owner: Any) {
        for child in Mirror(reflecting: owner).children {
            guard let property = child.value as? any InstalledProperty else { continue }
            property.install(at: (path + [child.label ?? ""]).joined(separator: "/"), on: self)
        }
    }
}
