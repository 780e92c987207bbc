// SPDX-License-Identifier: Apache-2.0

extension MessageOutcome {
    /// Name of the outcome, suitable as a metric label.
    ///
    /// - `success`;
    /// - `cancelled` for a `CancellationError`;
    /// - ``CodedError/codeName`` for an error with a code;
    /// - the name of the error's type, with its module, for all other errors.
    public var code: String {
        switch self {
        case .success: "success"
        case .failure(is CancellationError): "cancelled"
        case .failure(let error as any CodedError): error.codeName
        case .failure(let error): String(naming: Swift.type(of: error))
        }
    }
}
