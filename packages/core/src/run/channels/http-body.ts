import { createParser } from 'eventsource-parser';
import { LineSplitter } from '../../process/lines.ts';
import { MAX_BODY_BYTES, tooLong } from './http-fetch.ts';

type Take = (format: 'text' | 'line' | 'sse', data: string) => Promise<void>;

const NEWLINE = 0x0a;

/** Takes the text of a stream of server-sent events. Throws where one of them is too long. */
export function eventParser(onData: (data: string) => void): (text: string) => void {
  let chars = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      chars = 0;
      onData(data);
    },
  });
  return (text) => {
    chars += text.length;
    parser.feed(text);
    if (chars > MAX_BODY_BYTES) throw tooLong('an event of the answer');
  };
}

/** A response body, cut as its content type says: server-sent events, JSON lines, or text as it arrives. */
export async function streamBody(body: ReadableStream<Uint8Array>, contentType: string, take: Take): Promise<void> {
  const lines = /ndjson|jsonl|json-seq|json-lines|stream\+json/i.test(contentType);
  if (/text\/event-stream/i.test(contentType)) await streamEvents(body, take);
  else if (lines) await streamLines(body, take);
  else if (/json/i.test(contentType)) await takeWhole(body, take);
  else await streamText(body, take);
}

async function streamEvents(body: ReadableStream<Uint8Array>, take: Take): Promise<void> {
  const decoder = new TextDecoder();
  const waiting: string[] = [];
  const feed = eventParser((data) => waiting.push(data));
  for await (const chunk of body) {
    feed(decoder.decode(chunk, { stream: true }));
    for (const data of waiting.splice(0)) await take('sse', data);
  }
}

async function streamLines(body: ReadableStream<Uint8Array>, take: Take): Promise<void> {
  const waiting: string[] = [];
  const splitter = new LineSplitter((lines) => waiting.push(...lines));
  const deliver = async () => {
    for (const line of waiting.splice(0)) if (line.trim() !== '') await take('line', line.replace(/^\uFEFF/, ''));
  };
  let unfinished = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(NEWLINE);
    unfinished = end === -1 ? unfinished + chunk.length : chunk.length - end - 1;
    if (unfinished > MAX_BODY_BYTES) throw tooLong('a line of the answer');
    splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    await deliver();
  }
  splitter.end();
  await deliver();
}

async function takeWhole(body: ReadableStream<Uint8Array>, take: Take): Promise<void> {
  const whole = await readBody(body);
  if (whole.trim() !== '') await take('line', whole);
}

async function streamText(body: ReadableStream<Uint8Array>, take: Take): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of body) await take('text', decoder.decode(chunk, { stream: true }));
  const rest = decoder.decode();
  if (rest !== '') await take('text', rest);
}

/** As text. Throws where it is too long, without having read more than that. */
export async function readBody(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw tooLong('the answer');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
