import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunResult } from '@agent-mux/core';
import { type Command, isOn, JSON_FLAG } from '../command.ts';
import { openClient } from '../open-client.ts';
import { paint } from '../screen/paint.ts';

const PROMPT = 'Take me on a tour';

export const demo: Command = {
  usage: 'amux demo [--json]',
  about: 'A whole run in a minute: the built-in demo agent thinks, uses tools, asks for approval and answers.',
  flags: {
    json: { ...JSON_FLAG, help: 'Print the events of the run, as amux run --json does.' },
    fast: { type: 'boolean', help: 'Do not pause between words.' },
  },
  examples: [{ command: 'amux demo', about: 'watch it' }],
  notes: ['It works in a scratch folder that is removed afterwards, and needs no account, install or network.'],
  maxWords: 0,
  async run(given) {
    const json = isOn(given, 'json');
    const { showRun } = await import('../run/run-agent.ts');
    const { openTerminal } = await import('../run/terminal/terminal.ts');
    const person = openTerminal();
    const folder = mkdtempSync(join(tmpdir(), 'amux-demo-'));
    const client = await openClient(given, { cwd: folder });
    try {
      if (!json) introduce(person !== undefined);
      let session: string | null = null;
      const code = await showRun(
        client,
        { agent: 'demo', prompt: PROMPT, cwd: folder, ...(isOn(given, 'fast') ? { env: { DEMO_SPEED: '0' } } : {}) },
        {
          json,
          person,
          demonstration: true,
          beforeClosing: (_, result: RunResult) => {
            session = result.sessionId;
          },
        },
      );
      const { ownCommand } = await import('../run/closing.ts');
      if (!json) nextSteps(ownCommand().join(' '), session);
      return code;
    } finally {
      await client.close();
      person?.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function introduce(asked: boolean): void {
  const { bold, dim } = paint(process.stdout);
  const who = asked
    ? 'It will ask you before it writes a file.'
    : 'There is no terminal, so its request is approved for you.';
  process.stdout.write(
    `${bold('agent-mux')} runs every coding agent through one contract: same events, approvals, sessions, costs.\n` +
      `This is the built-in demo agent in a scratch folder. ${who}\n\n${dim('$')} amux run -a demo "${PROMPT}"\n\n`,
  );
}

function nextSteps(amux: string, session: string | null): void {
  const { bold, dim } = paint(process.stdout);
  const steps = [
    [`${amux} agents`, 'the agents on this machine'],
    [`${amux} run -a demo --resume ${session ?? 'ID'} "what did I say before?"`, 'go on with this session'],
    [`${amux} run -a claude "explain this project"`, 'the same with a real agent'],
  ];
  const lines = steps.map(([command = '', about = '']) => `  ${command}\n    ${dim(about)}\n`).join('');
  process.stdout.write(`\n${bold('Next')}\n${lines}`);
}
