// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import Testing

@Suite struct UUIDVersion7Tests {
    private func bytes(_ uuid: UUID) -> [UInt8] {
        let uuid = uuid.uuid
        return [
            uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7,
            uuid.8, uuid.9, uuid.10, uuid.11, uuid.12, uuid.13, uuid.14, uuid.15,
        ]
    }

    private func precedes(_ one: UUID, _ other: UUID) -> Bool {
        bytes(one).lexicographicallyPrecedes(bytes(other))
    }

    @Test func versionAndVariantFollowRFC9562() {
        for _ in 0..<1_000 {
            let bytes = bytes(.version7())
            #expect(bytes[6] >> 4 == 7)
            #expect(bytes[8] >> 6 == 0b10)
        }
    }

    @Test func theFirst48BitsAreMillisecondsSince1970() {
        let before = UInt64(Date().timeIntervalSince1970 * 1000)
        let uuid = Version7Sequence().next(now: before)

        let milliseconds = bytes(uuid).prefix(6).reduce(0) { $0 << 8 | UInt64($1) }

        #expect(milliseconds == before)
    }

    @Test func eachUUIDIsGreaterThanThePreviousAsBytesAndAsText() {
        let uuids = (0..<100_000).map { _ in UUID.version7() }

        #expect(zip(uuids, uuids.dropFirst()).allSatisfy { precedes($0, $1) })
        #expect(zip(uuids, uuids.dropFirst()).allSatisfy { $0.uuidString < $1.uuidString })
    }

    @Test func uuidsAscendEvenIfTheClockStopsOrIsSetBack() {
        let sequence = Version7Sequence()
        let now: UInt64 = 1_700_000_000_000

        let times = Array(repeating: now, count: 10_000) + [now - 1, now - 86_400_000, 0, now + 1, now, now + 10_000]
        let uuids = times.map { sequence.next(now: $0) }

        #expect(zip(uuids, uuids.dropFirst()).allSatisfy { precedes($0, $1) })
        #expect(bytes(uuids[uuids.count - 1]).prefix(6).reduce(0) { $0 << 8 | UInt64($1) } == now + 10_000)
    }

    @Test(.timeLimit(.minutes(2))) func uuidsAreUniqueAndAscendWithinEachOfSeveralTasks() async {
        let sequence = Version7Sequence()

        let all = await withTaskGroup(of: [UUID].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<5_000).map { sequence.next(now: UInt64($0 / 100)) } }
            }
            return await group.reduce(into: [[UUID]]()) { $0.append($1) }
        }

        for uuids in all {
            #expect(zip(uuids, uuids.dropFirst()).allSatisfy { precedes($0, $1) })
        }
        #expect(Set(all.joined()).count == 40_000)
    }

    @Test func theBitsAfterTheTimestampAreRandom() {
        let one = Version7Sequence().next(now: 1)
        let other = Version7Sequence().next(now: 1)

        #expect(bytes(one).prefix(8) == bytes(other).prefix(8))
        #expect(bytes(one) != bytes(other))
    }
}
