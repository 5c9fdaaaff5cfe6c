import { dirname, isAbsolute, join, resolve } from 'node:path';
import { POLICY_DECISIONS, type PolicyCriteria, type PolicyDecision, type PolicyRule } from '../contract/policy.ts';
import { TOOL_KINDS } from '../contract/tool-kinds.ts';
import { type ConfigDocument, type ConfigFault, type ConfigPath, faultAt, locate } from '../documents/document.ts';
import { findNearNames } from '../near-names.ts';
import { findAgentNameFault } from '../registry/validate-names.ts';
import { isRecord } from '../values.ts';
import { isUnclearPattern } from './match-command.ts';
import { findReal, leadsUpwards } from './match-path.ts';
import type { LoadedRule } from './match-rule.ts';

/** `policy` of one configuration file. */
export interface PolicySection {
  value: unknown;
  document: ConfigDocument;
  /** The user's own file, or a project's that the user trusts. */
  trusted: boolean;
  source: PolicyRule['source'];
}

export interface ReadRules {
  rules: LoadedRule[];
  faults: ConfigFault[];
  /** What is wrong is such that rules may be missing. */
  isBroken: boolean;
}

/** So many rules of a file are read. */
export const RULE_LIMIT = 1000;
/** Of a list of a rule, and the characters of each. */
const LIST_LIMIT = 100;
const TEXT_LIMIT = 2000;
const RULE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

type Criterion = keyof PolicyCriteria;

/** What is wrong with one word of a list. */
const CRITERIA: Readonly<Record<Criterion, (word: string, decision: PolicyDecision) => string | undefined>> = {
  agent: (word) => findAgentNameFault(word),
  kind: (word) => (TOOL_KINDS.some((kind) => kind === word) ? undefined : `is none of ${TOOL_KINDS.join(', ')}`),
  tool: () => undefined,
  pattern: (word, decision) => {
    if (leadsUpwards(word)) return 'leads upwards ("..")';
    if (decision !== 'allow' || !isUnclearPattern(word)) return undefined;
    return 'would allow nothing: beside a * there is something whose meaning is not known ($, `, \\, a bracket, a line break)';
  },
  folder: (word) => (leadsUpwards(word) ? 'leads upwards ("..")' : undefined),
  also: () => undefined,
};
const FIELDS = ['name', 'decision', ...Object.keys(CRITERIA)];

/**
 * The rules of a file, and what is wrong with them. A rule to allow that has a fault is left out. Any other one asks instead,
 * without the parts that have a fault, so that it is about more than it would have been. What only a trusted project may say is
 * left out of one that is not.
 */
export function readRules(section: PolicySection, home: string): ReadRules {
  const { value, document, source } = section;
  const read: ReadRules = { rules: [], faults: [], isBroken: false };
  if (value === undefined) return read;
  const refuse = (path: ConfigPath, problem: string) => {
    read.faults.push(faultAt(document, ['policy', ...path], problem));
    read.isBroken = true;
  };
  if (!isRecord(value)) refuse([], 'must be an object with rules');
  else {
    for (const key of Object.keys(value)) if (key !== 'rules') refuse([key], 'is not known here; there is rules');
    const { rules = [] } = value;
    if (!Array.isArray(rules)) refuse(['rules'], 'must be a list of rules');
    else {
      if (rules.length > RULE_LIMIT)
        refuse(['rules'], `has ${rules.length} entries, and ${RULE_LIMIT} are the limit; the others are left out`);
      const names = new Set<string>();
      rules.slice(0, RULE_LIMIT).forEach((rule: unknown, index) => {
        const { loaded, faults } = readRule(rule, index, section, home);
        read.faults.push(...faults);
        if (!loaded) return;
        if (names.has(loaded.name)) {
          read.faults.push(
            faultAt(document, ['policy', 'rules', index, 'name'], `"${loaded.name}" is the name of another rule`),
          );
          loaded.name = nameOf(source, index);
        }
        names.add(loaded.name);
        read.rules.push(loaded);
      });
    }
  }
  return read;
}

