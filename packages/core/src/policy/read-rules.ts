import { dirname, isAbsolute, join, resolve } from 'node:path';
import { POLICY_DECISIONS, type PolicyCriteria, type PolicyDecision, type PolicyRule } from '../contract/policy.ts';
import { TOOL_KINDS } from '../contract/tool-kinds.ts';
import { type ConfigDocument, type ConfigIssue, type ConfigPath, issueAt, positionOf } from '../documents/document.ts';
import { findAgentNameIssue } from '../registry/validate-names.ts';
import { suggestNames } from '../suggest-names.ts';
import { isRecord } from '../values.ts';
import { isUnclearPattern } from './match-command.ts';
import { findReal, leadsUpwards } from './match-path.ts';
import type { LoadedRule } from './match-rule.ts';

/** The `policy` section of one configuration file. */
export interface PolicySection {
  value: unknown;
  document: ConfigDocument;
  /** True for the user's own file and for a trusted project's. */
  trusted: boolean;
  source: PolicyRule['source'];
}

export interface ReadRules {
  rules: LoadedRule[];
  issues: ConfigIssue[];
  /** The issues are such that rules may be missing. */
  isBroken: boolean;
}

/** Maximum number of rules in a file. */
export const RULE_LIMIT = 1000;
/** Maximum length of a list in a rule, and of each text in it. */
const LIST_LIMIT = 100;
const TEXT_LIMIT = 2000;
const RULE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

type Criterion = keyof PolicyCriteria;

/** Validates one entry of a list. */
const CRITERIA: Readonly<Record<Criterion, (entry: string, decision: PolicyDecision) => string | undefined>> = {
  agent: (entry) => findAgentNameIssue(entry),
  kind: (entry) => (TOOL_KINDS.some((kind) => kind === entry) ? undefined : `is none of ${TOOL_KINDS.join(', ')}`),
  tool: () => undefined,
  pattern: (entry, decision) => {
    if (leadsUpwards(entry)) return 'leads upwards ("..")';
    if (decision !== 'allow' || !isUnclearPattern(entry)) return undefined;
    return 'would allow nothing: it combines * with something ambiguous ($, `, \\, a bracket, a line break)';
  },
  folder: (entry) => (leadsUpwards(entry) ? 'leads upwards ("..")' : undefined),
  allowFields: () => undefined,
};
const FIELDS = ['name', 'decision', ...Object.keys(CRITERIA)];

/**
 * Reads the rules of a file and their issues. An invalid allow rule is dropped. Any other invalid rule asks instead,
 * without its invalid parts, so that it matches more than intended. Rules that only a trusted project may have are
 * dropped otherwise.
 */
export function readRules(section: PolicySection, home: string): ReadRules {
  const { value, document, source } = section;
  const read: ReadRules = { rules: [], issues: [], isBroken: false };
  if (value === undefined) return read;
  const refuse = (path: ConfigPath, problem: string) => {
    read.issues.push(issueAt(document, ['policy', ...path], problem));
    read.isBroken = true;
  };
  if (!isRecord(value)) refuse([], 'must be an object with rules');
  else {
    for (const key of Object.keys(value)) if (key !== 'rules') refuse([key], 'is unknown; available: rules');
    const { rules = [] } = value;
    if (!Array.isArray(rules)) refuse(['rules'], 'must be a list of rules');
    else {
      if (rules.length > RULE_LIMIT)
        refuse(['rules'], `has ${rules.length} entries; the limit is ${RULE_LIMIT} and the others are ignored`);
      const names = new Set<string>();
      rules.slice(0, RULE_LIMIT).forEach((rule: unknown, index) => {
        const { loaded, issues } = readRule(rule, index, section, home);
        read.issues.push(...issues);
        if (!loaded) return;
        if (names.has(loaded.name)) {
          read.issues.push(
            issueAt(document, ['policy', 'rules', index, 'name'], `"${loaded.name}" is also the name of another rule`),
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
): { loaded?: LoadedRule; issues: ConfigIssue[] } {
  const at = ['policy', 'rules', index];
  const issues: ConfigIssue[] = [];
  const refuse = (path: ConfigPath, problem: string) => issues.push(issueAt(document, [...at, ...path], problem));
  const { line } = positionOf(document, at);
  const base = source === 'project' ? (findReal(dirname(dirname(document.file))) ?? null) : null;
  const location = { source, file: document.file, line, base };
  const named = nameOf(source, index);
  if (!isRecord(rule)) {
    refuse([], 'must be an object such as { "decision": "deny", "kind": "execute", "pattern": "rm *" }');
    return { loaded: { ...location, name: named, decision: 'ask', folders: [], invalid: true }, issues };
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
    if (Object.keys(criteria).every((field) => field === 'allowFields'))
      refuse([], 'would allow everything: add a kind, tool or pattern');
    if (issues.length > 0) return { issues };
  }
  const all = { ...location, ...criteria, name: name ?? named, folders };
  if (issues.length > 0 || !decision) return { loaded: { ...all, decision: 'ask', invalid: true }, issues };
  return { loaded: { ...all, decision }, issues };
}

type Criteria = { -readonly [Field in Criterion]: PolicyCriteria[Field] };

function readCriteria(
  rule: Record<string, unknown>,
  decision: PolicyDecision,
  refuse: (path: ConfigPath, problem: string) => void,
): Criteria {
  const read = (field: Criterion): readonly string[] | undefined => {
    const options = Object.hasOwn(rule, field) ? rule[field] : undefined;
    if (options === undefined) return undefined;
    const entries: unknown[] = Array.isArray(options) ? options : [options];
    const texts = entries.filter(
      (entry) => typeof entry === 'string' && entry.trim() !== '' && entry.length <= TEXT_LIMIT,
    );
    if (entries.length === 0 || entries.length > LIST_LIMIT || texts.length < entries.length) {
      refuse([field], `must be a text of at most ${TEXT_LIMIT} characters, or a list of at most ${LIST_LIMIT} of them`);
      return undefined;
    }
    const all = texts.map(String);
    const problem = all.map((entry) => CRITERIA[field](entry, decision)).find((one) => one !== undefined);
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
    allowFields: read('allowFields'),
  };
  for (const field of Object.keys(CRITERIA) as Criterion[]) if (criteria[field] === undefined) delete criteria[field];
  return criteria;
}

/** As written, and with all links resolved. */
function resolveFolders(
  folders: readonly string[],
  base: string | null,
  home: string,
  refuse: (problem: string) => void,
): string[] {
  return folders.flatMap((folder) => {
    const whole = folder === '~' ? home : folder.startsWith('~/') ? join(home, folder.slice(2)) : folder;
    if (!isAbsolute(whole) && base === null) {
      refuse('must be an absolute path or start with ~/');
      return [];
    }
    const full = resolve(base ?? '/', whole);
    return [...new Set([full, findReal(full) ?? full])];
  });
}

/** The display name of an unnamed rule. */
export function nameOf(source: PolicyRule['source'], index: number): string {
  return `${source}-${index + 1}`;
}

function describeUnknown(key: string): string {
  const [near] = suggestNames(key, FIELDS);
  return near === undefined ? `is unknown; available: ${FIELDS.join(', ')}` : `is unknown; did you mean ${near}?`;
}
