import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { VerifyOutcome, VerifyTarget } from '@agent-mux/testkit';
import { type Command, hasFlag, JSON_FLAG, listFlag, stringFlag, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { print, printJsonLine } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';

export const verify: Command = {
  usage: 'amux verify [agent...] [--mode MODE] [--case ID] [--json]',
  description:
    "Runs an adapter's verification cases against the installed CLI, offline: a scripted model on\n" +
    'loopback, a temporary home, no account.',
  flags: {
    mode: { type: 'string', value: 'MODE', help: 'Verify only this mode' },
    case: { type: 'string', multiple: true, value: 'ID', help: 'Run only this case; repeatable' },
    json: { ...JSON_FLAG, help: 'Print one result per line' },
    'trust-project': TRUST_FLAG,
  },
  examples: [
    { command: 'amux verify', about: 'Verify every installed agent' },
    { command: 'amux verify claude gemini', about: 'Verify two agents; exits 1 if a case fails' },
    { command: 'amux verify claude --mode live --case approval-granted', about: 'Run a single case' },
  ],
  notes: ['The folder and model requests of a failed case are kept, and their path is printed.'],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const json = hasFlag(options, 'json');
    const client = await openClient(options, { rules: 'none' });
    try {
      const { verifyAgents } = await import('@agent-mux/testkit');
      const cases = listFlag(options, 'case');
      await assertKnownCases(cases);
      const outcomes = await verifyAgents({
        agents: await chooseModes(client, options.positionals),
        mode: stringFlag(options, 'mode'),
        cases,
        path: process.env.PATH ?? '',
        onOutcome: json ? showJson : showLine,
      });
      const count = (status: VerifyOutcome['status']) => outcomes.filter((one) => one.status === status).length;
      if (!json) {
        print(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
      }
      // A run without a passed case verifies nothing.
      return count('failed') > 0 || count('passed') === 0 ? EXIT.failure : EXIT.ok;
    } finally {
      await client.close();
    }
  },
};

async function assertKnownCases(wanted: readonly string[]): Promise<void> {
  const { verifyCases } = await import('@agent-mux/testkit');
  const { suggestNames } = await import('@agent-mux/core');
  const known = verifyCases.filter(({ carrier }) => carrier !== 'daemon').map(({ id }) => id);
  const wrong = wanted.find((id) => !known.includes(id));
  if (wrong === undefined) return;
  const near = suggestNames(wrong, known);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `use one of: ${known.join(', ')}`;
  throw new UsageError(`unknown case "${wrong}"`, hint);
}

/** The named agents, or all installed ones. */
async function chooseModes(client: ConfiguredClient, names: readonly string[]): Promise<VerifyTarget[]> {
  const { notInstalled } = await import('@agent-mux/core');
  const wanted = names.length > 0 ? names : client.adapters.list().map(({ agent }) => agent);
  const found: VerifyTarget[] = [];
  for (const name of wanted) {
    const adapter = client.adapterNamed(name);
    const info = await client.adapters.detect(name);
    if (info?.installed) found.push({ adapter, cliPath: info.cliPath });
    else if (names.length > 0) throw notInstalled(adapter);
  }
  return found;
}

function showJson(outcome: VerifyOutcome): void {
  printJsonLine<'verify'>({ type: 'verify_result', ...outcome });
}

function showLine({ agent, mode, title, status, detail }: VerifyOutcome): void {
  const { green, red, dim } = paint(process.stdout);
  const mark = { passed: green('✓'), failed: red('✗'), skipped: dim('-') }[status];
  const where = mode === null ? agent : `${agent}/${mode}`;
  print(`${mark} ${where}: ${title}${detail ? dim(` (${toOneLine(detail, 500)})`) : ''}`);
}
