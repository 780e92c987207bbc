//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension MessageOutcome {
    /// The outcome in a word: bounded, fit for a metric label.
    ///
    /// - `success`;
    /// - `cancelled` for a `CancellationError`;
    /// - the ``CodedError/codeName`` of an error that has one;
    /// - the name of the error's type, with its module, otherwise.
    public var code: String {
        switch self {
        case .success: "success"
        case .failure(is CancellationError): "cancelled"
        case .failure(let error as any CodedError): error.codeName
        case .failure(let error): String(naming: Swift.type(of: error))
        }
    }
}
