import { resolve } from 'node:path';
import { PolicyBook, type PolicyRule, type RememberedAnswer } from '@agent-mux/core';
import { type Given, isOn, textFlag } from '../command.ts';
import { reportFaults } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { age, shortIds } from '../sessions/words.ts';

export async function listPolicy(given: Given): Promise<number> {
  const cwd = resolve(textFlag(given, 'cwd') ?? '.');
  const trustProject = isTrusted(given);
  const overview = new PolicyBook().overview({ cwd, trustProject });
  if (isOn(given, 'json')) return printJson<'policy list'>(overview);
  const { rules, faults, remembered, suspended } = overview;
  reportFaults(faults);
  const { yellow, dim, green, red } = paint(process.stdout);
  if (suspended !== null) print(yellow(`nothing is allowed by rules: ${toOneLine(suspended, 1000)}`));
  if (rules.length === 0) print('there are no rules: you are asked; amux policy add allow --kind read makes one');
  else {
    const paints = { allow: green, deny: red, ask: yellow };
    const rows = rules.map((rule) => [rule.name, rule.decision, describeRule(rule), `${rule.file}:${rule.line}`]);
    const head = ['RULE', 'DECISION', 'ABOUT', 'FROM'];
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
    `${answer.by}, ${age(answer.at, Date.now())} ago`,
  ]);
  print('');
  return print(
    addHead([
      ['REMEMBERED', 'DECISION', 'ABOUT', 'WHERE', 'BY'],
      ...rows.map((row) => row.map((cell) => toOneLine(cell, 200))),
    ]),
  );
}

export function isTrusted(given: Given): boolean {
  return isOn(given, 'trust-project') || process.env.AMUX_TRUST_PROJECT === '1';
}

/** As it could be given to `amux policy add`. */
export function describeRule(rule: PolicyRule): string {
  const { agent, kind, tool, pattern, folder, also, faulty } = rule;
  const fields = Object.entries({ agent, kind, tool, pattern, folder, also }).flatMap(([field, words]) =>
    words ? [`${field} ${words.join(', ')}`] : [],
  );
  return `${fields.join(' · ') || 'everything'}${faulty ? ' (has a fault, and so asks)' : ''}`;
}

function describeAnswer({ agent, tool, kind, asked, pattern }: RememberedAnswer): string {
  return `${agent} ${tool} (${kind}): ${pattern === undefined ? asked : `like ${pattern}`}`;
}

function whereOf({ scope, session, folder }: RememberedAnswer): string {
  return scope === 'everywhere' ? 'everywhere' : `${scope} ${session ?? folder ?? ''}`;
}
