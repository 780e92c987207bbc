// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB

/// Text as it is stored in the file, without NUL: GRDB and most tools treat NUL as the end of the text.
///
/// NUL is written as the scalars 1 1, and 1 as 1 2. No other text changes, different texts stay different, and the
/// order by bytes is preserved.
struct SQLText: DatabaseValueConvertible, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    var databaseValue: DatabaseValue { escaped.databaseValue }

    /// The text in its stored form.
    var escaped: String {
        if text.utf8.allSatisfy({ $0 > 1 }) { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0: escaped.append(contentsOf: ["\u{1}", "\u{1}"])
            case 1: escaped.append(contentsOf: ["\u{1}", "\u{2}"])
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLText? {
        String.fromDatabaseValue(value).map(SQLText.init(stored:))
    }

    /// Converts a text from its stored form.
    init(stored: String) {
        if stored.utf8.allSatisfy({ $0 > 1 }) {
            self.init(stored)
            return
        }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in stored.unicodeScalars {
            if isEscaped {
                text.append(scalar == "\u{1}" ? "\0" : "\u{1}")
                isEscaped = false
            } else if scalar == "\u{1}" {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        self.init(String(text))
    }
}
#endif
