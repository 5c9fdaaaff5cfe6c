import type { Readable } from 'node:stream';

/** A message may have ten million characters of up to six bytes each. A longer line ends the connection. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Calls `value` with each parsed line in O(bytes). After `issue`, nothing more is read. */
export function readJsonLines(
  stream: Readable,
  { value, issue }: { value(value: unknown): void; issue(problem: string): void },
): void {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let isOver = false;
  const giveUp = (problem: string) => {
    isOver = true;
    rest = [];
    issue(problem);
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1 && !isOver; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
      [rest, restBytes] = [[], 0];
      from = end + 1;
      const parsed = tryToParse(line);
      if (parsed) value(parsed.value);
      else giveUp('a line is not valid JSON');
    }
    if (isOver) return;
    restBytes += chunk.length - from;
    if (restBytes > MAX_MESSAGE_BYTES) giveUp('a line is too long');
    else if (from < chunk.length) rest.push(chunk.subarray(from));
  });
}

function tryToParse(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return undefined;
  }
}
