// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceCommands
import HeadraceResolution

/// Members of all types that a parameter of a request can have.
struct Members: Codable, Equatable, Sendable {
    var name: String
    var texts: [String]
    var small: Int8
    var large: Int64
    var largest: UInt64
    var number: Double
    var single: Float
    var amount: Decimal
    var isTrue: Bool
    var id: UUID
    var date: Date
    var data: Data
    var missing: Int?

    /// Creates members with random values.
    init(using generator: inout some RandomNumberGenerator) {
        func text(_ generator: inout some RandomNumberGenerator) -> String {
            let characters = Array("aZ09-._~ /?#[]@!$&'()*+,;=%\"\\<>\n\r\t\0\u{2028}é🚲\u{301}{}.")
            return String(
                (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
                    characters[Int.random(in: 0..<characters.count, using: &generator)]
                })
        }
        // A part of the path can neither be empty nor consist of dots.
        name = "n" + text(&generator)
        texts = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in text(&generator) }
        small = .random(in: .min ... .max, using: &generator)
        large = .random(in: .min ... .max, using: &generator)
        largest = .random(in: .min ... .max, using: &generator)
        let bits = Double(bitPattern: generator.next())
        number = bits.isFinite ? bits : Double(small)
        let singleBits = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
        single = singleBits.isFinite ? singleBits : Float(small)
        amount = Decimal(large) / 1_000
        isTrue = .random(using: &generator)
        id = UUID()
        // Of the years 1653 to 9999.
        let milliseconds = Int.random(in: -10_000_000_000_000...253_402_300_799_999, using: &generator)
        date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        data = Data((0..<Int(small.magnitude % 5)).map { UInt8($0) })
        missing = isTrue ? nil : Int(small)
    }
}

/// A query that returns itself.
struct EchoQuery: CQDQuery, Codable {
    typealias Value = Members
    var members: Members

    init(members: Members) { self.members = members }
    init(from decoder: any Decoder) throws { members = try Members(from: decoder) }
    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

final class EchoQueryHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: EchoQuery) async throws -> Members { query.members }
}

/// A command that returns itself.
struct EchoCommand: CQDCommand, Codable {
    typealias Output = Members
    var members: Members

    init(members: Members) { self.members = members }
    init(from decoder: any Decoder) throws { members = try Members(from: decoder) }
    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

final class EchoCommandHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: EchoCommand) async throws -> Members { command.members }
}
#endif
