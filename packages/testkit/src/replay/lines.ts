/**
 * Lines as the engine splits them: at `\n`, a `\r` before it is dropped, a last line without a newline counts, NUL
 * bytes stay.
 */
export function toLines(input: Uint8Array | string): string[] {
  const text = typeof input === 'string' ? input : Buffer.from(input).toString('utf8');
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}
