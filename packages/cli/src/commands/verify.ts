import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Proven, ToProve } from '@agent-mux/testkit';
import { type Command, isOn, JSON_FLAG, listFlag, TRUST_FLAG, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { print, printJsonLine } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';

export const verify: Command = {
  usage: 'amux verify [agent...] [--mode MODE] [--case ID] [--json]',
  about:
    'Drives the CLI that is installed here through the cases that its adapter was proven with: a scripted model on\n' +
    'loopback, a scratch home, no account. CLIs change weekly; this says what still holds.',
  flags: {
    mode: { type: 'string', value: 'MODE', help: 'Only this mode of the agents.' },
    case: { type: 'string', multiple: true, value: 'ID', help: 'Only this case; may be given again.' },
    json: { ...JSON_FLAG, help: 'One outcome per line.' },
    'trust-project': TRUST_FLAG,
  },
  examples: [
    { command: 'amux verify', about: 'every agent that is installed' },
    { command: 'amux verify claude gemini', about: 'these; exits with 1 when a case fails' },
    { command: 'amux verify claude --mode live --case approval-granted', about: 'one case' },
  ],
  notes: ['What a failed case left behind (its folder, the requests to the model) is kept, and named.'],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const json = isOn(given, 'json');
    const client = await openClient(given, { rules: 'none' });
    try {
      const { verifyAgents } = await import('@agent-mux/testkit');
      const cases = listFlag(given, 'case');
      await mustBeCases(cases);
      const outcomes = await verifyAgents({
        agents: await chooseModes(client, given.words),
        mode: textFlag(given, 'mode'),
        cases,
        path: process.env.PATH ?? '',
        onOutcome: json ? showJson : showLine,
      });
      const count = (status: Proven['status']) => outcomes.filter((one) => one.status === status).length;
      if (!json) {
        print(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
      }
      // Nothing tried is nothing proven.
      return count('failed') > 0 || count('passed') === 0 ? EXIT.failure : EXIT.ok;
    } finally {
      await client.close();
    }
  },
};

async function mustBeCases(wanted: readonly string[]): Promise<void> {
  const { proofCases } = await import('@agent-mux/testkit');
  const { findNearNames } = await import('@agent-mux/core');
  const known = proofCases.filter(({ carrier }) => carrier !== 'daemon').map(({ id }) => id);
  const wrong = wanted.find((id) => !known.includes(id));
  if (wrong === undefined) return;
  const near = findNearNames(wrong, known);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are: ${known.join(', ')}`;
  throw new UsageError(`there is no case "${wrong}"`, hint);
}

/** Those that were named, or all that are installed. */
async function chooseModes(client: ConfiguredClient, names: readonly string[]): Promise<ToProve[]> {
  const { notInstalled } = await import('@agent-mux/core');
  const wanted = names.length > 0 ? names : client.adapters.list().map(({ agent }) => agent);
  const found: ToProve[] = [];
  for (const name of wanted) {
    const adapter = client.adapterNamed(name);
    const info = await client.adapters.detect(name);
    if (info?.installed) found.push({ adapter, cliPath: info.cliPath });
    else if (names.length > 0) throw notInstalled(adapter);
  }
  return found;
}

function showJson(outcome: Proven): void {
  printJsonLine<'verify'>({ type: 'proof', ...outcome });
}

function showLine({ agent, mode, title, status, detail }: Proven): void {
  const { green, red, dim } = paint(process.stdout);
  const mark = { passed: green('✓'), failed: red('✗'), skipped: dim('-') }[status];
  const where = mode === null ? agent : `${agent}/${mode}`;
  print(`${mark} ${where}: ${title}${detail ? dim(` (${toOneLine(detail, 500)})`) : ''}`);
}
