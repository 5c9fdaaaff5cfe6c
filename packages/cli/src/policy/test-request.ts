import { resolve } from 'node:path';
import { createTestRequest, PolicyStore, TOOL_KINDS, type ToolKind } from '@agent-mux/core';
import { hasFlag, listFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { reportIssues } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';
import { isTrusted } from './list.ts';

export async function testPolicy(args: ParsedArgs): Promise<number> {
  const [resource] = args.positionals;
  const [word, ...more] = listFlag(args, 'kind');
  if (word === undefined || more.length > 0)
    throw new UsageError('exactly one --kind is required', `use one of ${TOOL_KINDS.join(', ')}`);
  const [agent = 'claude'] = listFlag(args, 'agent');
  const [tool] = listFlag(args, 'tool');
  const session = stringFlag(args, 'session');
  const cwd = resolve(stringFlag(args, 'cwd') ?? '.');
  const trustProject = isTrusted(args);
  const request = createTestRequest({
    kind: readKind(word),
    ...(resource === undefined ? {} : { resource }),
    ...(tool === undefined ? {} : { tool }),
  });
  const book = new PolicyStore();
  reportIssues(book.overview({ cwd, trustProject }).issues);
  const where = { agent, cwd, isLocal: true, ...(session === undefined ? {} : { session }) };
  const verdict = book.decide({ request, ...where }, trustProject);
  if (hasFlag(args, 'json')) return printJson<'policy test'>(verdict);
  const { green, red, yellow } = paint(process.stdout);
  const paints = { allow: green, deny: red, ask: yellow };
  return print(`${paints[verdict.decision](verdict.decision)}  ${toOneLine(verdict.reason, 1000)}`);
}

export function readKind(word: string): ToolKind {
  const kind = TOOL_KINDS.find((one) => one === word);
  if (!kind) throw new UsageError(`--kind: unknown kind "${word}"`, `use one of ${TOOL_KINDS.join(', ')}`);
  return kind;
}
