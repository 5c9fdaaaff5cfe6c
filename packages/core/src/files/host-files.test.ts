import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostFiles } from './host-files.ts';

describe('the files that an adapter is handed', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'host-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('are listed by name, and are none where there is no folder', async () => {
    put('a', '');
    expect(await hostFiles.list(folder)).toEqual(['a']);
    expect(await hostFiles.list(join(folder, 'missing'))).toEqual([]);
  });

  it('are read up to the end of their first line, however long it is', async () => {
    const long = 'x'.repeat(200_000);
    expect(await hostFiles.firstLine(put('two-lines', `${long}\nrest`))).toBe(long);
    expect(await hostFiles.firstLine(put('no-end', 'all of it'))).toBe('all of it');
    expect(await hostFiles.firstLine(put('endless', 'x'.repeat(3_000_000)))).toHaveLength(1024 * 1024);
  });

  it('are not read where they are no files', async () => {
    mkdirSync(join(folder, 'folder'));
    await expect(hostFiles.firstLine(join(folder, 'folder'))).rejects.toThrow('a folder, not a file');
    await expect(hostFiles.firstLine(join(folder, 'missing'))).rejects.toThrow('ENOENT');
  });

  it('get another name in their folder', async () => {
    await hostFiles.rename(put('old', 'kept'), 'new');
    expect(readdirSync(folder)).toEqual(['new']);
  });
});
