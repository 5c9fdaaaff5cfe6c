import { existsSync, readdirSync } from 'node:fs';
import type { RecordingFixture } from '@agent-mux/testkit/contract-suite';

/** The mode that a recording was made in, by its name; the first match wins. */
type ModeByName = readonly (readonly [RegExp, string | null])[];

const MODES: Readonly<Record<string, ModeByName>> = {
  claude: [
    [/^session-file/, null],
    [/\.jsonl$/, 'oneshot'],
    [/\.txt$/, 'live'],
  ],
  cline: [[/\.jsonl$/, 'json']],
  codex: [
    [/^exec-.*\.jsonl$/, 'exec'],
    [/\.txt$/, 'app-server'],
  ],
  droid: [
    [/^exec-.*\.jsonl$/, 'exec'],
    [/\.txt$/, 'stream-jsonrpc'],
  ],
  gemini: [[/\.jsonl$/, 'stream-json']],
  goose: [[/\.jsonl$/, 'run']],
  grok: [[/\.jsonl$/, 'messages']],
  kilo: [
    [/^run-/, 'run'],
    [/^serve-/, 'serve'],
  ],
  opencode: [
    [/^run-/, 'run'],
    [/^serve-/, 'serve'],
  ],
  omp: [
    [/\.jsonl$/, 'json'],
    [/\.txt$/, 'rpc'],
  ],
  pi: [
    [/\.jsonl$/, 'json'],
    [/\.txt$/, 'rpc'],
  ],
  qwen: [
    [/^conversation/, 'live'],
    [/\.jsonl$/, 'oneshot'],
  ],
};

const SPOKEN = [{ type: 'session_start' }, { type: 'text_delta' }] as const;
/** The maximum number of turns of any recording. */
const INPUTS = ['one', 'two', 'three', 'four', 'five', 'six'];

/** Every output recording of an agent. Its meaning is reviewed in the agent's own tests. */
export function recordingsOf(agent: string): RecordingFixture[] {
  const folder = new URL(`../src/${agent}/recordings/`, import.meta.url);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name): RecordingFixture[] => {
      const mode = MODES[agent]?.find(([pattern]) => pattern.test(name))?.[1];
      if (!mode) return [];
      const contains = /^(exec-|run-)?hello\.jsonl$/.test(name) ? SPOKEN : [];
      return [{ name, mode, file: new URL(name, folder), contains, live: { inputs: INPUTS } }];
    });
}

/** Conversations over ACP are in one folder, by the name of their agent. */
export function acpRecording(agent: string): RecordingFixture {
  const file = new URL(`../src/acp/recordings/${agent}.jsonl`, import.meta.url);
  return { name: `acp/${agent}.jsonl`, mode: 'acp', file, live: { inputs: INPUTS } };
}
