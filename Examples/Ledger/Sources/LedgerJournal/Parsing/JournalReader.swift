// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// Parses a journal line by line.
struct JournalReader {
    let bytes: [UInt8]
    let file: String
    private var scanner: LineScanner

    /// The decimal marks that directives have set.
    var decimalMarks = DecimalMarks()

    /// Number of ignored directives, by keyword.
    var skippedDirectives: [String: Int] = [:]

    /// Number of other parts of the journal that aren't imported, by name.
    var leftOut: [String: Int] = [:]

    /// The types of accounts that directives have declared.
    var accountTypes: [String: AccountType] = [:]

    /// The year of dates without a year; `nil` if no directive has set it.
    var defaultYear: Int?

    /// The names of accounts that directives have set.
    var accountNames: AccountNames

    /// Whether numbers can have an exponent.
    var allowsExponents = true

    /// Whether a number is refused whose only mark can be a decimal mark, or separate a digit group.
    var refusesAmbiguousNumbers = false

    /// The function that loads included files; `nil` if none can be included.
    let loader: JournalSource.Loader?

    /// The files whose directives include this one, the first file first.
    var includingFiles: [String] = []

    /// Number of files that the journal has included up to here.
    var includedCount = 0

    /// The transactions of the files that the last line includes.
    var included: ArraySlice<Journal.Entry> = []

    /// The open item, to which an indented line belongs.
    private var open = OpenItem.nothing

    /// Whether the line of the open directive has ended a transaction.
    private var directiveEndedTransaction = false

    /// The transaction that ended with the last line.
    private var finished: Journal.Entry?

    /// An item that can have indented lines.
    private enum OpenItem {
        case nothing
        case transaction(OpenTransaction)
        case directive(BlockDirective)
        case commentBlock
    }

    init(bytes: [UInt8], file: String, maximumLineLength: Int, loader: JournalSource.Loader?) {
        self.bytes = bytes
        self.loader = loader
        self.file = file
        accountNames = AccountNames(journalLength: bytes.count)
        scanner = LineScanner(bytes: bytes, maximumLineLength: max(1, maximumLineLength))
    }

    /// Returns a reader at the start of the same journal, with `defaultYear` before the first directive.
    func restarted(in defaultYear: Int?) -> JournalReader {
        var reader = JournalReader(bytes: bytes, file: file, maximumLineLength: maximumLineLength, loader: loader)
        reader.defaultYear = defaultYear
        return reader
    }

    /// Maximum length of a line in bytes.
    var maximumLineLength: Int { scanner.maximumLineLength }

    /// The number of the current line, counting from 1.
    var lineNumber: Int { scanner.lineNumber }

    /// Parses all lines.
    mutating func readJournal() throws(JournalError) -> Journal {
        var entries: [Journal.Entry] = []
        while let entry = try nextEntry() { entries.append(entry) }
        return Journal(
            file: file,
            entries: entries,
            skippedDirectives: skippedDirectives,
            leftOut: leftOut,
            accountTypes: accountTypes
        )
    }

    /// Parses and returns the next transaction; `nil` after the last transaction.
    mutating func nextEntry() throws(JournalError) -> Journal.Entry? {
        if let entry = included.popFirst() { return entry }
        while finished == nil, included.isEmpty, let range = try nextLine() {
            var line = LineCursor(bytes: bytes, range: range)
            try read(&line)
        }
        // The input has ended, or the line that ended this transaction has started the next or has included others.
        if finished == nil, included.isEmpty { try close() }
        if finished == nil { return included.popFirst() }
        defer { finished = nil }
        return finished
    }

    mutating func nextLine() throws(JournalError) -> Range<Int>? {
        do {
            return try scanner.nextLine()
        } catch {
            throw unreadable(error)
        }
    }

    private mutating func read(_ line: inout LineCursor) throws(JournalError) {
        if case .commentBlock = open {
            if line.isEndOfComment { open = .nothing }
            return
        }
        let indentation = line.skipSpaces()
        guard let first = line.next else {
            try close()
            return
        }
        if indentation > 0 {
            try readIndented(&line, first: first)
            return
        }
        directiveEndedTransaction = if case .transaction = open { true } else { false }
        try close()
        switch first {
        case .semicolon, .hash, .asterisk:
            break
        case _ where first.isASCIIDigit:
            open = .transaction(OpenTransaction(draft: try readHeader(&line), line: lineNumber))
        default:
            switch try readDirective(&line) {
            case .nothing: break
            case .commentBlock: open = .commentBlock
            case .block(let directive): open = .directive(directive)
            }
        }
    }

    private mutating func readIndented(_ line: inout LineCursor, first: UInt8) throws(JournalError) {
        switch open {
        case .transaction(var transaction):
            // The property releases the draft, so that the draft is changed in place instead of copied.
            open = .nothing
            if line.skip(.semicolon) {
                let date = transaction.postings.isEmpty ? nil : try readPostingDate(line, year: transaction.year)
                transaction.append(comment: line.trimmedText(upTo: line.end), date: date)
            } else {
                transaction.postings.append(try readPosting(&line, year: transaction.year))
            }
            open = .transaction(transaction)
        case .directive(let directive):
            if line.skip(.semicolon) { return try readTypeTag(line, of: directive) }
            if directiveEndedTransaction { try requireSubdirective(line, of: directive) }
            open = .directive(try readSubdirective(&line, of: directive))
        case .nothing, .commentBlock:
            switch first {
            case .semicolon, .hash, .asterisk: return
            default:
                throw failure(
                    .unexpectedIndentation,
                    at: line,
                    "The line is indented but doesn't belong to a line above it. "
                        + "To fix, remove the indentation, or the blank line or comment before it."
                )
            }
        }
    }

    /// Ends the open item.
    private mutating func close() throws(JournalError) {
        switch open {
        case .transaction(let transaction):
            let entry = transaction.entry(in: includingFiles.isEmpty ? nil : file)
            try entry.checkBrackets(in: file)
            let dateCount = entry.written.count { $0.date != nil }
            if dateCount > 0 { leftOut["posting date", default: 0] += dateCount }
            finished = entry
        case .directive(let directive): countIfPassedOver(directive)
        case .nothing, .commentBlock: break
        }
        open = .nothing
    }
}

extension LineCursor {
    /// Whether the line closes a `comment` block.
    fileprivate var isEndOfComment: Bool {
        let trimmed = bytes[start..<trimmedEnd(from: start, to: end)]
        return trimmed.elementsEqual("end comment".utf8)
    }
}

/// A transaction whose lines are being parsed.
private struct OpenTransaction {
    private var draft: TransactionDraft
    private let line: Int

    /// The postings up to here.
    var postings: [WrittenPosting] = []

    init(draft: TransactionDraft, line: Int) {
        self.draft = draft
        self.line = line
    }

    /// The year of the transaction.
    var year: Int { draft.date.year }

    /// Returns the transaction with the name of its file, if that is included.
    func entry(in file: String?) -> Journal.Entry {
        Journal.Entry(draft, written: postings, file: file, line: line)
    }

    /// Adds a comment line to the last posting, or to the transaction if there is no posting.
    ///
    /// `date` is the date in the comment. If the posting has a date already, that one remains.
    mutating func append(comment line: String, date: BookDate?) {
        if postings.isEmpty {
            draft.comment.appendLine(line)
        } else {
            postings[postings.count - 1].draft.comment.appendLine(line)
            if postings[postings.count - 1].date == nil { postings[postings.count - 1].date = date }
        }
    }
}

extension String {
    fileprivate mutating func appendLine(_ line: String) {
        if !isEmpty { append("\n") }
        append(line)
    }
}
