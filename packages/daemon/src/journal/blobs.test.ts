import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlob, dropUnclaimedBlobs, openBlob, putBlob } from './blobs.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'blobs-'));
  folder = join(root, 'blobs');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function readBlob(sha256: string): Promise<string | null> {
  await using file = await openBlob(folder, sha256);
  return file && (await file.readFile('utf8'));
}

describe('blob', () => {
  it('is stored once under its hash, readable by its owner only', async () => {
    const blob = createBlob('larger than it looks: ö');
    expect(blob.sha256).toBe(createHash('sha256').update(blob.text).digest('hex'));
    putBlob(folder, blob, join(root, 's1'));
    putBlob(folder, blob, join(root, 's1'));
    putBlob(folder, blob, join(root, 's2'));
    expect(readdirSync(folder)).toEqual([blob.sha256]);
    expect(await readBlob(blob.sha256)).toBe(blob.text);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, blob.sha256)).mode & 0o777).toBe(0o600);
  });

  it('is deleted only after the last session that uses it', async () => {
    const blob = createBlob('x');
    const later = Date.now() + 60_000;
    for (const owner of ['s1', 's2']) putBlob(folder, blob, join(root, owner));
    rmSync(join(root, 's1'), { recursive: true });
    expect(await dropUnclaimedBlobs(folder, later)).toBe(0);
    rmSync(join(root, 's2'), { recursive: true });
    expect(await dropUnclaimedBlobs(folder, Date.now() - 60_000)).toBe(0);
    expect(await dropUnclaimedBlobs(folder, later)).toBe(1);
    expect(await readBlob(blob.sha256)).toBeNull();
  });

  it('is not found if it is missing, has an invalid name, or is a link', async () => {
    const { sha256 } = createBlob('x');
    expect(await readBlob(sha256)).toBeNull();
    expect(await readBlob('../blobs.test.ts')).toBeNull();
    putBlob(folder, createBlob('y'), join(root, 's1'));
    writeFileSync(join(root, 'secret'), 'secret');
    symlinkSync(join(root, 'secret'), join(folder, sha256));
    expect(await readBlob(sha256)).toBeNull();
  });
});
