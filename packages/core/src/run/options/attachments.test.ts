import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSparse, ODD_FILES } from '../../../test/odd-files.ts';
import { useScratch } from '../../../test/scratch.ts';
import { attachmentProblem, readAttachments } from './attachments.ts';

const newScratch = useScratch();

describe.skipIf(process.platform === 'win32')('attachment', () => {
  it.each(Object.entries(ODD_FILES))('is not read if it is %s', async (kind, make) => {
    const path = join(newScratch().home, 'image.png');
    await make(path);
    expect(attachmentProblem(path, 'image/png')).toBe(`${path} is ${kind}, not a file`);
    const input = { text: 'look', attachments: [{ path, name: 'image.png', mimeType: 'image/png' }] };
    expect(() => readAttachments(input)).toThrow(`attachments[0]: ${path} is ${kind}, not a file`);
  });

  it('is reported before sending if it was deleted after the turn was queued', () => {
    const path = join(newScratch().home, 'data.csv');
    const input = { text: 'look', attachments: [{ path, name: 'data.csv', mimeType: 'text/csv' }] };
    expect(() => readAttachments(input)).toThrow(`attachments[0]: ${path} does not exist`);
  });

  it('may be a folder for an agent that opens it, but not a huge image', () => {
    const { home } = newScratch();
    expect(attachmentProblem(home, 'application/octet-stream')).toBeUndefined();
    const path = join(home, 'image.png');
    createSparse(path, 1024 ** 3);
    expect(attachmentProblem(path, 'image/png')).toContain(`${path} has ${1024 ** 3} bytes`);
    expect(attachmentProblem(path, 'application/zip')).toBeUndefined();
  });
});
