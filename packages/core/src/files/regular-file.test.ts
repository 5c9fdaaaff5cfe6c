import { constants, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSparse, ODD_FILES } from '../../test/odd-files.ts';
import { useScratch } from '../../test/scratch.ts';
import { ignoreMissing, openRegularFile, readRegularFile, readRegularFileSync } from './regular-file.ts';

const newPlace = useScratch();
const GIGABYTE = 1024 ** 3;

describe.skipIf(process.platform === 'win32')('untrusted file', () => {
  it.each(Object.entries(ODD_FILES))('is rejected without blocking if it is %s', async (kind, make) => {
    const path = join(newPlace().home, 'odd');
    await make(path);
    const refusal = `it is ${kind}, not a file`;
    await expect(readRegularFile(path, { limit: 100 })).rejects.toThrow(refusal);
    expect(() => readRegularFileSync(path, { limit: 100 })).toThrow(refusal);
    await expect(openRegularFile(path, constants.O_WRONLY | constants.O_APPEND)).rejects.toThrow(refusal);
  });

  it('is rejected above the limit, even if its reported size is wrong', async () => {
    const path = join(newPlace().home, 'huge');
    createSparse(path, GIGABYTE);
    const refusal = `it has ${GIGABYTE} bytes; the limit is 100`;
    await expect(readRegularFile(path, { limit: 100 })).rejects.toThrow(refusal);
    expect(() => readRegularFileSync(path, { limit: 100 })).toThrow(refusal);
    if (process.platform !== 'linux') return;
    await expect(readRegularFile('/proc/self/maps', { limit: 100 })).rejects.toThrow('more bytes');
    expect(() => readRegularFileSync('/proc/self/maps', { limit: 100 })).toThrow('more bytes');
  });

  it('is read whole up to the limit, through links unless disallowed', async () => {
    const { home, write } = newPlace();
    const path = write('file', 'x'.repeat(100));
    const link = join(home, 'link');
    symlinkSync(path, link);
    for (const each of [path, link]) {
      expect((await readRegularFile(each, { limit: 100 })).length).toBe(100);
      expect(readRegularFileSync(each, { limit: 100 }).length).toBe(100);
    }
    await expect(readRegularFile(link, { limit: 100, followLinks: false })).rejects.toThrow('ELOOP');
    writeFileSync(path, '');
    expect((await readRegularFile(path, { limit: 100 })).length).toBe(0);
  });

  it('may be missing', async () => {
    expect(await readRegularFile(join(newPlace().home, 'none'), { limit: 1 }).catch(ignoreMissing)).toBeUndefined();
  });
});
