// SPDX-License-Identifier: Apache-2.0

extension Task where Success == Never, Failure == Never {
    /// Cancels the task that calls this function.
    ///
    /// Does nothing outside a task.
    static func cancelCurrent() {
        // Safe: the task is valid during the call, and the closure doesn't keep it.
        unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
    }
}
