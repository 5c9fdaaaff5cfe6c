import { statSync } from 'node:fs';
import { ValidationError } from '../../contract/errors.ts';
import type { TurnInput } from '../../contract/options.ts';
import { oddKindOf, readRegularFileSync } from '../../files/regular-file.ts';
import { messageOf } from '../../values.ts';
import { isImage } from './mime.ts';

/** A picture above this size is not read: no model takes one, and as text on one line it is a third longer. */
const PICTURE_LIMIT = 64 * 1024 * 1024;

/** What keeps a path from being attached. Only pictures are read here; what else an agent can open it may be given. */
export function attachmentProblem(path: string, mimeType: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return `${path} does not exist`;
  const kind = oddKindOf(stats);
  if (kind !== undefined && (kind !== 'a folder' || isImage(mimeType))) return `${path} is ${kind}, not a file`;
  if (!isImage(mimeType) || stats.size <= PICTURE_LIMIT) return undefined;
  return `${path} has ${stats.size} bytes, and ${PICTURE_LIMIT} are the limit of a picture`;
}

/**
 * Reads the pictures of an input, so that a codec can put them on the wire without touching the disk. Throws where a file is
 * no longer what it was when the turn was given: a turn may wait long before it is sent.
 */
export function readAttachments(input: TurnInput): TurnInput {
  const faults = input.attachments.flatMap(({ path, mimeType }, i) => {
    const problem = attachmentProblem(path, mimeType);
    return problem === undefined ? [] : [{ field: `attachments[${i}]`, problem }];
  });
  if (faults.length > 0) throw new ValidationError('turn', faults);
  if (!input.attachments.some(({ mimeType }) => isImage(mimeType))) return input;
  const attachments = input.attachments.map((file) =>
    isImage(file.mimeType) ? { ...file, base64: readPicture(file.path) } : file,
  );
  return { ...input, attachments };
}

function readPicture(path: string): string {
  try {
    return readRegularFileSync(path, { limit: PICTURE_LIMIT }).toString('base64');
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`${path} cannot be attached: ${reason}`, { cause: error });
  }
}
