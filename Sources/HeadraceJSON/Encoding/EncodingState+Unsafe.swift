// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A document, or a part of one, that is being encoded.
///
/// Values are appended to a buffer as they come. Each value that encodes itself has a frame. At the end of a frame the
/// members of its object are sorted within the buffer, if they didn't come in order. A container that was made by
/// `nestedContainer` or `superEncoder` can be written to at any time until its parent ends, so it has a separate
/// state and buffer.
///
/// Why accesses to the properties needn't be checked for exclusivity: one task at a time uses a state, and no access to a
/// property lasts while code of others runs. Arrays are changed element by element, and `types` is asked with a closure that
/// only casts a type.
final class EncodingState {
    /// Number of levels to which arrays and objects may be nested, as in `JSONEncoder`.
    static let depthLimit = 511

    /// The form in which a value was encoded.
    enum Form {
        case nothing, single, object, array
    }

    /// A value that encodes itself.
    struct Frame {
        /// The number by which encoders and containers are recognized that belong to the value; 0 for none.
        var serial = 0

        var form = Form.nothing

        /// Number of bytes before the value.
        var start = 0

        /// Index of the first member of the object among all members.
        var firstMember = 0

        /// Index of the first child among all children.
        var firstChild = 0

        /// Number of members or elements.
        var count = 0

        /// Whether each key is greater than the key before it.
        var isSorted = true

        /// Properties of all keys.
        var traits: TextTraits = []

        /// Whether no two keys are equal texts.
        var hasUniqueKeys = false

        /// Whether an array or an object of the value is beyond the limit of depth.
        var isTooDeep = false
    }

    /// A member of an object: its key is between `start` and `keyEnd`, with quotation marks.
    struct Member {
        let start: Int
        let keyEnd: Int

        /// The key without quotation marks.
        var key: Range<Int> { start + 1..<keyEnd - 1 }
    }

    /// A container with a separate buffer.
    ///
    /// Its bytes are inserted at `offset`.
    struct Child {
        let offset: Int
        var state: EncodingState
    }

    /// A part of the buffer that is moved as a whole.
    struct Piece {
        var range: Range<Int>
        var key: Range<Int>

        /// The first bytes of the key.
        var prefix: UInt64
    }

    let buffer = JSONBuffer()

    /// The value that encodes itself now.
    @safe @exclusivity(unchecked)
    var frame = Frame()

    /// The values around it.
    @safe @exclusivity(unchecked)
    var frames: [Frame] = []

    /// The members of all objects that aren't finished.
    @safe @exclusivity(unchecked)
    var members: [Member] = []

    /// The children of all values that aren't finished.
    @safe @exclusivity(unchecked)
    var children: [Child] = []

    /// Number of arrays and objects that aren't finished.
    @safe @exclusivity(unchecked)
    var depth = 0

    /// The coding path of the first value.
    @safe @exclusivity(unchecked)
    var path: [any CodingKey] = []

    /// The serial number of the newest frame.
    ///
    /// It never decreases, so each encoder and each container is recognized.
    @safe @exclusivity(unchecked)
    var serial = 0

    /// How the types of values are encoded.
    @safe @exclusivity(unchecked)
    var types = TraitsTable<any EncodableCollection.Type>()

    /// Holds the bytes of an array or an object while they are arranged.
    let scratch = JSONBuffer()

    /// The pieces that are being arranged; kept for their memory.
    @safe @exclusivity(unchecked)
    var pieces: [Piece] = []

    /// Number of bytes that are allocated.
    var allocated: Int {
        buffer.allocated + members.capacity * MemoryLayout<Member>.stride + frames.capacity * MemoryLayout<Frame>.stride
    }

    /// Forgets all values.
    func reset() {
        buffer.truncate(to: 0)
        frame = Frame()
        if !frames.isEmpty { frames.removeAll(keepingCapacity: true) }
        if !members.isEmpty { members.removeAll(keepingCapacity: true) }
        if !children.isEmpty { children.removeAll() }
        if !path.isEmpty { path = [] }
        depth = 0
    }
}

/// Keeps the states of encoders between documents, so that their memory is allocated once.
///
/// Why `@unchecked Sendable` is right for a state: the pool owns it while nothing is encoded. ``take()`` removes it from
/// the pool under the lock, and ``giveBack(_:)`` puts it back only if the caller has the last reference. An encoder that
/// was kept by a value holds a reference, and such a state never returns to the pool. So at each time one task uses a
/// state.
enum EncodingPool {
    /// Number of states that are kept.
    private static let limit = 16

    /// Number of bytes above which a state isn't kept.
    private static let sizeLimit = 1 << 20

    private static let states = Mutex<[EncodingState]>([])

    /// Performs `body` with a state that nothing else uses.
    @inline(__always)
    static func withState<Result>(_ body: (EncodingState) throws -> Result) throws -> Result {
        var state = take()
        defer { giveBack(&state) }
        return try body(state)
    }

    /// Returns a state that nothing else uses.
    static func take() -> EncodingState {
        states.withLock { $0.popLast() } ?? EncodingState()
    }

    /// Keeps `state` for another document, unless it is used elsewhere.
    static func giveBack(_ state: inout EncodingState) {
        guard isKnownUniquelyReferenced(&state), state.allocated <= sizeLimit else { return }
        state.reset()
        states.withLock { [state] states in
            if states.count < limit { states.append(state) }
        }
    }
}

extension EncodingState: @unchecked Sendable {}
