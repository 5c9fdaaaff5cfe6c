import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nameScratchFolder } from '../../files/scratch-name.ts';
import { createScratch, dropScratch } from '../plan/scratch.ts';

/** Characters held in memory for a stalled reader; the rest is stored on disk. */
export const BACKLOG_WINDOW = 512 * 1024;
/** Size of one write or read, in characters. */
const BLOCK_CHARS = 64 * 1024;
const LENGTH_BYTES = 4;

/**
 * FIFO queue of any length in bounded memory: the oldest texts, then a file, then the newest. The file is unlinked
 * before the first byte is written, so that no one else can open it and nothing is left after a crash.
 */
export class Backlog {
  #oldest: string[] = [];
  #oldestChars = 0;
  #next = 0;
  #newest: string[] = [];
  #newestChars = 0;
  #file: number | undefined;
  #readAt = 0;
  #writtenTo = 0;

  get empty(): boolean {
    return this.#next === this.#oldest.length && this.#newest.length === 0 && this.#readAt === this.#writtenTo;
  }

  /** Throws if the disk write fails. */
  push(text: string): void {
    if (this.#newest.length === 0 && this.#readAt === this.#writtenTo && this.#oldestChars < BACKLOG_WINDOW) {
      this.#oldest.push(text);
      this.#oldestChars += text.length;
      return;
    }
    this.#newest.push(text);
    this.#newestChars += text.length;
    if (this.#newestChars >= BLOCK_CHARS) this.#write();
  }

  /** Removes and returns the oldest text. */
  shift(): string | undefined {
    if (this.#next === this.#oldest.length) this.#refill();
    const text = this.#oldest[this.#next];
    if (text !== undefined) this.#next += 1;
    return text;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#oldest = [];
    this.#newest = [];
    this.#next = 0;
    this.#readAt = 0;
    this.#writtenTo = 0;
  }

  #refill(): void {
    this.#next = 0;
    if (this.#readAt < this.#writtenTo) this.#oldest = this.#read();
    else {
      this.#oldest = this.#newest;
      this.#newest = [];
      this.#newestChars = 0;
    }
    this.#oldestChars = this.#oldest.reduce((sum, text) => sum + text.length, 0);
  }

  #write(): void {
    this.#file ??= openUnnamed();
    const parts: Buffer[] = [];
    for (const text of this.#newest) {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(bytes.length);
      parts.push(length, bytes);
    }
    const block = Buffer.concat(parts);
    for (let done = 0; done < block.length; )
      done += writeSync(this.#file, block, done, block.length - done, this.#writtenTo + done);
    this.#writtenTo += block.length;
    this.#newest = [];
    this.#newestChars = 0;
  }

  #read(): string[] {
    const texts: string[] = [];
    for (let chars = 0; this.#readAt < this.#writtenTo && chars < BLOCK_CHARS; ) {
      const length = this.#bytesAt(this.#readAt, LENGTH_BYTES).readUInt32LE();
      const text = this.#bytesAt(this.#readAt + LENGTH_BYTES, length).toString();
      this.#readAt += LENGTH_BYTES + length;
      texts.push(text);
      chars += text.length;
    }
    if (this.#readAt === this.#writtenTo) {
      this.#readAt = 0;
      this.#writtenTo = 0;
      if (this.#file !== undefined) ftruncateSync(this.#file);
    }
    return texts;
  }

  #bytesAt(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.#file!, bytes, done, length - done, position + done);
      if (read === 0) throw new Error('cannot read back the backlog of a stalled reader');
      done += read;
    }
    return bytes;
  }
}

function openUnnamed(): number {
  const folder = nameScratchFolder();
  createScratch(folder);
  try {
    return openSync(join(folder, 'backlog'), 'wx+', 0o600);
  } finally {
    dropScratch(folder);
  }
}
