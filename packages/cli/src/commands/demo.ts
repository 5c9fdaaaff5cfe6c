import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunResult } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG } from '../command.ts';
import { openClient } from '../open-client.ts';
import { paint } from '../screen/paint.ts';

const PROMPT = 'Take me on a tour';

export const demo: Command = {
  usage: 'amux demo [--json]',
  description:
    'Runs the built-in demo agent in a temporary folder: it thinks, uses tools, asks for approval and\n' +
    'answers. Needs no account, install or network.',
  flags: {
    json: { ...JSON_FLAG, help: 'Print events, like "amux run --json"' },
    fast: { type: 'boolean', help: 'Do not pause between words' },
  },
  examples: [{ command: 'amux demo', about: 'Watch a complete run' }],
  maxArgs: 0,
  async run(options) {
    const json = hasFlag(options, 'json');
    const { showRun } = await import('../run/run-agent.ts');
    const { openTerminal } = await import('../run/terminal/terminal.ts');
    const person = openTerminal();
    const folder = mkdtempSync(join(tmpdir(), 'amux-demo-'));
    const client = await openClient(options, { cwd: folder });
    try {
      if (!json) introduce(person !== undefined);
      let session: string | null = null;
      const code = await showRun(
        client,
        {
          agent: 'demo',
          prompt: PROMPT,
          cwd: folder,
          ...(hasFlag(options, 'fast') ? { env: { DEMO_SPEED: '0' } } : {}),
        },
        {
          json,
          person,
          demonstration: true,
          beforeClosing: (_, result: RunResult) => {
            session = result.sessionId;
          },
        },
      );
      const { amuxCommandLine } = await import('../run/summary-lines.ts');
      if (!json) nextSteps(amuxCommandLine().join(' '), session);
      return code;
    } finally {
      await client.close();
      person?.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function introduce(hasTerminal: boolean): void {
  const { bold, dim } = paint(process.stdout);
  const approval = hasTerminal
    ? 'It asks for your approval before it writes a file.'
    : 'No terminal is attached, so its request is approved automatically.';
  process.stdout.write(
    `${bold('agent-mux')} runs any coding agent through one interface: same events, approvals, sessions, costs.\n` +
      `This is the built-in demo agent in a temporary folder. ${approval}\n\n${dim('$')} amux run -a demo "${PROMPT}"\n\n`,
  );
}

function nextSteps(amux: string, session: string | null): void {
  const { bold, dim } = paint(process.stdout);
  const steps = [
    [`${amux} agents`, 'List the agents on this machine'],
    [`${amux} run -a demo --resume ${session ?? 'ID'} "what did I say before?"`, 'Resume this session'],
    [`${amux} run -a claude "explain this project"`, 'Run a real agent'],
  ];
  const lines = steps.map(([command = '', about = '']) => `  ${command}\n    ${dim(about)}\n`).join('');
  process.stdout.write(`\n${bold('Next')}\n${lines}`);
}
