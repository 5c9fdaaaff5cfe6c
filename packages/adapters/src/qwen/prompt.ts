import type { TurnInput } from '@agent-mux/core';

/** A one-shot process reads `@path` itself and gives the model the text of a file or an image. */
export function mentionedFiles(input: Pick<TurnInput, 'text' | 'attachments'>): string {
  if (input.attachments.length === 0) return input.text;
  return [
    input.text,
    '',
    ...input.attachments.map(({ path }) => `@${path.replace(/([\s\\,;!?()[\]{}])/g, '\\$1')}`),
  ].join('\n');
}

/** Lines of JSON are used unchanged: files can only be mentioned, for the model to read. */
export function namedFiles(input: TurnInput): string {
  if (input.attachments.length === 0) return input.text;
  return [input.text, '', 'Attached files:', ...input.attachments.map(({ path }) => path)].join('\n');
}
