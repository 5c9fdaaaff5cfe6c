import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Told } from '../../test/misbehave.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../test/misbehave.ts');

/** Members whose resolved value is ignored. */
const IGNORED_VALUES = [
  'undefined',
  'null',
  '[null]',
  'a string',
  'a number',
  '{}',
  '[{}]',
  'an unknown type',
  'a field of another type',
  'events that are null',
  'an event that cannot be read',
  'frozen events',
  'far too many events',
  'far too much text',
];

/** What a member may do by its contract; nothing has to be told of it. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  beforeSpawn: IGNORED_VALUES,
  initialize: IGNORED_VALUES,
  // Nothing is added.
  'hooks.forRun': ['{}', 'events that are null'],
  parseEvent: ['null', 'frozen events'],
  'parseEvent of a live agent': ['null', 'frozen events', 'far too many events'],
  parseEnd: ['frozen events'],
  onProcessExit: ['frozen events'],
  'onProcessExit after a turn': ['frozen events'],
  // Any word is a key, a channel or a way; a state may be any object.
  open: ['{}', 'events that are null'],
  'share.key': ['a string'],
  'share.channelOf': ['a string'],
  'share.route': ['undefined', 'a string'],
  quietMs: ['undefined', 'a number'],
};

/** The host lives to its end, and tells every case. */
async function misbehave(group: string): Promise<Told[]> {
  const args = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', program, group];
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout, stderr } = await run(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 });
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line): Told => JSON.parse(line));
}

/** How runs end when this member misbehaves: as the contract's table of failures says. */
const ENDS: Readonly<Record<string, readonly (string | null)[]>> = {
  initialize: [null, 'completed', 'timeout'],
  fillOptions: [null],
  buildSpawnArgs: [null],
  beforeSpawn: [null, 'completed', 'timeout'],
  detectInstallation: [null],
  'hooks.forRun': [null, 'completed'],
  parseEvent: ['completed'],
  'parseEvent of a live agent': ['completed', 'timeout'],
  parseEnd: ['completed'],
  onProcessExit: ['crashed'],
  'onProcessExit after a turn': ['completed'],
  onTimeout: ['timeout'],
  'onTimeout of a silence': ['inactivity'],
  onSpawnError: ['crashed'],
  shouldRetry: ['crashed'],
  open: [null, 'timeout'],
  hello: [null],
  turn: ['failed'],
  'turn before the session': [null],
  decode: ['timeout'],
  resolve: ['failed'],
  interrupt: ['interrupted'],
  steer: ['timeout'],
  setModel: ['timeout'],
  setApprovalMode: ['timeout'],
  close: ['completed'],
  quietMs: ['completed'],
  quiet: ['timeout'],
  'share.key': [null, 'completed'],
  'share.channelOf': [null, 'completed'],
  'share.route': ['completed', 'timeout'],
};

describe('a host whose adapter misbehaves', () => {
  it.each(['launching', 'decoding', 'hooks', 'conversation'])(
    'lives, tells it and ends the run as it should: %s',
    async (group) => {
      const told = await misbehave(group);
      expect(told.length).toBeGreaterThan(50);
      expect(told.filter(({ hung }) => hung)).toEqual([]);
      expect(told.filter(({ errors }) => errors.includes('not one of ours'))).toEqual([]);
      expect(told.filter(({ member, exitReason }) => !ENDS[member]?.includes(exitReason))).toEqual([]);
      const silent = told.filter(({ errors }) => errors.length === 0);
      expect(silent.filter(({ member, how }) => !ALLOWED[member]?.includes(how))).toEqual([]);
    },
    180_000,
  );

  it('lives and answers, or says whose fault it is: what lies around the agent', async () => {
    const told = await misbehave('surroundings');
    expect(told.length).toBeGreaterThan(200);
    expect(told.filter(({ hung }) => hung)).toEqual([]);
    expect(told.filter(({ errors }) => errors.some((code) => code !== 'ADAPTER_ERROR'))).toEqual([]);
  }, 180_000);
});
