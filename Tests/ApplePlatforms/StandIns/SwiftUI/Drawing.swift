// SPDX-License-Identifier: Apache-2.0

/// A view without a body.
@MainActor
package protocol DrawnView: View where Body == Never {
    func draw(on canvas: Canvas)
}

/// A scene without a body.
@MainActor
package protocol DrawnScene: Scene where Body == Never {
    func draw(on canvas: Canvas)
}

extension EmptyView: DrawnView {
    package func draw(on canvas: Canvas) {}
}

extension TupleView: DrawnView {
    package func draw(on canvas: Canvas) {
        for child in Mirror(reflecting: value).children {
            if let view = child.value as? any View { canvas.draw(view) }
        }
    }
}

extension _ConditionalContent: DrawnView where TrueContent: View, FalseContent: View {
    package func draw(on canvas: Canvas) {
        switch storage {
        case .first(let view): canvas.draw(view)
        case .second(let view): canvas.draw(view)
        }
    }
}

extension Optional: DrawnView where Wrapped: View {
    package func draw(on canvas: Canvas) {
        if let view = self { canvas.draw(view) }
    }
}

extension Text: DrawnView {
    package func draw(on canvas: Canvas) {
        canvas.texts.append(content)
    }
}

extension Button: DrawnView {
    package func draw(on canvas: Canvas) {
        let label = canvas.texts(of: label)
        canvas.buttons.append((label, action))
    }
}

extension TextField: DrawnView {
    package func draw(on canvas: Canvas) {
        canvas.fields.append((canvas.texts(of: label), text))
    }
}

extension List: DrawnView {
    package func draw(on canvas: Canvas) {
        canvas.draw(content)
    }
}

extension ForEach: DrawnView where Content: View {
    package func draw(on canvas: Canvas) {
        for element in data { canvas.draw(content(element)) }
    }
}

extension NavigationStack: DrawnView {
    package func draw(on canvas: Canvas) {
        canvas.draw(root)
    }
}

extension ProgressView: DrawnView {
    package func draw(on canvas: Canvas) {
        canvas.texts.append("…")
    }
}
