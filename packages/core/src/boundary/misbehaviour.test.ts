import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { HostReport } from '../../test/misbehave.ts';

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

/** Behavior the contract allows, which need not be reported. */
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
  // Any string is a valid key, channel or route; a state may be any object.
  open: ['{}', 'events that are null'],
  'share.key': ['a string'],
  'share.channelOf': ['a string'],
  'share.route': ['undefined', 'a string'],
  idleMs: ['undefined', 'a number'],
};

/** The host must survive to its end and report every case. */
async function misbehave(group: string): Promise<HostReport[]> {
  const args = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', program, group];
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout, stderr } = await run(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 });
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line): HostReport => JSON.parse(line));
}

/** How runs end when this member misbehaves, according to the failure table of the contract. */
const ENDS: Readonly<Record<string, readonly (string | null)[]>> = {
  initialize: [null, 'completed', 'timeout'],
  applyDefaults: [null],
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
  handshake: [null],
  turn: ['failed'],
  'turn before the session': [null],
  decode: ['timeout'],
  resolve: ['failed'],
  interrupt: ['interrupted'],
  steer: ['timeout'],
  setModel: ['timeout'],
  setApprovalMode: ['timeout'],
  close: ['completed'],
  idleMs: ['completed'],
  onIdle: ['timeout'],
  'share.key': [null, 'completed'],
  'share.channelOf': [null, 'completed'],
  'share.route': ['completed', 'timeout'],
};

describe('host with a misbehaving adapter', () => {
  it.each(['launching', 'decoding', 'hooks', 'conversation'])(
    'survives, reports it and ends the run correctly: %s',
    async (group) => {
      const reports = await misbehave(group);
      expect(reports.length).toBeGreaterThan(50);
      expect(reports.filter(({ hung }) => hung)).toEqual([]);
      expect(reports.filter(({ errors }) => errors.includes('not one of ours'))).toEqual([]);
      expect(reports.filter(({ member, exitReason }) => !ENDS[member]?.includes(exitReason))).toEqual([]);
      const silent = reports.filter(({ errors }) => errors.length === 0);
      expect(silent.filter(({ member, how }) => !ALLOWED[member]?.includes(how))).toEqual([]);
    },
    180_000,
  );

  it('survives and returns a result or an adapter error: auth and config', async () => {
    const reports = await misbehave('auth-and-config');
    expect(reports.length).toBeGreaterThan(200);
    expect(reports.filter(({ hung }) => hung)).toEqual([]);
    expect(reports.filter(({ errors }) => errors.some((code) => code !== 'ADAPTER_ERROR'))).toEqual([]);
  }, 180_000);
});
