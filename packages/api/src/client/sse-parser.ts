/** One server-sent event. */
export interface StreamMessage {
  id: string;
  data: string;
}

/** Maximum message length; the daemon stores longer strings separately. */
const MAX_MESSAGE_CHARS = 64 * 1024 * 1024;

/**
 * Parses text chunks into messages, for the part of the standard the daemon uses: `id`, `data`, comments. An incomplete message is
 * kept for the next chunk and lost with the connection: it is sent again. O(characters).
 */
export function createSseParser(): (piece: string) => StreamMessage[] {
  let rest: string[] = [];
  let restChars = 0;
  let id = '';
  let data: string[] = [];

  function takeLine(line: string, messages: StreamMessage[]): void {
    if (line === '') {
      if (data.length > 0) messages.push({ id, data: data.join('\n') });
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  }

  return (piece) => {
    const messages: StreamMessage[] = [];
    let from = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      rest.push(piece.slice(from, end));
      const line = rest.length === 1 ? rest[0]! : rest.join('');
      rest = [];
      restChars = 0;
      from = end + 1;
      takeLine(line.endsWith('\r') ? line.slice(0, -1) : line, messages);
    }
    if (from < piece.length) {
      rest.push(piece.slice(from));
      restChars += piece.length - from;
      if (restChars > MAX_MESSAGE_CHARS) throw new Error(`a line exceeds ${MAX_MESSAGE_CHARS} characters`);
    }
    return messages;
  };
}
