// SPDX-License-Identifier: Apache-2.0

#if Simulations
/// One step of a simulation.
struct TraceStep: Hashable, Sendable {
    let owner: JobOwner
    let choice: Int
    let readyCount: Int
    let time: Duration
    let isTimer: Bool

    var word: UInt64 {
        let (seconds, attoseconds) = time.components
        let nanoseconds = UInt64(bitPattern: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
        var mixer = WordMixer()
        mixer.mix(nanoseconds)
        mixer.mix(UInt64(owner.number) << 32 | UInt64(choice) << 16 | UInt64(readyCount) << 1 | (isTimer ? 1 : 0))
        return mixer.value
    }
}

/// The steps of a run, by which two runs are compared.
struct SimulationTrace: Hashable, Sendable {
    /// The hash of each step, and of what has happened in it.
    private(set) var words: [UInt64] = []

    mutating func append(_ step: TraceStep) {
        words.append(step.word)
    }

    mutating func note(_ value: UInt64) {
        guard let last = words.popLast() else { return words.append(value) }
        var mixer = WordMixer(value: last)
        mixer.mix(value)
        words.append(mixer.value)
    }

    /// The hash of all steps.
    var hash: UInt64 {
        var mixer = WordMixer()
        for word in words { mixer.mix(word) }
        return mixer.value
    }

    /// The first step in which the traces differ; `nil` if they are equal.
    func firstDifference(from other: SimulationTrace) -> Int? {
        if words == other.words { return nil }
        return zip(words, other.words).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(words.count, other.words.count)
    }
}

/// Mixes words into a hash that is the same in each process: FNV-1a, on words.
///
/// Source: Fowler, Noll and Vo, The FNV Non-Cryptographic Hash Algorithm, <https://datatracker.ietf.org/doc/html/rfc9923>.
struct WordMixer: Hashable, Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(UInt64(byte)) }
    }
}
#endif
