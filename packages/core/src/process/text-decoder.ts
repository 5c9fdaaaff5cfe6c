import { StringDecoder } from 'node:string_decoder';

/** Decodes bytes to complete characters as they arrive; `\r
` becomes a newline, however it is cut. */
export class TextChunkDecoder {
  readonly #decoder = new StringDecoder('utf8');
  #heldReturn = false;

  push(chunk: Buffer): string {
    return this.#convert(this.#decoder.write(chunk), false);
  }

  end(): string {
    return this.#convert(this.#decoder.end(), true);
  }

  #convert(decoded: string, last: boolean): string {
    const text = (this.#heldReturn ? '\r' : '') + decoded;
    this.#heldReturn = !last && text.endsWith('\r');
    return (this.#heldReturn ? text.slice(0, -1) : text).replaceAll('\r\n', '\n');
  }
}
