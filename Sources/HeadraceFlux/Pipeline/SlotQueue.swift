// SPDX-License-Identifier: Apache-2.0

/// A queue of numbered elements in ascending order.
///
/// Elements are appended at the end and can be removed from any position.
///
/// It is an array, so an element needs little memory. Appending and removing take amortized constant time; finding a number
/// takes logarithmic time.
struct SlotQueue<Element: Sendable>: Sendable {
    private struct Slot: Sendable {
        let number: Int
        var element: Element
        var isTaken = true
    }

    private var slots: [Slot] = []

    /// Index of the first element, if there is an element.
    private var head = 0

    /// Number of elements.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Number of slots, including the slots of removed elements.
    var slotCount: Int { slots.count }

    /// The first element and its number.
    var first: (number: Int, element: Element)? {
        count == 0 ? nil : (slots[head].number, slots[head].element)
    }

    /// The numbers of all elements.
    var numbers: [Int] { slots[head...].filter(\.isTaken).map(\.number) }

    func contains(_ number: Int) -> Bool { index(of: number) != nil }

    /// Appends an element.
    ///
    /// `number` must be greater than all earlier numbers.
    mutating func append(_ element: Element, number: Int) {
        // Limits the memory of removed elements.
        if slots.count - head > 2 * count + 64 {
            slots = slots[head...].filter(\.isTaken)
            head = 0
        }
        slots.append(Slot(number: number, element: element))
        count += 1
    }

    /// Replaces the element with the number if it exists.
    mutating func replace(_ number: Int, by element: Element) {
        if let index = index(of: number) { slots[index].element = element }
    }

    /// Removes and returns the element with the number.
    ///
    /// `placeholder` takes its slot.
    mutating func remove(_ number: Int, leaving placeholder: Element) -> Element? {
        guard let index = index(of: number) else { return nil }
        return take(index, leaving: placeholder).element
    }

    /// Removes and returns the first element.
    mutating func removeFirst(leaving placeholder: Element) -> (number: Int, element: Element)? {
        count == 0 ? nil : take(head, leaving: placeholder)
    }

    private mutating func take(_ index: Int, leaving placeholder: Element) -> (number: Int, element: Element) {
        let taken = (slots[index].number, slots[index].element)
        slots[index].element = placeholder
        slots[index].isTaken = false
        count -= 1
        if count == 0 {
            // A long queue releases its memory. A short queue keeps it.
            slots.removeAll(keepingCapacity: slots.capacity <= 1_024)
            head = 0
            return taken
        }
        while !slots[head].isTaken { head += 1 }
        if head > 1_024, head > slots.count / 2 {
            slots.removeFirst(head)
            head = 0
        }
        return taken
    }

    /// Returns the index of the slot with the number if it holds an element.
    ///
    /// - Complexity: O(log *n*).
    private func index(of number: Int) -> Int? {
        var (low, high) = (head, slots.count)
        while low < high {
            let middle = low + (high - low) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < slots.count, slots[low].number == number, slots[low].isTaken else { return nil }
        return low
    }
}
