// SPDX-License-Identifier: Apache-2.0

/// Work that a store executes within the transaction of a commit, for example an SQL statement.
///
/// Each store documents the types of work that it supports. It refuses other work with
/// `StoreError.Code.unsupportedWork`.
public protocol StoreWork: Sendable {}
