import { isImage, type TurnAttachment } from '@agent-mux/core';

type Named = Pick<TurnAttachment, 'path' | 'mimeType'>;

/** Files are named, as the `@` of a terminal does: the agent opens what it is pointed at. */
export function withFiles(text: string, files: readonly Named[]): string {
  return files.length === 0 ? text : [text, '', ...files.map(({ path }) => path)].join('\n');
}

/** The same where pictures are sent. */
export function promptText(text: string, attachments: readonly Named[]): string {
  return withFiles(
    text,
    attachments.filter(({ mimeType }) => !isImage(mimeType)),
  );
}
