// SPDX-License-Identifier: Apache-2.0

/// Cancels the task that calls this function.
///
/// Why this is safe: the reference to the task is used only while the closure runs, in the task itself.
package func cancelCurrentTask() {
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
}
