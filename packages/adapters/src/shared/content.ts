import { isRecord, records, text } from './json.ts';

/** A message's text: a string, or the texts of its parts. */
export function joinTexts(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .flatMap((part) => text(part.text) ?? [])
    .join('\n');
}

/** Output of a tool: text as one string; anything else (images, documents) unchanged. */
export function readOutput(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? '';
  const parts = content.map((part) => (isRecord(part) && part.type === 'text' ? text(part.text) : undefined));
  return parts.every((part) => part !== undefined) ? parts.join('\n') : content;
}
