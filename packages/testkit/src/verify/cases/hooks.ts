import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AgentAdapter, type HookReport, isRecord } from '@agent-mux/core';
import type { Bench } from '../bench.ts';
import type { RecordedRun } from '../recorded-run.ts';
import type { VerifyCase } from '../verify-case.ts';

/** A command that the hooks call by name: a script that logs each call with its input. */
function listen(bench: Bench): { PATH: string; calls(): { event: string; report: HookReport }[] } {
  const folder = bench.siblingFolder('listener');
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

function assertReported(bench: Bench, run: RecordedRun, calls: readonly { event: string; report: HookReport }[]): void {
  const reports = calls.map(({ event, report }) => `${event} ${JSON.stringify(report)}`).join('\n');
  run.completed();
  const states = calls.flatMap(({ report }) => report.state ?? []);
  assert.ok(states.includes('active'), `it was active:\n${reports}`);
  assert.ok(states.includes('idle'), `it was idle:\n${reports}`);
  const hasPrompt = calls.some(({ report }) => report.prompt?.includes('Touch a file'));
  assert.equal(hasPrompt, bench.asserts('hooksWithoutPrompt'), `it reported the prompt:\n${reports}`);
  // Over ACP Gemini 0.61 has a separate session in addition to the conversation, and reports its end.
  const ids = new Set(calls.flatMap(({ report }) => (report.state === 'exited' ? [] : (report.agentSessionId ?? []))));
  assert.equal(ids.size, 1, `one session:\n${reports}`);
  if (run.result.sessionId !== null) assert.ok(ids.has(run.result.sessionId), `${run.result.sessionId}:\n${reports}`);
}

/** Plugins and scripts report asynchronously: `hooks` shows the result. */
const isWaitedFor = ({ hooks }: AgentAdapter): boolean =>
  hooks !== undefined && hooks.file.shape !== 'plugin' && hooks.file.shape !== 'scripts';

/** Reports of an agent's own hooks about a session, as the daemon gets them. */
export const hookCases: readonly VerifyCase[] = [
  {
    id: 'hooks-for-a-run',
    unasserted: ['hooksWithoutPrompt'],
    title: 'the hooks of one run report session, prompt, activity and end, and leave the folder unchanged',
    shows: [],
    needs: (_capabilities, _setup, adapter) => adapter.hooks?.forRun !== undefined && isWaitedFor(adapter),
    async run(bench) {
      const { PATH, calls } = listen(bench);
      bench.replies(bench.shell('touch hooked.txt'), 'Touched.');
      const run = await bench.run({ prompt: 'Touch a file.', hooks: true, env: { PATH } });
      assertReported(bench, run, calls());
    },
  },
  {
    id: 'hooks-of-a-workspace',
    unasserted: ['hooksWithoutPrompt'],
    title: 'hooks installed in a workspace report the same for any session there',
    shows: [],
    needs: (_capabilities, setup, adapter) => isWaitedFor(adapter) && setup.hookTrust !== 'person',
    async run(bench) {
      const { PATH, calls } = listen(bench);
      const { hookTrust } = bench.setup;
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
      assertReported(bench, run, calls());
    },
  },
];
