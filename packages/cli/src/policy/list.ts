import { resolve } from 'node:path';
import { type PolicyRule, PolicyStore, type RememberedAnswer } from '@agent-mux/core';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { reportIssues } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { formatAge, shortIds } from '../sessions/format.ts';

export async function listPolicy(args: ParsedArgs): Promise<number> {
  const cwd = resolve(stringFlag(args, 'cwd') ?? '.');
  const trustProject = isTrusted(args);
  const overview = new PolicyStore().overview({ cwd, trustProject });
  if (hasFlag(args, 'json')) return printJson<'policy list'>(overview);
  const { rules, issues, remembered, suspended } = overview;
  reportIssues(issues);
  const { yellow, dim, green, red } = paint(process.stdout);
  if (suspended !== null) print(yellow(`allow rules are suspended: ${toOneLine(suspended, 1000)}`));
  if (rules.length === 0) print('no rules: every request asks you; run "amux policy add allow --kind read" to add one');
  else {
    const paints = { allow: green, deny: red, ask: yellow };
    const rows = rules.map((rule) => [rule.name, rule.decision, describeRule(rule), `${rule.file}:${rule.line}`]);
    const head = ['RULE', 'DECISION', 'MATCHES', 'SOURCE'];
    print(
      addHead([head, ...rows.map((row) => row.map((cell) => toOneLine(cell, 300)))], (cell, row, column) => {
        const rule = rules[row - 1];
        if (column === 1 && rule) return paints[rule.decision](cell);
        return column === 3 ? dim(cell) : cell;
      }),
    );
  }
  if (remembered.length === 0) return 0;
  const ids = shortIds(remembered.map(({ id }) => id));
  const rows = remembered.map((answer, at) => [
    ids[at] ?? answer.id,
    answer.decision,
    describeAnswer(answer),
    whereOf(answer),
    `${answer.by}, ${formatAge(answer.createdAt, Date.now())} ago`,
  ]);
  print('');
  return print(
    addHead([
      ['REMEMBERED', 'DECISION', 'MATCHES', 'SCOPE', 'BY'],
      ...rows.map((row) => row.map((cell) => toOneLine(cell, 200))),
    ]),
  );
}

export function isTrusted(args: ParsedArgs): boolean {
  return hasFlag(args, 'trust-project') || process.env.AMUX_TRUST_PROJECT === '1';
}

/** In the syntax of `amux policy add`. */
export function describeRule(rule: PolicyRule): string {
  const { agent, kind, tool, pattern, folder, allowFields, invalid } = rule;
  const fields = Object.entries({ agent, kind, tool, pattern, folder, allowFields }).flatMap(([field, values]) =>
    values ? [`${field} ${values.join(', ')}`] : [],
  );
  return `${fields.join(' · ') || 'everything'}${invalid ? ' (invalid; falls back to ask)' : ''}`;
}

function describeAnswer({ agent, tool, kind, resource, pattern }: RememberedAnswer): string {
  return `${agent} ${tool} (${kind}): ${pattern === undefined ? resource : `matching ${pattern}`}`;
}

function whereOf({ scope, sessionId, folder }: RememberedAnswer): string {
  return scope === 'global' ? 'global' : `${scope} ${sessionId ?? folder ?? ''}`;
}
