import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSparse, ODD_FILES } from '../../../test/odd-files.ts';
import { useScratch } from '../../../test/scratch.ts';
import { attachmentProblem, readAttachments } from './attachments.ts';

const newPlace = useScratch();

describe.skipIf(process.platform === 'win32')('an attachment', () => {
  it.each(Object.entries(ODD_FILES))('is neither waited for nor read when it is %s', async (kind, make) => {
    const path = join(newPlace().home, 'picture.png');
    await make(path);
    expect(attachmentProblem(path, 'image/png')).toBe(`${path} is ${kind}, not a file`);
    const input = { text: 'look', attachments: [{ path, name: 'picture.png', mimeType: 'image/png' }] };
    expect(() => readAttachments(input)).toThrow(`attachments[0]: ${path} is ${kind}, not a file`);
  });

  it('that has gone since the turn was given is told before anything is sent', () => {
    const path = join(newPlace().home, 'data.csv');
    const input = { text: 'look', attachments: [{ path, name: 'data.csv', mimeType: 'text/csv' }] };
    expect(() => readAttachments(input)).toThrow(`attachments[0]: ${path} does not exist`);
  });

  it('may be a folder for an agent that opens it, and is no picture when it is huge', () => {
    const { home } = newPlace();
    expect(attachmentProblem(home, 'application/octet-stream')).toBeUndefined();
    const path = join(home, 'picture.png');
    makeSparse(path, 1024 ** 3);
    expect(attachmentProblem(path, 'image/png')).toContain(`${path} has ${1024 ** 3} bytes`);
    expect(attachmentProblem(path, 'application/zip')).toBeUndefined();
  });
});
