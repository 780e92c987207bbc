// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// The output of an example, in order, from any thread.
final class Notes: Sendable {
    @TaskLocal static var current: Notes?

    private let noted = Mutex<[String]>([])

    var all: [String] { noted.withLock(\.self) }

    func note(_ text: String) {
        noted.withLock { $0.append(text) }
    }
}

/// Replaces `print` of the standard library in examples, so that a test reads the output.
func print(_ item: Any) {
    Notes.current?.note("\(item)")
}

/// Replaces `print` with three items.
func print(_ first: Any, _ second: Any, _ third: Any) {
    Notes.current?.note("\(first) \(second) \(third)")
}

/// Returns the lines that `example` prints.
func printed(by example: nonisolated(nonsending) () async throws -> Void) async throws -> [String] {
    let notes = Notes()
    try await Notes.$current.binding(notes, example)
    return notes.all
}
