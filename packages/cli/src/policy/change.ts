import { resolve } from 'node:path';
import {
  addRule,
  type FileEdit,
  findNearNames,
  POLICY_DECISIONS,
  PolicyBook,
  removeRule,
  TOOL_KINDS,
  ValidationError,
} from '@agent-mux/core';
import { type Given, isOn, listFlag, textFlag } from '../command.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';
import { readKind } from './try.ts';

export async function addPolicyRule(given: Given): Promise<number> {
  const [word = ''] = given.words;
  const decision = POLICY_DECISIONS.find((one) => one === word);
  if (!decision) throw new UsageError(`"${word}" is no decision`, `say one of ${POLICY_DECISIONS.join(', ')}`);
  const name = textFlag(given, 'name');
  const agent = listFlag(given, 'agent');
  await refuseUnknownAgents(given, agent);
  const criteria = {
    agent,
    kind: listFlag(given, 'kind').map(readKind),
    tool: listFlag(given, 'tool'),
    pattern: listFlag(given, 'pattern'),
    folder: isOn(given, 'project') ? listFlag(given, 'folder') : listFlag(given, 'folder').map(absolute),
    also: listFlag(given, 'also'),
  };
  const said = Object.fromEntries(Object.entries(criteria).filter(([, words]) => words.length > 0));
  const rule = { decision, ...(name === undefined ? {} : { name }), ...said };
  const edit = await inWords(() => addRule(rule, placeOf(given)));
  return report(given, edit, `${name ?? 'the rule'} is written`);
}

export async function removePolicyRule(given: Given): Promise<number> {
  const [name = ''] = given.words;
  const edit = await removeRule(name, placeOf(given));
  return report(given, edit, `${name} is taken out`);
}

export async function forgetAnswers(given: Given): Promise<number> {
  const [id] = given.words;
  const isAll = isOn(given, 'all');
  if (isAll === (id !== undefined)) throw new UsageError('say which answer, or --all', 'amux policy list shows them');
  const forgotten = await new PolicyBook().forget(isAll ? 'all' : (id ?? ''));
  if (isOn(given, 'json')) return printJson<'policy forget'>({ forgotten });
  if (forgotten.length === 0) return print('nothing was remembered');
  for (const { id, asked, decision } of forgotten) print(`forgotten: ${id} ${decision} ${toOneLine(asked, 200)}`);
  return 0;
}

function placeOf(given: Given): { project: boolean; cwd: string } {
  return { project: isOn(given, 'project'), cwd: resolve(textFlag(given, 'cwd') ?? '.') };
}

/** A folder is seen from here; `~` is kept. */
function absolute(folder: string): string {
  return folder === '~' || folder.startsWith('~/') ? folder : resolve(folder);
}

/** A rule about an agent that does not exist would never count: a denial would be none. */
async function refuseUnknownAgents(given: Given, agents: readonly string[]): Promise<void> {
  if (agents.length === 0) return;
  const { openClient } = await import('../open-client.ts');
  const client = await openClient({ ...given, flags: { ...given.flags, 'trust-project': true } });
  const known = client.adapters.list().map(({ agent }) => agent);
  await client.close();
  const unknown = agents.find((agent) => !known.includes(agent));
  if (unknown === undefined) return;
  const near = findNearNames(unknown, known);
  throw new UsageError(
    `there is no agent "${unknown}"`,
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'amux agents lists them',
  );
}

async function inWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const told = error.faults.map(({ field, problem }) =>
      field === '' ? `the rule ${problem}` : `--${field} ${problem}`,
    );
    throw new UsageError(told.join('; '), `kinds are ${TOOL_KINDS.join(', ')}; amux policy --help has examples`);
  }
}

function report(given: Given, edit: FileEdit, what: string): number {
  if (isOn(given, 'json')) return printJson<'policy add' | 'policy remove'>(edit);
  const { green, dim } = paint(process.stdout);
  return print(`${green('✓')} ${what} ${dim(edit.file)}`);
}
