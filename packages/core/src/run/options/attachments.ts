import { statSync } from 'node:fs';
import { ValidationError } from '../../contract/errors.ts';
import type { TurnInput } from '../../contract/options.ts';
import { readRegularFileSync, unexpectedKind } from '../../files/regular-file.ts';
import { messageOf } from '../../values.ts';
import { isImage } from './mime.ts';

/** Maximum bytes of an image. No model accepts a larger one, and base64 on one line is a third longer. */
const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

/** Why a path cannot be attached. Only images are read here; an agent may get any path that it can open. */
export function attachmentProblem(path: string, mimeType: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return `${path} does not exist`;
  const kind = unexpectedKind(stats);
  if (kind !== undefined && (kind !== 'a folder' || isImage(mimeType))) return `${path} is ${kind}, not a file`;
  if (!isImage(mimeType) || stats.size <= MAX_IMAGE_BYTES) return undefined;
  return `${path} has ${stats.size} bytes; the limit for images is ${MAX_IMAGE_BYTES}`;
}

/**
 * Reads the images of an input, so that a codec can encode them without touching the disk. Throws if a file has changed
 * since the turn was queued: a turn may wait long before it is sent.
 */
export function readAttachments(input: TurnInput): TurnInput {
  const issues = input.attachments.flatMap(({ path, mimeType }, i) => {
    const problem = attachmentProblem(path, mimeType);
    return problem === undefined ? [] : [{ field: `attachments[${i}]`, problem }];
  });
  if (issues.length > 0) throw new ValidationError('turn', issues);
  if (!input.attachments.some(({ mimeType }) => isImage(mimeType))) return input;
  const attachments = input.attachments.map((file) =>
    isImage(file.mimeType) ? { ...file, base64: readImage(file.path) } : file,
  );
  return { ...input, attachments };
}

function readImage(path: string): string {
  try {
    return readRegularFileSync(path, { limit: MAX_IMAGE_BYTES }).toString('base64');
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`cannot attach ${path}: ${reason}`, { cause: error });
  }
}
