import { type TurnInput, withoutSeparator } from '@agent-mux/core';

/**
 * Attachments are mentioned, not sent: Claude Code reads `@path` itself, in both modes and from any folder, and gives
 * the model the text of a file, an image, or the document of a PDF (seen with 2.1.325).
 */
export function promptText(input: TurnInput): string {
  if (input.attachments.length === 0) return input.text;
  return [input.text, '', ...input.attachments.map(({ path }) => mention(path))].join('\n');
}

function mention(path: string): string {
  return /^[\w./-]+$/.test(path) ? `@${path}` : `@"${withoutSeparator('attachments', path, '"')}"`;
}