function readRule(
  rule: unknown,
  index: number,
  { document, trusted, source }: PolicySection,
  home: string,
): { loaded?: LoadedRule; faults: ConfigFault[] } {
  const at = ['policy', 'rules', index];
  const faults: ConfigFault[] = [];
  const refuse = (path: ConfigPath, problem: string) => faults.push(faultAt(document, [...at, ...path], problem));
  const { line } = locate(document, at);
  const base = source === 'project' ? (findReal(dirname(dirname(document.file))) ?? null) : null;
  const place = { source, file: document.file, line, base };
  const named = nameOf(source, index);
  if (!isRecord(rule)) {
    refuse([], 'must be an object such as { "decision": "deny", "kind": "execute", "pattern": "rm *" }');
    return { loaded: { ...place, name: named, decision: 'ask', folders: [], faulty: true }, faults };
  }
  for (const key of Object.keys(rule).filter((one) => !FIELDS.includes(one))) refuse([key], describeUnknown(key));
  const decision = POLICY_DECISIONS.find((one) => one === rule.decision);
  if (!decision) refuse(['decision'], `must be one of ${POLICY_DECISIONS.join(', ')}`);
  const name = typeof rule.name === 'string' && RULE_NAME.test(rule.name) ? rule.name : undefined;
  if (rule.name !== undefined && name === undefined) refuse(['name'], 'must be letters, digits, ".", "_" and "-"');
  const criteria = readCriteria(rule, decision ?? 'ask', refuse);
  const folders = resolveFolders(criteria.folder ?? [], base, home, (problem) => refuse(['folder'], problem));
  if (criteria.folder && folders.length < criteria.folder.length) delete criteria.folder;
  if (decision === 'allow') {
    if (!trusted) refuse([], "allows something: a project's file may only ask or deny until the project is trusted");
    if (Object.keys(criteria).every((field) => field === 'also'))
      refuse([], 'would allow everything: say what it is about');
    if (faults.length > 0) return { faults };
  }
  const all = { ...place, ...criteria, name: name ?? named, folders };
  if (faults.length > 0 || !decision) return { loaded: { ...all, decision: 'ask', faulty: true }, faults };
  return { loaded: { ...all, decision }, faults };
}

type Criteria = { -readonly [Field in Criterion]: PolicyCriteria[Field] };

function readCriteria(
  rule: Record<string, unknown>,
  decision: PolicyDecision,
  refuse: (path: ConfigPath, problem: string) => void,
): Criteria {
  const read = (field: Criterion): readonly string[] | undefined => {
    const given = Object.hasOwn(rule, field) ? rule[field] : undefined;
    if (given === undefined) return undefined;
    const words: unknown[] = Array.isArray(given) ? given : [given];
    const texts = words.filter((word) => typeof word === 'string' && word.trim() !== '' && word.length <= TEXT_LIMIT);
    if (words.length === 0 || words.length > LIST_LIMIT || texts.length < words.length) {
      refuse([field], `must be a text of at most ${TEXT_LIMIT} characters, or a list of at most ${LIST_LIMIT} of them`);
      return undefined;
    }
    const all = texts.map(String);
    const problem = all.map((word) => CRITERIA[field](word, decision)).find((one) => one !== undefined);
    if (problem === undefined) return all;
    refuse([field], problem);
    return undefined;
  };
  const kinds = read('kind');
  const criteria: Criteria = {
    agent: read('agent'),
    kind: kinds && TOOL_KINDS.filter((kind) => kinds.includes(kind)),
    tool: read('tool'),
    pattern: read('pattern'),
    folder: read('folder'),
    also: read('also'),
  };
  for (const field of Object.keys(CRITERIA) as Criterion[]) if (criteria[field] === undefined) delete criteria[field];
  return criteria;
}

/** As they are written, and with all links followed. */
function resolveFolders(
  folders: readonly string[],
  base: string | null,
  home: string,
  refuse: (problem: string) => void,
): string[] {
  return folders.flatMap((folder) => {
    const whole = folder === '~' ? home : folder.startsWith('~/') ? join(home, folder.slice(2)) : folder;
    if (!isAbsolute(whole) && base === null) {
      refuse('must be an absolute path, or begin with ~/');
      return [];
    }
    const full = resolve(base ?? '/', whole);
    return [...new Set([full, findReal(full) ?? full])];
  });
}

/** The name of a rule that has none of its own. */
export function nameOf(source: PolicyRule['source'], index: number): string {
  return `${source}-${index + 1}`;
}

function describeUnknown(key: string): string {
  const [near] = findNearNames(key, FIELDS);
  return near === undefined
    ? `is not known here; there are ${FIELDS.join(', ')}`
    : `is not known here; did you mean ${near}?`;
}
