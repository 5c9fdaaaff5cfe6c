export class TextBuffer {
  #text = '';
  add(delta: string): void {
    this.#text += delta;
  }
  toString(): string {
    return this.#text;
  }
}
