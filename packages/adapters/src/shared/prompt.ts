import { isImage, type TurnAttachment } from '@agent-mux/core';

type Named = Pick<TurnAttachment, 'path' | 'mimeType'>;

/** Files are mentioned, like `@` in a terminal: the agent opens them. */
export function withFiles(text: string, files: readonly Named[]): string {
  return files.length === 0 ? text : [text, '', ...files.map(({ path }) => path)].join('\n');
}

/** The same if images are sent. */
export function promptText(text: string, attachments: readonly Named[]): string {
  return withFiles(
    text,
    attachments.filter(({ mimeType }) => !isImage(mimeType)),
  );
}
