import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, sessionStart, turnEnd, typed, useBench } from '../../../test/engine.ts';
import { createSparse, ODD_FILES } from '../../../test/odd-files.ts';
import { NO_USAGE } from '../../contract/events.ts';
import type { RunResult } from '../../contract/run.ts';
import { appendRunRecord, RUN_RECORD_SCHEMA, readRunIndex, runIndexFile, runRecordOf } from './run-index.ts';

const RESULT: RunResult = {
  runId: 'r1',
  agent: 'acme',
  mode: 'live',
  text: 'the answer',
  sessionId: 's1',
  model: 'm',
  usage: { ...NO_USAGE, inputTokens: 3 },
  costUsd: null,
  costSource: null,
  serviceTier: null,
  quota: null,
  durationMs: 12,
  exitReason: 'completed',
  exitCode: 0,
  error: null,
  turnCount: 1,
  tags: ['nightly'],
};

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'run-index-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));
const record = runRecordOf(RESULT, { startedAt: 7, cwd: '/project' });

const bench = useBench();

describe('run index', () => {
  it('stores metadata of a run but not its content', async () => {
    expect(await appendRunRecord(dir, record)).toBeNull();
    expect((await readRunIndex(dir)).records).toEqual([record]);
    expect(record).toMatchObject({ schema: RUN_RECORD_SCHEMA, runId: 'r1', startedAt: 7, usage: { inputTokens: 3 } });
    expect(await readFile(runIndexFile(dir), 'utf8')).not.toContain('the answer');
  });

  it('is ignored by git, unlike the configuration next to it', async () => {
    await appendRunRecord(dir, record);
    expect((await readFile(join(dir, '.agent-mux', '.gitignore'), 'utf8')).split('\n')).toEqual([
      '*',
      '!config.json',
      '',
    ]);
    await writeFile(join(dir, '.agent-mux', '.gitignore'), 'mine\n');
    await appendRunRecord(dir, record);
    expect(await readFile(join(dir, '.agent-mux', '.gitignore'), 'utf8')).toBe('mine\n');
  });

  it('truncates long texts and removes secrets from an error', async () => {
    const key = ['sk-', 'abcdefghijklmnop1234'].join('');
    const long = runRecordOf(
      {
        ...RESULT,
        error: { code: 'AUTH_ERROR', message: `${key} ${'x'.repeat(9000)}` },
        tags: Array(500).fill('t'.repeat(500)),
      },
      { startedAt: 7, cwd: '/project' },
    );
    expect(JSON.stringify(long)).not.toContain(key);
    expect(await appendRunRecord(dir, long)).toBeNull();
  });

  it('contains no secret of the run in any text', () => {
    const secret = 'correct-horse-battery';
    const record = runRecordOf(
      {
        ...RESULT,
        sessionId: `s-${secret}`,
        model: secret,
        error: { code: 'AUTH_ERROR', message: `refused: ${secret}` },
        tags: ['ok', `t-${secret}`],
      },
      { startedAt: 7, cwd: `/tmp/${secret}`, secrets: [secret] },
    );
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(record.tags[0]).toBe('ok');
  });

  it('returns an error instead of failing the run', async () => {
    expect(await appendRunRecord(join(dir, 'missing'), record)).toBeInstanceOf(Error);
    expect(await appendRunRecord(dir, { ...record, cwd: 'x'.repeat(5000) })).toMatchObject({ message: /limit/ });
  });

  it.skipIf(process.platform === 'win32')('does not follow a link from a repository', async () => {
    const victim = join(dir, 'profile');
    await writeFile(victim, 'mine\n');
    await mkdir(join(dir, '.agent-mux'));
    await symlink(victim, runIndexFile(dir));
    expect(await appendRunRecord(dir, record)).toBeInstanceOf(Error);
    expect(await readFile(victim, 'utf8')).toBe('mine\n');

    const other = join(dir, 'other');
    await mkdir(other);
    await symlink(join(dir, '.agent-mux'), join(other, '.agent-mux'));
    expect(await appendRunRecord(other, record)).toMatchObject({ message: /is a link/ });
  });

  it('skips and counts invalid lines', async () => {
    await appendRunRecord(dir, record);
    await writeFile(runIndexFile(dir), '{"half":\n{"schema":"other/1"}\n', { flag: 'a' });
    await appendRunRecord(dir, record);
    expect(await readRunIndex(dir)).toEqual({ records: [record, record], skippedLines: 2 });
    expect(await readRunIndex(join(dir, 'nowhere'))).toEqual({ records: [], skippedLines: 0 });
  });

  it('loses no record when eight processes append concurrently', async () => {
    const processes = 8;
    const each = 200;
    const script = `
      const { appendRunRecord } = await import(process.argv[1]);
      const [, , dir, name, each] = process.argv;
      const record = ${JSON.stringify(record)};
      for (let i = 0; i < Number(each); i += 1) {
        const error = await appendRunRecord(dir, { ...record, runId: name + '-' + i, tags: ['x'.repeat((i * 37) % 1500)] });
        if (error) throw error;
      }`;
    const children = Array.from({ length: processes }, (_, name) =>
      spawn(
        process.execPath,
        ['--input-type=module', '-e', script, import.meta.resolve('./run-index.ts'), dir, String(name), String(each)],
        { stdio: ['ignore', 'ignore', 'inherit'] },
      ),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual(Array(processes).fill(0));
    const { records, skippedLines } = await readRunIndex(dir);
    expect(skippedLines).toBe(0);
    expect(new Set(records.map(({ runId }) => runId)).size).toBe(processes * each);
    expect(records.length).toBe(processes * each);
  }, 120_000);
});

describe.skipIf(process.platform !== 'linux')('run index that cannot be written', () => {
  it.each([
    ['its folder takes no file', async () => writeFile(join(dir, '.agent-mux'), 'a file')],
    ['it is a link', async () => symlinkTo('/dev/full')],
  ])('is reported in the events of the run, which still completes: %s', async (_, prepare) => {
    await prepare();
    const { run } = bench.fake([sessionStart, turnEnd], {}, { runIndex: dir });
    const handle = run();
    const events = await eventsOf(handle);
    expect((await handle.result).exitReason).toBe('completed');
    const reported = { code: 'run_index_failed', message: expect.stringContaining('cannot append to') };
    expect(typed(events, 'debug')).toContainEqual(expect.objectContaining(reported));
    expect(events.at(-1)?.type).toBe('session_end');
  });

  async function symlinkTo(target: string): Promise<void> {
    await mkdir(join(dir, '.agent-mux'));
    await symlink(target, runIndexFile(dir));
  }
});

describe.skipIf(process.platform === 'win32')('run index that is not a regular file', () => {
  it.each(Object.entries(ODD_FILES))('is neither read nor written if it is %s', async (kind, make) => {
    await mkdir(join(dir, '.agent-mux'));
    await make(runIndexFile(dir));
    const what = kind === 'a device' ? 'ELOOP' : `it is ${kind}, not a file`;
    expect((await appendRunRecord(dir, record))?.message).toContain(`cannot append to ${runIndexFile(dir)}: ${what}`);
    await expect(readRunIndex(dir)).rejects.toThrow(`cannot read ${runIndexFile(dir)}: it is ${kind}, not a file`);
  });

  it('is neither read nor written if it is huge', async () => {
    createSparse(runIndexFile(dir), 1024 ** 3);
    expect((await appendRunRecord(dir, record))?.message).toContain(`has ${1024 ** 3} bytes`);
    await expect(readRunIndex(dir)).rejects.toThrow(`has ${1024 ** 3} bytes`);
  });

  it('is reported in the events of the run, which still completes', async () => {
    await mkdir(join(dir, '.agent-mux'));
    await ODD_FILES['a named pipe'](runIndexFile(dir));
    const { run } = bench.fake([sessionStart, turnEnd], {}, { runIndex: dir });
    const handle = run();
    const events = await eventsOf(handle);
    expect((await handle.result).exitReason).toBe('completed');
    const warning = { code: 'run_index_failed', message: expect.stringContaining('a named pipe') };
    expect(typed(events, 'debug')).toContainEqual(expect.objectContaining(warning));
  });
});
