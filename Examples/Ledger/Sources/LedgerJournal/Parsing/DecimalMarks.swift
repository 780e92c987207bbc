// SPDX-License-Identifier: Apache-2.0

/// The decimal marks that directives have set, for numbers with a single comma or point.
struct DecimalMarks {
    /// The mark of all numbers, from `decimal-mark`.
    ///
    /// It overrides the others.
    var ofEverything: UInt8?

    /// The mark of each commodity that has a format.
    var byCommodity: [String: UInt8] = [:]

    /// The mark of commodities without a format, from `D`.
    var byDefault: UInt8?

    /// The commodity of amounts without a commodity, from `D`.
    var defaultCommodity = ""

    /// The decimal mark of numbers in `commodity`; `nil` if no directive has set it.
    func mark(for commodity: String) -> UInt8? {
        if let ofEverything { return ofEverything }
        if !byCommodity.isEmpty, let mark = byCommodity[commodity] { return mark }
        return byDefault
    }
}
