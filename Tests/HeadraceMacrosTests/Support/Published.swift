// SPDX-License-Identifier: Apache-2.0

#if Macros
/// A substitute for Combine's wrapper of the same name.
@propertyWrapper
struct Published<Value> {
    var wrappedValue: Value

    init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

/// A substitute for a wrapper that supplies its value.
@propertyWrapper
struct Preset<Value> {
    let wrappedValue: Value

    init(_ value: Value) {
        wrappedValue = value
    }
}

extension Preset where Value == String {
    init() {
        wrappedValue = "preset"
    }
}
#endif
