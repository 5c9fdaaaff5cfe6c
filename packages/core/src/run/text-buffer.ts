/** So many characters are joined at once; strings of this size are large objects, which a garbage collector does not move. */
const JOINED_LENGTH = 160 * 1024;

/** Text that grows by deltas. Those are not kept: many small strings that live long cost more than all the rest of an event's way. */
export class TextBuffer {
  #text = '';
  #deltas: string[] = [];
  #length = 0;

  add(delta: string): void {
    this.#deltas.push(delta);
    this.#length += delta.length;
    if (this.#length > JOINED_LENGTH) this.#join();
  }

  toString(): string {
    if (this.#length > 0) this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#deltas.join('');
    this.#deltas = [];
    this.#length = 0;
  }
}
