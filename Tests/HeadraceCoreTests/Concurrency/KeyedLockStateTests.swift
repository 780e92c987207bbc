// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

@Suite struct KeyedLockStateTests {
    /// The holder of each held key, which is the first element, and its waiters in order of arrival.
    private typealias Model = [String: [WaiterID]]

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryHasTheSameHoldersAsOneArrayForEachKey(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var state = KeyedLockState<String, WaiterID>()
        var model: Model = [:]

        for _ in 0..<2_000 {
            let key = ["a", "b", "c"][Int.random(in: 0..<3, using: &generator)]
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                let isFree = model[key] == nil
                #expect(state.tryAcquire(key) == isFree)
                if isFree { model[key] = [0] }
            case 1..<5:
                let id = state.makeWaiterID()
                let isFree = model[key] == nil
                #expect(state.acquire(key, orEnqueue: id, id: id) == isFree)
                model[key, default: []].append(id)
            case 5..<7:
                let id = try #require((0...state.makeWaiterID()).randomElement(using: &generator))
                let index = model[key]?.dropFirst().firstIndex(of: id)
                #expect(state.removeWaiter(id, of: key) == index.map { _ in id })
                if let index { model[key]?.remove(at: index) }
            default:
                guard model[key] != nil else { continue }
                model[key]?.removeFirst()
                #expect(state.release(key) == model[key]?.first)
                if model[key]?.isEmpty == true { model[key] = nil }
            }
            #expect(state.heldCount == model.count)
        }
    }
}
