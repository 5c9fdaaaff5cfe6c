import { readFileSync } from 'node:fs';
import type { TurnInput } from '../contract/options.ts';
import { isImage } from './mime.ts';

/** Reads the pictures of an input, so that a codec can put them on the wire without touching the disk. */
export function withPictures(input: TurnInput): TurnInput {
  if (!input.attachments.some(({ mimeType }) => isImage(mimeType))) return input;
  const attachments = input.attachments.map((file) =>
    isImage(file.mimeType) ? { ...file, base64: readFileSync(file.path).toString('base64') } : file,
  );
  return { ...input, attachments };
}
