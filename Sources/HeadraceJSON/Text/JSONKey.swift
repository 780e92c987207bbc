// SPDX-License-Identifier: Apache-2.0

/// A key in a coding path: the name of a member or the index of an element.
struct JSONKey: CodingKey, Hashable {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    /// Creates the key of the element at `index`, counting from 0.
    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    /// The key under which a superclass is encoded unless the subclass names another key.
    static let superclass = JSONKey(stringValue: "super")
}
