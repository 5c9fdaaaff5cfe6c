import { createParser } from 'eventsource-parser';

type Take = (format: 'text' | 'line' | 'sse', data: string) => Promise<void>;

/** A response body, cut as its content type says: server-sent events, JSON lines, or text as it arrives. */
export async function streamBody(body: ReadableStream<Uint8Array>, contentType: string, take: Take): Promise<void> {
  const decoder = new TextDecoder();
  if (/text\/event-stream/i.test(contentType)) {
    const waiting: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => void waiting.push(data) });
    for await (const chunk of body) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const data of waiting.splice(0)) await take('sse', data);
    }
    return;
  }
  const lines = /ndjson|jsonl|json-seq|json-lines|stream\+json/i.test(contentType);
  const whole = /json/i.test(contentType) && !lines;
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (whole) continue;
    if (!lines) {
      await take('text', rest);
      rest = '';
      continue;
    }
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) if (line.trim() !== '') await take('line', line);
  }
  rest += decoder.decode();
  if (rest.trim() !== '') await take(lines || whole ? 'line' : 'text', rest);
}
