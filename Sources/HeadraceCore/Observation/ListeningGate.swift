//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Asks observers before each message whether one of them listens.
///
/// A loop over an array would copy each observer and count its references, which costs more than the question. The
/// observers of a gate stay where they are.
@usableFromInline
final class ListeningGate: Sendable {
    private let observer: any MessageObserver
    private let next: ListeningGate?

    /// Creates a gate; `nil` if there are no observers.
    init?(_ observers: ArraySlice<any MessageObserver>) {
        guard let first = observers.first else { return nil }
        observer = first
        next = ListeningGate(observers.dropFirst())
    }

    /// Whether at least one observer is listening.
    @usableFromInline
    var isOpen: Bool {
        if observer.isListening { return true }
        return next?.isOpen ?? false
    }
}
