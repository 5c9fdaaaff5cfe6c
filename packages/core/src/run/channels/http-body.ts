import { createParser } from 'eventsource-parser';
import { LineSplitter } from '../../process/lines.ts';
import { MAX_BODY_BYTES, tooLong } from './http-fetch.ts';

type Receive = (format: 'text' | 'line' | 'sse', data: string) => Promise<void>;

const NEWLINE = 0x0a;

/** Parses a stream of server-sent events. Throws if one event is too long. */
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
    if (chars > MAX_BODY_BYTES) throw tooLong('an event of the response');
  };
}

/** Splits a response body by its content type: server-sent events, JSON lines, or text as it arrives. */
export async function streamBody(
  body: ReadableStream<Uint8Array>,
  contentType: string,
  receive: Receive,
): Promise<void> {
  const lines = /ndjson|jsonl|json-seq|json-lines|stream\+json/i.test(contentType);
  if (/text\/event-stream/i.test(contentType)) await streamEvents(body, receive);
  else if (lines) await streamLines(body, receive);
  else if (/json/i.test(contentType)) await streamWhole(body, receive);
  else await streamText(body, receive);
}

async function streamEvents(body: ReadableStream<Uint8Array>, receive: Receive): Promise<void> {
  const decoder = new TextDecoder();
  const waiting: string[] = [];
  const feed = eventParser((data) => waiting.push(data));
  for await (const chunk of body) {
    feed(decoder.decode(chunk, { stream: true }));
    for (const data of waiting.splice(0)) await receive('sse', data);
  }
}

async function streamLines(body: ReadableStream<Uint8Array>, receive: Receive): Promise<void> {
  const waiting: string[] = [];
  const splitter = new LineSplitter((lines) => waiting.push(...lines));
  const deliver = async () => {
    for (const line of waiting.splice(0)) if (line.trim() !== '') await receive('line', line.replace(/^\uFEFF/, ''));
  };
  let unfinished = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(NEWLINE);
    unfinished = end === -1 ? unfinished + chunk.length : chunk.length - end - 1;
    if (unfinished > MAX_BODY_BYTES) throw tooLong('a line of the response');
    splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    await deliver();
  }
  splitter.end();
  await deliver();
}

async function streamWhole(body: ReadableStream<Uint8Array>, receive: Receive): Promise<void> {
  const whole = await readBody(body);
  if (whole.trim() !== '') await receive('line', whole);
}

async function streamText(body: ReadableStream<Uint8Array>, receive: Receive): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of body) await receive('text', decoder.decode(chunk, { stream: true }));
  const rest = decoder.decode();
  if (rest !== '') await receive('text', rest);
}

/** Reads the body as text. Throws without reading further if it is too long. */
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
