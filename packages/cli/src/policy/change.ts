import { resolve } from 'node:path';
import {
  addRule,
  type FileEdit,
  POLICY_DECISIONS,
  PolicyStore,
  removeRule,
  suggestNames,
  TOOL_KINDS,
  ValidationError,
} from '@agent-mux/core';
import { hasFlag, listFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';
import { readKind } from './test-request.ts';

export async function addPolicyRule(args: ParsedArgs): Promise<number> {
  const [word = ''] = args.positionals;
  const decision = POLICY_DECISIONS.find((one) => one === word);
  if (!decision) throw new UsageError(`invalid decision "${word}"`, `use one of ${POLICY_DECISIONS.join(', ')}`);
  const name = stringFlag(args, 'name');
  const agent = listFlag(args, 'agent');
  await assertKnownAgents(args, agent);
  const criteria = {
    agent,
    kind: listFlag(args, 'kind').map(readKind),
    tool: listFlag(args, 'tool'),
    pattern: listFlag(args, 'pattern'),
    folder: hasFlag(args, 'project') ? listFlag(args, 'folder') : listFlag(args, 'folder').map(absolute),
    allowFields: listFlag(args, 'allow-field'),
  };
  const fields = Object.fromEntries(Object.entries(criteria).filter(([, values]) => values.length > 0));
  const rule = { decision, ...(name === undefined ? {} : { name }), ...fields };
  const edit = await withFlagNames(() => addRule(rule, locationOf(args)));
  return report(args, edit, `${name ?? 'rule'} added`);
}

export async function removePolicyRule(args: ParsedArgs): Promise<number> {
  const [name = ''] = args.positionals;
  const edit = await removeRule(name, locationOf(args));
  return report(args, edit, `${name} removed`);
}

export async function forgetAnswers(args: ParsedArgs): Promise<number> {
  const [id] = args.positionals;
  const isAll = hasFlag(args, 'all');
  if (isAll === (id !== undefined))
    throw new UsageError('missing answer id or --all', 'run "amux policy list" to list remembered answers');
  const forgotten = await new PolicyStore().forget(isAll ? 'all' : (id ?? ''));
  if (hasFlag(args, 'json')) return printJson<'policy forget'>({ forgotten });
  if (forgotten.length === 0) return print('no remembered answers');
  for (const { id, resource, decision } of forgotten) print(`forgotten: ${id} ${decision} ${toOneLine(resource, 200)}`);
  return 0;
}

function locationOf(args: ParsedArgs): { project: boolean; cwd: string } {
  return { project: hasFlag(args, 'project'), cwd: resolve(stringFlag(args, 'cwd') ?? '.') };
}

/** Resolves a folder against the current one; `~` is kept. */
function absolute(folder: string): string {
  return folder === '~' || folder.startsWith('~/') ? folder : resolve(folder);
}

/** Rejects unknown agents: a deny rule for one would never apply. */
async function assertKnownAgents(args: ParsedArgs, agents: readonly string[]): Promise<void> {
  if (agents.length === 0) return;
  const { openClient } = await import('../open-client.ts');
  const client = await openClient({ ...args, flags: { ...args.flags, 'trust-project': true } });
  const known = client.adapters.list().map(({ agent }) => agent);
  await client.close();
  const unknown = agents.find((agent) => !known.includes(agent));
  if (unknown === undefined) return;
  const near = suggestNames(unknown, known);
  throw new UsageError(
    `unknown agent "${unknown}"`,
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'run "amux agents" to list agents',
  );
}

async function withFlagNames<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const problems = error.issues.map(({ field, problem }) =>
      field === '' ? `the rule ${problem}` : `--${field.replace(/^allowFields/, 'allow-field')} ${problem}`,
    );
    throw new UsageError(problems.join('; '), `kinds are ${TOOL_KINDS.join(', ')}; see "amux policy --help"`);
  }
}

function report(args: ParsedArgs, edit: FileEdit, what: string): number {
  if (hasFlag(args, 'json')) return printJson<'policy add' | 'policy remove'>(edit);
  const { green, dim } = paint(process.stdout);
  return print(`${green('✓')} ${what} ${dim(edit.file)}`);
}
