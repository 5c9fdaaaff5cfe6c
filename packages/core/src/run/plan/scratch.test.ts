import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { live, next, sessionStart, text, turnEnd, useBench } from '../../../test/engine.ts';
import { runHost } from '../../../test/run-host.ts';
import { createScratch, removeScratch } from './scratch.ts';

const bench = useBench();

/** The host drops its privileges if it is root, who may do anything. */
const UNPRIVILEGED = 65534;

/** A temporary folder, and a host whose agent runs these commands on its scratch folder. */
function playing(...commands: string[]) {
  const tmp = bench.folder();
  if (process.getuid?.() === 0) chownSync(tmp, UNPRIVILEGED, UNPRIVILEGED);
  return { tmp, played: runHost('scratch.ts', commands, { env: { TMPDIR: tmp, TMP: tmp } }) };
}

describe('agent that tampers with its scratch folder', { timeout: 90_000 }, () => {
  const TREE = 'mkdir -p "$SCRATCH/a/b" && echo x >"$SCRATCH/a/b/c"';
  const LONG = Array.from({ length: 15 }, () => 'x'.repeat(200)).join('/');
  const DEEP = `cd "$SCRATCH" && mkdir -p one/${LONG} two/${LONG} && mv one two/${LONG}`;
  it.each([
    ['locks it', 'chmod 000 "$SCRATCH"'],
    ['locks folders within', `${TREE}; chmod 000 "$SCRATCH/a/b" "$SCRATCH/a"`],
    ['makes a tree that no path reaches', DEEP],
    ['removes it', 'rm -rf "$SCRATCH"'],
    ['puts a file in its place', 'rm -rf "$SCRATCH"; echo x >"$SCRATCH"'],
  ])('%s: the run completes and the folder is removed', async (_what, command) => {
    const { tmp, played } = playing(command);
    expect(await played).toMatchObject({ exitReason: 'completed', warnings: [], left: false });
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('replaces it with a link: only the link is removed, with a warning', async () => {
    const target = bench.folder();
    mkdirSync(join(target, 'locked'), { mode: 0o500 });
    writeFileSync(join(target, 'file'), 'content');
    chmodSync(target, 0o777);
    const { tmp, played } = playing(`rm -rf "$SCRATCH"; ln -s '${target}' "$SCRATCH"`);
    expect(await played).toMatchObject({ exitReason: 'completed', warnings: ['scratch_left'], left: false });
    expect(readdirSync(tmp)).toEqual([]);
    expect(readdirSync(target)).toEqual(['file', 'locked']);
    expect(statSync(target).mode & 0o777).toBe(0o777);
    expect(statSync(join(target, 'locked')).mode & 0o777).toBe(0o500);
  });

  it('makes it impossible to remove: the run completes with a warning', async () => {
    const { tmp, played } = playing('echo x >"$SCRATCH/x"; chmod 500 "$(dirname "$SCRATCH")"');
    expect(await played).toMatchObject({ exitReason: 'completed', warnings: ['scratch_left'], left: true });
    expect(readdirSync(tmp)).toHaveLength(1);
    chmodSync(tmp, 0o700);
  });

  it('links over a helper file of the next turn: nothing is written through the link', async () => {
    const target = bench.folder();
    const file = join(target, 'precious');
    writeFileSync(file, 'precious');
    chmodSync(target, 0o777);
    chmodSync(file, 0o666);
    const { played } = playing(
      `ln -sf '${file}' "$SCRATCH/sub/helper.md"`,
      `cat "$SCRATCH/sub/helper.md"; rm -rf "$SCRATCH/sub"; ln -s '${target}' "$SCRATCH/sub"`,
      'cat "$SCRATCH/sub/helper.md"',
    );
    expect(await played).toMatchObject({ exitReason: 'completed', text: 'a helper file', left: false });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(readdirSync(target)).toEqual(['precious']);
  });

  it('replaces it between two turns: the run fails with the reason', async () => {
    const { played } = playing('rm -rf "$SCRATCH"; ln -s / "$SCRATCH"', 'true');
    expect(await played).toMatchObject({
      exitReason: 'crashed',
      error: expect.stringContaining('replaced its scratch folder'),
      left: false,
    });
  });
});

describe('scratch folder', () => {
  it('is not created over anything of its name, even a dangling link', () => {
    const path = join(bench.folder(), 'scratch');
    symlinkSync('nowhere', path);
    expect(() => createScratch(path)).toThrow(/cannot create a folder for files of the run/);
  });

  it('can be removed without having been created', async () => {
    expect(await removeScratch(join(bench.folder(), 'scratch'))).toBeUndefined();
  });
});

describe('run id', () => {
  it('of an active run of this client is refused', async () => {
    const engine = bench.fake(live([text('there'), { do: 'await-steer' }, turnEnd]));
    const first = engine.run({ runId: 'mine' });
    await next(first, 'text_delta');
    expect(() => engine.run({ runId: 'mine' })).toThrow(/runId.*belongs to a run that has not ended/s);
    await first.abort();
    const again = engine.run({ runId: 'mine' });
    await again.abort();
  });

  it.each(['', '.', '..', '-x', 'a/b', 'a b', 'x'.repeat(129), 'a\n', 'a=b\0'])('rejects %j', (runId) => {
    expect(() => bench.fake([sessionStart]).run({ runId })).toThrow(/runId/);
  });
});
