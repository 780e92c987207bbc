// SPDX-License-Identifier: Apache-2.0

/// A collection of the standard library that is encoded without a container.
protocol EncodableCollection {
    /// Encodes the collection as the value of the frame of `state`.
    func encode(to state: EncodingState) throws
}

extension Array: EncodableCollection where Element: Encodable {
    func encode(to state: EncodingState) throws {
        try state.open(.array)
        for element in self {
            state.beginElement()
            try state.encode(element)
        }
    }
}

extension Set: EncodableCollection where Element: Encodable {
    func encode(to state: EncodingState) throws {
        switch self {
        case let texts as Set<String>:
            try texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.encode(to: state)
        case let numbers as Set<Int>:
            try numbers.sorted().encode(to: state)
        default:
            try state.open(.array)
            var starts: [Int] = []
            for element in self {
                state.beginElement()
                starts.append(state.buffer.count)
                try state.encode(element)
            }
            try state.sortElements(at: starts)
        }
    }
}

extension Dictionary: EncodableCollection where Key: Encodable, Value: Encodable {
    func encode(to state: EncodingState) throws {
        if Key.self == String.self {
            try state.open(.object)
            state.frame.hasUniqueKeys = true
            for (key, value) in self {
                state.beginMember(identityCast(key, to: String.self))
                try state.encode(value)
            }
        } else if Key.self is Int.Type || Key.self is any CodingKeyRepresentable.Type {
            // The standard library makes an object of such a dictionary.
            try encode(to: JSONValueEncoder(state: state, serial: state.frame.serial))
        } else {
            try state.open(.array)
            var starts: [Int] = []
            for (key, value) in self {
                state.beginElement()
                starts.append(state.buffer.count)
                try state.encode(key)
                state.beginElement()
                try state.encode(value)
            }
            try state.sortElements(at: starts)
        }
    }
}
