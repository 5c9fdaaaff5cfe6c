import { StringDecoder } from 'node:string_decoder';

/** Bytes to text as they come, in whole characters; `\r\n` is a newline, however it is cut. */
export class TextPieces {
  readonly #decoder = new StringDecoder('utf8');
  #heldReturn = false;

  push(chunk: Buffer): string {
    return this.#take(this.#decoder.write(chunk), false);
  }

  end(): string {
    return this.#take(this.#decoder.end(), true);
  }

  #take(decoded: string, last: boolean): string {
    const text = (this.#heldReturn ? '\r' : '') + decoded;
    this.#heldReturn = !last && text.endsWith('\r');
    return (this.#heldReturn ? text.slice(0, -1) : text).replaceAll('\r\n', '\n');
  }
}
