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
import { makeScratch, removeScratch } from './scratch.ts';

const bench = useBench();

/** The host becomes nobody if this is root, who may do anything. */
const NOBODY = 65534;

/** A temporary folder, and a host whose agent does this to its scratch folder in it. */
function playing(...commands: string[]) {
  const tmp = bench.folder();
  if (process.getuid?.() === 0) chownSync(tmp, NOBODY, NOBODY);
  return { tmp, played: runHost('scratch.ts', commands, { env: { TMPDIR: tmp, TMP: tmp } }) };
}

describe('an agent that does to its scratch folder what it likes', { timeout: 90_000 }, () => {
  const TREE = 'mkdir -p "$SCRATCH/a/b" && echo x >"$SCRATCH/a/b/c"';
  const LONG = Array.from({ length: 15 }, () => 'x'.repeat(200)).join('/');
  const DEEP = `cd "$SCRATCH" && mkdir -p one/${LONG} two/${LONG} && mv one two/${LONG}`;
  it.each([
    ['locks it', 'chmod 000 "$SCRATCH"'],
    ['locks folders within', `${TREE}; chmod 000 "$SCRATCH/a/b" "$SCRATCH/a"`],
    ['makes a tree that no path reaches', DEEP],
    ['removes it', 'rm -rf "$SCRATCH"'],
    ['puts a file in its place', 'rm -rf "$SCRATCH"; echo x >"$SCRATCH"'],
  ])('%s: the run ends well, and the folder is gone', async (_what, command) => {
    const { tmp, played } = playing(command);
    expect(await played).toMatchObject({ exitReason: 'completed', told: [], left: false });
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('puts a link in its place: the link goes, what it points at stays as it was, and it is told', async () => {
    const target = bench.folder();
    mkdirSync(join(target, 'locked'), { mode: 0o500 });
    writeFileSync(join(target, 'kept'), 'kept');
    chmodSync(target, 0o777);
    const { tmp, played } = playing(`rm -rf "$SCRATCH"; ln -s '${target}' "$SCRATCH"`);
    expect(await played).toMatchObject({ exitReason: 'completed', told: ['scratch_left'], left: false });
    expect(readdirSync(tmp)).toEqual([]);
    expect(readdirSync(target)).toEqual(['kept', 'locked']);
    expect(statSync(target).mode & 0o777).toBe(0o777);
    expect(statSync(join(target, 'locked')).mode & 0o777).toBe(0o500);
  });

  it('makes it impossible to remove: the run ends well, and it is told', async () => {
    const { tmp, played } = playing('echo x >"$SCRATCH/x"; chmod 500 "$(dirname "$SCRATCH")"');
    expect(await played).toMatchObject({ exitReason: 'completed', told: ['scratch_left'], left: true });
    expect(readdirSync(tmp)).toHaveLength(1);
    chmodSync(tmp, 0o700);
  });

  it('puts a link where a helper file of the next turn lies: nothing is written through it', async () => {
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

  it('replaces it between two turns: the run fails, and says why', async () => {
    const { played } = playing('rm -rf "$SCRATCH"; ln -s / "$SCRATCH"', 'true');
    expect(await played).toMatchObject({
      exitReason: 'crashed',
      error: expect.stringContaining('replaced its scratch folder'),
      left: false,
    });
  });
});

describe('a scratch folder', () => {
  it('is not made where anything has its name, not even a link to nowhere', () => {
    const path = join(bench.folder(), 'scratch');
    symlinkSync('nowhere', path);
    expect(() => makeScratch(path)).toThrow(/no folder for files of the run could be made/);
  });

  it('that was never made is gone', async () => {
    expect(await removeScratch(join(bench.folder(), 'scratch'))).toBeUndefined();
  });
});

describe('a run id', () => {
  it('that belongs to a run of this client is refused until that has ended', async () => {
    const engine = bench.fake(live([text('there'), { do: 'await-steer' }, turnEnd]));
    const first = engine.run({ runId: 'mine' });
    await next(first, 'text_delta');
    expect(() => engine.run({ runId: 'mine' })).toThrow(/runId.*belongs to a run that has not ended/s);
    await first.abort();
    const again = engine.run({ runId: 'mine' });
    await again.abort();
  });

  it.each(['', '.', '..', '-x', 'a/b', 'a b', 'x'.repeat(129), 'a\n', 'a=b\0'])('may not be %j', (runId) => {
    expect(() => bench.fake([sessionStart]).run({ runId })).toThrow(/runId/);
  });
});
