import { resolve } from 'node:path';
import { makeTrial, PolicyBook, TOOL_KINDS, type ToolKind } from '@agent-mux/core';
import { type Given, isOn, listFlag, textFlag } from '../command.ts';
import { reportFaults } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';
import { isTrusted } from './list.ts';

export async function tryPolicy(given: Given): Promise<number> {
  const [asked] = given.words;
  const [word, ...more] = listFlag(given, 'kind');
  if (word === undefined || more.length > 0) throw new UsageError('say one --kind', `one of ${TOOL_KINDS.join(', ')}`);
  const [agent = 'claude'] = listFlag(given, 'agent');
  const [tool] = listFlag(given, 'tool');
  const session = textFlag(given, 'session');
  const cwd = resolve(textFlag(given, 'cwd') ?? '.');
  const trustProject = isTrusted(given);
  const request = makeTrial({
    kind: readKind(word),
    ...(asked === undefined ? {} : { asked }),
    ...(tool === undefined ? {} : { tool }),
  });
  const book = new PolicyBook();
  reportFaults(book.overview({ cwd, trustProject }).faults);
  const where = { agent, cwd, isLocal: true, ...(session === undefined ? {} : { session }) };
  const verdict = book.decide({ request, ...where }, trustProject);
  if (isOn(given, 'json')) return printJson<'policy test'>(verdict);
  const { green, red, yellow } = paint(process.stdout);
  const paints = { allow: green, deny: red, ask: yellow };
  return print(`${paints[verdict.decision](verdict.decision)}  ${toOneLine(verdict.reason, 1000)}`);
}

export function readKind(word: string): ToolKind {
  const kind = TOOL_KINDS.find((one) => one === word);
  if (!kind) throw new UsageError(`--kind "${word}" is none`, `one of ${TOOL_KINDS.join(', ')}`);
  return kind;
}
