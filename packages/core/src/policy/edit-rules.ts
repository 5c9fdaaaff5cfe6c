import { newProjectConfigFile, projectConfigFile, projectFolder, userConfigFile } from '../config/files.ts';
import { AgentMuxError, ValidationError } from '../contract/errors.ts';
import type { PolicyCriteria, PolicyDecision } from '../contract/policy.ts';
import { parseDocument, valueIn } from '../documents/document.ts';
import { homeOf } from '../files/paths.ts';
import type { ConfigChange } from '../native-config/codecs.ts';
import { editNativeFile, type FileEdit, type NativeFile } from '../native-config/edit-file.ts';
import { suggestNames } from '../suggest-names.ts';
import { isRecord, valueAtPath } from '../values.ts';
import { nameOf, RULE_LIMIT, readRules } from './read-rules.ts';

export interface RuleLocation {
  /** Default: the user's own file. */
  project?: boolean;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

export interface NewRule extends PolicyCriteria {
  name?: string;
  decision: PolicyDecision;
}

/**
 * Writes a rule into a file; comments and everything else stay. A rule that denies or asks is inserted first and one
 * that allows last, since the first match applies. Throws ValidationError before anything is written.
 */
export async function addRule(rule: NewRule, location: RuleLocation = {}): Promise<FileEdit> {
  const written = asWritten(rule);
  assertSound(written, location);
  return editNativeFile(
    fileOf(location),
    (content) => {
      const rules = rulesIn(content);
      const exists = rules.some((one) => isRecord(one) && one.name !== undefined && one.name === rule.name);
      if (exists) throw refuse('name', `a rule named "${rule.name}" already exists`);
      if (rules.length >= RULE_LIMIT) throw refuse('', `the limit is ${RULE_LIMIT} rules`);
      if (!Array.isArray(valueAtPath(content, ['policy', 'rules'])))
        return [{ path: ['policy', 'rules'], value: [written] }];
      const at = rule.decision === 'allow' ? rules.length : 0;
      return shiftIn(rules, at, written);
    },
    envOf(location),
  );
}

/**
 * Removes the rule that `amux policy list` shows under this name; for an unnamed rule that is its source and number.
 */
export async function removeRule(name: string, location: RuleLocation = {}): Promise<FileEdit> {
  return editNativeFile(
    fileOf(location),
    (content) => {
      const rules = rulesIn(content);
      const nameAt = (one: unknown, index: number) =>
        isRecord(one) && typeof one.name === 'string' ? one.name : nameOf(location.project ? 'project' : 'user', index);
      const at = rules.findIndex((one, index) => nameAt(one, index) === name);
      if (at >= 0) return [{ path: ['policy', 'rules', at], value: undefined }];
      const [near] = suggestNames(name, rules.map(nameAt));
      throw new AgentMuxError('VALIDATION_ERROR', `${fileOf(location).path} has no rule named "${name}"`, {
        hint: near === undefined ? 'run "amux policy list" to list the rules' : `did you mean ${near}?`,
      });
    },
    envOf(location),
  );
}

/** Shifts each rule by one position and adds the last: the file keeps its format and comments. */
function shiftIn(rules: readonly unknown[], at: number, rule: unknown): ConfigChange[] {
  const after = [...rules.slice(0, at), rule, ...rules.slice(at)];
  return after
    .map((value, index): ConfigChange => ({ path: ['policy', 'rules', index], value }))
    .filter(({ value }, index) => value !== rules[index]);
}

function asWritten({
  name,
  decision,
  agent,
  kind,
  tool,
  pattern,
  folder,
  allowFields,
}: NewRule): Record<string, unknown> {
  const fields = { name, decision, agent, kind, tool, pattern, folder, allowFields };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => {
      if (value === undefined || value.length === 0) return [];
      return [[field, Array.isArray(value) && value.length === 1 ? value[0] : value]];
    }),
  );
}

function assertSound(rule: Record<string, unknown>, { project = false, env }: RuleLocation): void {
  const { document } = parseDocument('rule', JSON.stringify({ policy: { rules: [rule] } }));
  const value = valueIn(document, ['policy']);
  const source = project ? 'project' : 'user';
  const { issues } = readRules({ value, document, trusted: !project, source }, homeOf(env));
  if (issues.length === 0) return;
  throw new ValidationError(
    'rule',
    issues.map(({ field, problem }) => ({ field: field.replace(/^policy\.rules\[0\]\.?/, ''), problem })),
  );
}

function rulesIn(content: unknown): readonly unknown[] {
  const rules = valueAtPath(content, ['policy', 'rules']);
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) throw refuse('policy.rules', 'must be a list of rules; fix the file first');
  return rules;
}

function fileOf({ project = false, cwd = process.cwd(), env }: RuleLocation): NativeFile {
  const file = { agent: 'agent-mux', format: 'jsonc' } as const;
  if (!project) return { ...file, path: userConfigFile(env) };
  return { ...file, path: projectConfigFile(cwd) ?? newProjectConfigFile(cwd), within: projectFolder(cwd) };
}

function envOf({ env }: RuleLocation): { env?: NodeJS.ProcessEnv } {
  return env ? { env } : {};
}

function refuse(field: string, problem: string): ValidationError {
  return new ValidationError('rule', [{ field, problem }]);
}
