// SPDX-License-Identifier: Apache-2.0

/// Draws an application or a view, and simulates the actions of a user.
///
/// SwiftUI has no such type.
@MainActor
package final class Screen {
    /// No view with this name is on the screen.
    package struct Absent: Error {
        package let label: String
        package let texts: [String]
    }

    var states: [String: Any] = [:]

    private let drawing: @MainActor (Canvas) -> Void
    private var tasks: [String: Task<Void, Never>] = [:]
    private let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private var canvas: Canvas?

    package init(_ app: some App) {
        drawing = { $0.draw(app.body) }
        draw()
    }

    package init(_ view: @autoclosure @escaping @MainActor () -> some View) {
        drawing = { $0.draw(view()) }
        draw()
    }

    /// The drawn texts, except the labels of buttons and fields.
    package var texts: [String] { canvas?.texts ?? [] }

    /// The labels of the buttons.
    package var buttons: [String] { canvas?.buttons.map(\.label) ?? [] }

    /// Returns the text in a field.
    package func text(of label: String) throws -> String {
        try field(label).wrappedValue
    }

    package func press(_ label: String) throws {
        guard let button = canvas?.buttons.first(where: { $0.label == label }) else {
            throw Absent(label: label, texts: texts)
        }
        button.action()
    }

    package func enter(_ text: String, into label: String) throws {
        try field(label).wrappedValue = text
    }

    /// Waits for a change of a state or of the store, unless one occurred since the last wait, and then draws.
    package func drawAfterChange() async {
        for await _ in changes { break }
        draw()
    }

    package func draw() {
        let canvas = Canvas(for: self)
        drawing(canvas)
        self.canvas = canvas
        let places = Set(canvas.tasks.map(\.place))
        for (place, task) in tasks where !places.contains(place) {
            task.cancel()
            tasks[place] = nil
        }
        for (place, priority, action) in canvas.tasks where tasks[place] == nil {
            tasks[place] = Task(priority: priority) { await action() }
        }
    }

    package func invalidate() {
        continuation.yield()
    }

    private func field(_ label: String) throws -> Binding<String> {
        guard let field = canvas?.fields.first(where: { $0.label == label }) else {
            throw Absent(label: label, texts: texts)
        }
        return field.text
    }
}
