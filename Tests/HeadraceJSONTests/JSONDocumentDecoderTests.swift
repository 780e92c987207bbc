// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceJSON
import Testing

@Suite struct JSONDocumentDecoderTests {
    private func decode<Value: Decodable>(_ json: String, as type: Value.Type) throws -> Value {
        try JSONDocumentDecoder.decode(type, from: Array(json.utf8))
    }

    private func reason(of bytes: [UInt8]) -> JSONSyntaxError.Reason? {
        let error = #expect(throws: DecodingError.self) { try JSONDocumentDecoder.decode(WholeValue.self, from: bytes) }
        guard case .dataCorrupted(let context)? = error else { return nil }
        return (context.underlyingError as? JSONSyntaxError)?.reason
    }

    private func isCanonical<Value: Decodable>(_ json: String, as type: Value.Type) throws -> Bool {
        try JSONDocumentDecoder.decodeCheckingForm(type, from: Data(json.utf8)).isCanonical
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd), (" ", .unexpectedEnd), ("[", .unexpectedEnd), ("{\"a\"", .unexpectedEnd),
            ("\"a", .unexpectedEnd), ("\"\\", .unexpectedEnd), ("\"\\u12", .unexpectedEnd), ("nul", .unexpectedEnd),
            ("[1 2]", .unexpectedByte(0x32)), ("[,]", .unexpectedByte(0x2C)), ("{1:2}", .unexpectedByte(0x31)),
            ("{\"a\" 1}", .unexpectedByte(0x31)), ("trap", .unexpectedByte(0x61)), ("'a'", .unexpectedByte(0x27)),
            ("\u{B}1", .unexpectedByte(0x0B)), ("[1,,]", .unexpectedByte(0x2C)), ("+1", .unexpectedByte(0x2B)),
            ("1 x", .trailingBytes), ("{}{}", .trailingBytes), ("1\u{0}", .trailingBytes), ("nullx", .trailingBytes),
            ("01", .malformedNumber), ("-", .malformedNumber), ("1.", .malformedNumber), ("1e", .malformedNumber),
            ("-x", .malformedNumber), ("1.e3", .malformedNumber), ("-00", .malformedNumber),
            (".5", .unexpectedByte(0x2E)),
            ("\"\\x\"", .malformedEscape), ("\"\\u00g0\"", .malformedEscape), ("\"\\ud800\"", .unpairedSurrogate),
            ("\"\\udc00\"", .unpairedSurrogate), ("\"\\ud800\\u0041\"", .unpairedSurrogate),
            ("\"\\ud800x\"", .unpairedSurrogate),
            ("\"a\nb\"", .controlCharacter(10)), ("\"\u{0}\"", .controlCharacter(0)),
        ] as [(String, JSONSyntaxError.Reason)])
    func malformedDocumentsAreRefusedWithTheReason(json: String, expected: JSONSyntaxError.Reason) {
        #expect(reason(of: Array(json.utf8)) == expected)
    }

    /// Overlong forms, surrogates, and numbers beyond the last character among them.
    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xC3, 0x41],
        ] as [[UInt8]])
    func textsThatAreNotUTF8AreRefused(bytes: [UInt8]) {
        #expect(reason(of: [0x22] + bytes + [0x22]) == .malformedUTF8)
        #expect(reason(of: Array("[\"abcdefgh".utf8) + bytes + Array("ijklmnop\",1]".utf8)) == .malformedUTF8)
        #expect(reason(of: Array("{\"a".utf8) + bytes + Array("\":1}".utf8)) == .malformedUTF8)
    }

    @Test func errorsNameThePlace() {
        struct Inner: Decodable { var numbers: [Int] }
        struct Outer: Decodable { var inner: Inner?, table: [String: Inner]? }
        func path(_ json: String) -> String {
            do {
                return "\(try decode(json, as: Outer.self))"
            } catch DecodingError.keyNotFound(let key, let context) {
                return "\(context.codingPath.map(\.stringValue)) without \(key.stringValue)"
            } catch DecodingError.typeMismatch(_, let context) {
                return "\(context.codingPath.map(\.stringValue)): \(context.debugDescription)"
            } catch DecodingError.valueNotFound(_, let context) {
                return "\(context.codingPath.map(\.stringValue)): \(context.debugDescription)"
            } catch DecodingError.dataCorrupted(let context) {
                return "\(context.codingPath.map(\.stringValue)): \(context.debugDescription)"
            } catch {
                return "\(error)"
            }
        }

        #expect(path(#"{"inner":{}}"#) == #"["inner"] without numbers"#)
        #expect(
            path(#"{"inner":{"numbers":[1,"x"]}}"#)
                == #"["inner", "numbers", "Index 1"]: Expected a value for Int, found a string."#
        )
        #expect(
            path(#"{"table":{"a":{"numbers":[1]},"b\n":{"numbers":[null]}}}"#)
                == #"["table", "b\n", "numbers", "Index 0"]: Expected a value for Int, found null."#
        )
        #expect(
            path(#"{"inner":{"numbers":[9223372036854775808]}}"#)
                == #"["inner", "numbers", "Index 0"]: The number 9223372036854775808 doesn't fit in Int."#
        )
    }

    @Test func numbersAreReadToTheirLastBit() throws {
        #expect(try decode("[-9223372036854775808,9223372036854775807]", as: [Int].self) == [.min, .max])
        #expect(try decode("18446744073709551615", as: UInt64.self) == .max)
        #expect(try decode("\(Int128.min)", as: Int128.self) == .min)
        #expect(try decode("\(UInt128.max)", as: UInt128.self) == .max)
        #expect(try decode("9223372036854775807.0", as: Int.self) == .max)
        #expect(try decode("[1.0,1e2,-0,2.5E1]", as: [Int].self) == [1, 100, 0, 25])
        for json in [
            "128", "-129", "1.5", "1e3", "99999999999999999999999999999999999999999", "1e99999999999999999999",
        ] {
            #expect(throws: DecodingError.self) { try decode(json, as: Int8.self) }
        }
        let texts = [
            "0.1", "1e22", "1e23", "123456789012345678", "9007199254740993", "9007199254740993.0",
            "0.1234567890123456789",
            "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "0.0", "785431234.12345695",
            "9999999999999999999",
            "99999999999999999999", "0.9999999999999999999", "18446744073709551615", "1844674407370955161.5",
        ]
        for text in texts { #expect(try decode(text, as: Double.self) == Double(text), "\(text)") }
        for text in texts { #expect(try decode("-" + text, as: Double.self) == Double("-" + text), "\(text)") }
        #expect(try decode("0.1", as: Float.self) == 0.1)
        #expect(
            try decode("0.10000000000000000000000001", as: Decimal.self)
                == Decimal(string: "0.10000000000000000000000001"))
        for json in ["1e309", "-1e309", "1e-400"] {
            #expect(throws: DecodingError.self) { try decode(json, as: Double.self) }
        }
    }

    @Test func ofSeveralMembersWithOneKeyTheFirstIsRead() throws {
        #expect(try decode(#"{"a":1,"b":2,"a":3,"\u0061":4}"#, as: [String: Int].self) == ["a": 1, "b": 2])
        #expect(try decode(#"{"é":1,"e\#u{301}":2}"#, as: [String: Int].self) == ["é": 1])
        let many = (0..<40).map { #""\#(39 - $0)":\#($0)"# } + [#""7":-1"#]
        #expect(try decode("{\(many.joined(separator: ","))}", as: [String: Int].self)["7"] == 32)
    }

    @Test func whatFoundationToleratesIsRead() throws {
        #expect(try decode("\u{FEFF}[1,]", as: [Int].self) == [1])
        #expect(try decode(" {\"a\" :\t1 ,\r\n} ", as: [String: Int].self) == ["a": 1])
        #expect(try decode(#""\u00e9\/\ud83d\ude00\b\f\n\r\t\"\\""#, as: String.self) == "é/😀\u{8}\u{C}\n\r\t\"\\")
    }

    @Test func aDecoderThatIsKeptReadsItsValueLater() throws {
        struct Later: Decodable {
            var decoder: any Decoder
            init(from decoder: any Decoder) { self.decoder = decoder }
        }

        let later = try decode(#"{"a":{"b":[1,2]},"c":3}"#, as: [String: Later].self)
        for _ in 0..<20 { _ = try decode(#"[[[[[[9]]]]]]"#, as: [[[[[[Int]]]]]].self) }

        #expect(try [String: [Int]](from: #require(later["a"]).decoder) == ["b": [1, 2]])
        #expect(try Int(from: #require(later["c"]).decoder) == 3)
    }

    @Test func aClassAndItsSuperclassAreReadFromTheirMembers() throws {
        class Base: Codable {
            var name = "base"
        }
        final class Derived: Base {
            var count = 7
            private enum Key: CodingKey { case count }
            override init() { super.init() }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                count = try container.decode(Int.self, forKey: .count)
                try super.init(from: container.superDecoder())
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(count, forKey: .count)
                try super.encode(to: container.superEncoder())
            }
        }

        let json = try JSONDocumentEncoder.encode(Derived())
        let derived = try JSONDocumentDecoder.decode(Derived.self, from: json)

        #expect(String(decoding: json, as: UTF8.self) == #"{"count":7,"super":{"name":"base"}}"#)
        #expect(derived.count == 7 && derived.name == "base")
    }

    @Test func onlyADocumentThatWouldBeWrittenInTheSameBytesIsCanonical() throws {
        struct Point: Codable, Hashable { var x: Double, y: Int? }
        #expect(try isCanonical(#"{"x":1.5,"y":-3}"#, as: Point.self))
        #expect(try isCanonical(#"["a\n\"\u0001é/"]"#, as: [String].self))
        #expect(try isCanonical("[1.5,-0,100,1e-05,785431234.123456]", as: [Double].self))
        #expect(try isCanonical("[-1,9,10]", as: Set<Int>.self))
        #expect(try isCanonical(#"["/\"","a","b"]"#, as: Set<String>.self))
        #expect(try isCanonical(#"[{"x":1,"y":1},{"x":1,"y":2}]"#, as: Set<Point>.self))
        #expect(try isCanonical("[null,1]", as: [Int?].self))
        for json in [
            #"{"x":1.5,"y":-3} "#, #"{ "x":1.5,"y":-3}"#, #"{"y":-3,"x":1.5}"#, #"{"x":1.50,"y":-3}"#,
            #"{"x":1.5,"y":-3.0}"#, #"{"x":1.5,"y":-0}"#, #"{"x":15e-1,"y":1}"#, #"{"x":1.5,"y":null}"#, #"{"x":1.5}"#,
            #"{"x":1.5,"y":1,"z":2}"#, #"{"x":1.5,"x":1.5,"y":1}"#, #"{"x":1.5,"\u0079":1}"#, #"{"x":1.5,"y":1,}"#,
        ] {
            #expect(try !isCanonical(json, as: Point.self), "\(json)")
        }
        #expect(try !isCanonical(#"["\u0041"]"#, as: [String].self))
        #expect(try !isCanonical(#"["\/"]"#, as: [String].self))
        #expect(try !isCanonical(#"["\u001F"]"#, as: [String].self))
        #expect(try !isCanonical("[0.00001]", as: [Double].self))
        #expect(try !isCanonical("[1,1]", as: Set<Int>.self))
        #expect(try !isCanonical("[10,9]", as: Set<Int>.self))
        #expect(try !isCanonical(#"["b","a"]"#, as: Set<String>.self))
        #expect(try !isCanonical(#"["69b969e9-8b38-4b7c-bac7-cff0355497bf"]"#, as: [UUID].self))
        #expect(try isCanonical(#"["69B969E9-8B38-4B7C-BAC7-CFF0355497BF"]"#, as: [UUID].self))
    }
}
