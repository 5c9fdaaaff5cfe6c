import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostFiles } from './host-files.ts';

describe('host files of an adapter', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'host-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('lists names, and none for a missing folder', async () => {
    put('a', '');
    expect(await hostFiles.list(folder)).toEqual(['a']);
    expect(await hostFiles.list(join(folder, 'missing'))).toEqual([]);
  });

  it('reads up to the end of the first line, with a size limit', async () => {
    const long = 'x'.repeat(200_000);
    expect(await hostFiles.firstLine(put('two-lines', `${long}\nrest`))).toBe(long);
    expect(await hostFiles.firstLine(put('no-end', 'all of it'))).toBe('all of it');
    expect(await hostFiles.firstLine(put('endless', 'x'.repeat(3_000_000)))).toHaveLength(1024 * 1024);
  });

  it('rejects anything that is not a file', async () => {
    mkdirSync(join(folder, 'folder'));
    await expect(hostFiles.firstLine(join(folder, 'folder'))).rejects.toThrow('a folder, not a file');
    await expect(hostFiles.firstLine(join(folder, 'missing'))).rejects.toThrow('ENOENT');
  });

  it('renames within a folder', async () => {
    await hostFiles.rename(put('old', 'kept'), 'new');
    expect(readdirSync(folder)).toEqual(['new']);
  });
});
