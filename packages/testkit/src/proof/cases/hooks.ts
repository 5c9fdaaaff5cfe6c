import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentAdapter, type HookReport, isRecord } from '@agent-mux/core';
import type { Bench } from '../bench.ts';
import type { ProofCase } from '../proof-case.ts';
import type { RecordedRun } from '../recorded-run.ts';

/** What the hooks call, by name: in its place a script that keeps each call with what it was given. */
function listen(bench: Bench): { PATH: string; calls(): { event: string; report: HookReport }[] } {
  const folder = bench.folderBeside('listener');
  const log = join(folder, 'calls');
  const script = `#!/bin/sh\n{ printf '%s ' "$3"; tr -d '\\n'; echo; } >> '${log}'\n`;
  writeFileSync(join(folder, 'amux'), script);
  chmodSync(join(folder, 'amux'), 0o755);
  const { hooks } = bench.client.adapters.get(bench.agent);
  return {
    PATH: `${folder}:${bench.env.PATH}`,
    calls: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [event = '', ...rest] = line.split(' ');
          const payload: unknown = JSON.parse(rest.join(' ') || '{}');
          return { event, report: hooks?.read(event, isRecord(payload) ? payload : {}) ?? {} };
        }),
  };
}

function assertTold(bench: Bench, run: RecordedRun, calls: readonly { event: string; report: HookReport }[]): void {
  const told = calls.map(({ event, report }) => `${event} ${JSON.stringify(report)}`).join('\n');
  run.completed();
  const states = calls.flatMap(({ report }) => report.state ?? []);
  assert.ok(states.includes('active'), `it was seen at work:\n${told}`);
  assert.ok(states.includes('idle'), `it was seen at rest:\n${told}`);
  const hasPrompt = calls.some(({ report }) => report.prompt?.includes('Touch a file'));
  assert.equal(hasPrompt, bench.asserts('hooksWithoutPrompt'), `it told the prompt:\n${told}`);
  // Over ACP Gemini 0.61 has a session of its own beside that of the conversation, and tells its end.
  const ids = new Set(calls.flatMap(({ report }) => (report.state === 'exited' ? [] : (report.agentSessionId ?? []))));
  assert.equal(ids.size, 1, `one session:\n${told}`);
  if (run.result.sessionId !== null) assert.ok(ids.has(run.result.sessionId), `${run.result.sessionId}:\n${told}`);
}

/** Plugins and scripts tell without being waited for: `hooks` shows what comes of it. */
const isWaitedFor = ({ hooks }: AgentAdapter): boolean =>
  hooks !== undefined && hooks.file.shape !== 'plugin' && hooks.file.shape !== 'scripts';

/** What an agent's own hooks tell of a session, as the daemon hears it. */
export const hookCases: readonly ProofCase[] = [
  {
    id: 'hooks-for-a-run',
    unasserted: ['hooksWithoutPrompt'],
    title: 'the hooks of one run tell the session, the prompt, the work and its end, and the folder stays as it was',
    shows: [],
    needs: (_capabilities, _proof, adapter) => adapter.hooks?.forRun !== undefined && isWaitedFor(adapter),
    async run(bench) {
      const { PATH, calls } = listen(bench);
      bench.replies(bench.shell('touch hooked.txt'), 'Touched.');
      const run = await bench.run({ prompt: 'Touch a file.', hooks: true, env: { PATH } });
      assertTold(bench, run, calls());
    },
  },
  {
    id: 'hooks-of-a-workspace',
    unasserted: ['hooksWithoutPrompt'],
    title: 'hooks that are installed in a workspace tell the same of a session that nobody asked to',
    shows: [],
    needs: (_capabilities, proof, adapter) => isWaitedFor(adapter) && proof.hookTrust !== 'person',
    async run(bench) {
      const { PATH, calls } = listen(bench);
      const { hookTrust } = bench.proof;
      const { files = {}, env = {} } = typeof hookTrust === 'function' ? hookTrust(bench.cwd) : {};
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(bench.home, path)), { recursive: true });
        appendFileSync(join(bench.home, path), text);
      }
      // Where people work; Grok Build 1.0 looks for hooks nowhere else.
      execFileSync('git', ['init', '-q'], { cwd: bench.cwd });
      await bench.client.hooks.install(bench.agent, { cwd: bench.cwd });
      bench.replies(bench.shell('touch hooked.txt'), 'Touched.');
      const run = await bench.run({ prompt: 'Touch a file.', env: { ...env, PATH } });
      assertTold(bench, run, calls());
    },
  },
];
