//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the directives read so far say about numbers whose only mark could be either kind.
struct DecimalMarks {
    /// The mark of every number, from `decimal-mark`; it overrides the others.
    var ofEverything: UInt8?

    /// The mark of each commodity that has a format.
    var byCommodity: [String: UInt8] = [:]

    /// The mark of commodities without a format of their own, from `D`.
    var byDefault: UInt8?

    /// The commodity of amounts that name none, from `D`.
    var defaultCommodity = ""

    /// The decimal mark of numbers in `commodity`, or nil where no directive says.
    func mark(for commodity: String) -> UInt8? {
        if let ofEverything { return ofEverything }
        if !byCommodity.isEmpty, let mark = byCommodity[commodity] { return mark }
        return byDefault
    }
}
