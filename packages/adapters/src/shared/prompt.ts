import { isImage, type TurnAttachment } from '@agent-mux/core';

/** Files are named, as the `@` of a terminal does: the agent opens what it is pointed at. Pictures are sent. */
export function promptText(text: string, attachments: readonly Pick<TurnAttachment, 'path' | 'mimeType'>[]): string {
  const named = attachments.filter(({ mimeType }) => !isImage(mimeType)).map(({ path }) => path);
  return named.length === 0 ? text : [text, '', ...named].join('\n');
}
