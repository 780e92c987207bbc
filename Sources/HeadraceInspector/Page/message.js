// The panel of the selected message: its facts, and its chain as JSON.
import { hidden, make, short, took, when } from "./elements.js";
import { json } from "./json.js";
import { copy, download } from "./requests.js";
import { waited } from "./rows.js";

export class MessagePanel {
  constructor(flow) {
    this.flow = flow;
    this.element = document.getElementById("message");
    this.element.onkeydown = (event) => { if (event.key === "Escape") this.close(); };
  }

  /** Shows an entry, or nothing. */
  show(entry) {
    this.shown = null;
    this.element.hidden = !entry;
    this.element.replaceChildren();
    this.update(entry);
  }

  /** Draws the entry again if it has changed. */
  update(entry) {
    if (!entry || this.shown === entry) return;
    this.shown = entry;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.id : null;
    this.element.hidden = false;
    this.element.replaceChildren(
      make("h2", {}, `${entry.kind} ${short(entry.type)}`.trim()),
      this.facts(entry),
      this.buttons(entry),
      make("p", { class: "hint", role: "status", id: "message-status" }));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** Reports that a linked message isn't kept. */
  missing(id) {
    this.shown = null;
    this.element.hidden = false;
    this.element.replaceChildren(
      make("h2", {}, "Message not found"),
      make("p", {}, `The message ${id} is no longer kept, or was not recorded.`),
      make("div", { class: "bar" }, this.button("close", "Close", () => this.close())));
  }

  close() {
    const number = this.flow.selected;
    this.flow.select(null);
    this.flow.draw();
    this.flow.focus(this.flow.item(number));
  }

  facts(entry) {
    const facts = make("dl", { class: "facts" });
    const add = (name, value) => { if (value) facts.append(make("dt", {}, name), make("dd", {}, value)); };
    const isHidden = (kind) => entry.hidden?.includes(kind);
    add("type", entry.type);
    add("began", when(entry.began));
    add("run", entry.isEarlier ? "an earlier run of the program" : null);
    add("took", entry.duration !== undefined ? took(entry.duration) : entry.isEarlier ? "unknown" : "in progress");
    add("outcome", entry.outcome);
    add("note", entry.note);
    add("delivery", waited(entry, this.flow.chains.summary(this.flow.chains.root(entry.number))));
    add("principal", entry.principal);
    add("payload", entry.payload ? json(entry.payload) : (isHidden("message") ? hidden("message") : null));
    add("failure", entry.failure ?? (isHidden("failure") ? hidden("failure") : null));
    add("identifier", isHidden("identifier") ? hidden("identifier") : null);
    add("id", entry.id);
    add("caused by", entry.cause && entry.kind === "request" ? `${entry.cause} of the client` : entry.cause);
    add("chain", entry.correlation);
    return facts;
  }

  button(name, words, act) {
    return make("button", { type: "button", id: `message-${name}`, onclick: act }, words);
  }

  buttons(entry) {
    const link = `${location.origin}${location.pathname}#flow/${this.flow.linked(entry)}`;
    const bar = make("div", { class: "bar" });
    if (this.flow.linked(entry)) bar.append(this.button("link", "Copy link", () => this.copy(link, "The link")));
    bar.append(
      this.button("copy", "Copy chain", () => this.copy(JSON.stringify(this.json(entry), null, 2), "The chain")),
      this.button("download", "Download chain", () => this.download(entry)));
    if (entry.correlation) bar.append(this.button("only", "Only this chain", () => this.flow.showChain(entry.correlation)));
    bar.append(this.button("close", "Close", () => this.close()));
    return bar;
  }

  /** The chain of an entry, for JSON. */
  json(entry) {
    const entries = this.flow.chains.related(entry);
    const kinds = new Set(entries.flatMap((one) => one.hidden ?? []));
    const hints = Object.fromEntries([...kinds].map((kind) => [kind, hidden(kind).querySelector("small").textContent]));
    const chain = { correlation: entry.correlation, copied: new Date().toISOString(), entries };
    return kinds.size ? { ...chain, hints } : chain;
  }

  async copy(text, subject) {
    const isCopied = await copy(text);
    document.getElementById("message-status").textContent = isCopied
      ? `${subject} is copied.`
      : "The browser refused to copy. To fix, allow the clipboard for this page, or download the chain.";
  }

  download(entry) {
    download(`chain-${entry.correlation ?? entry.number}`, this.json(entry));
    document.getElementById("message-status").textContent = "The chain is downloaded.";
  }
}
