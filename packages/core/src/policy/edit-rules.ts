import { newProjectConfigFile, projectConfigFile, projectFolder, userConfigFile } from '../config/files.ts';
import { AgentMuxError, ValidationError } from '../contract/errors.ts';
import type { PolicyCriteria, PolicyDecision } from '../contract/policy.ts';
import { parseDocument, valueIn } from '../documents/document.ts';
import { homeOf } from '../files/paths.ts';
import type { ConfigChange } from '../native-config/codecs.ts';
import { editNativeFile, type FileEdit, type NativeFile } from '../native-config/edit-file.ts';
import { findNearNames } from '../near-names.ts';
import { isRecord, valueAtPath } from '../values.ts';
import { nameOf, RULE_LIMIT, readRules } from './read-rules.ts';

export interface RulePlace {
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
 * Writes a rule into a file; comments and all else stay. One that denies or asks is put before all others and one that allows
 * behind them, since the first that matches counts. Throws ValidationError before anything is written.
 */
export async function addRule(rule: NewRule, place: RulePlace = {}): Promise<FileEdit> {
  const written = asWritten(rule);
  assertSound(written, place);
  return editNativeFile(
    fileOf(place),
    (content) => {
      const rules = rulesIn(content);
      const taken = rules.some((one) => isRecord(one) && one.name !== undefined && one.name === rule.name);
      if (taken) throw refuse('name', `"${rule.name}" is the name of another rule`);
      if (rules.length >= RULE_LIMIT) throw refuse('', `${RULE_LIMIT} rules are the limit`);
      if (!Array.isArray(valueAtPath(content, ['policy', 'rules'])))
        return [{ path: ['policy', 'rules'], value: [written] }];
      const at = rule.decision === 'allow' ? rules.length : 0;
      return shiftIn(rules, at, written);
    },
    envOf(place),
  );
}

/** Removes the rule that `amux policy list` shows under this name, which for an unnamed rule is its source and number. */
export async function removeRule(name: string, place: RulePlace = {}): Promise<FileEdit> {
  return editNativeFile(
    fileOf(place),
    (content) => {
      const rules = rulesIn(content);
      const nameAt = (one: unknown, index: number) =>
        isRecord(one) && typeof one.name === 'string' ? one.name : nameOf(place.project ? 'project' : 'user', index);
      const at = rules.findIndex((one, index) => nameAt(one, index) === name);
      if (at >= 0) return [{ path: ['policy', 'rules', at], value: undefined }];
      const [near] = findNearNames(name, rules.map(nameAt));
      throw new AgentMuxError('VALIDATION_ERROR', `${fileOf(place).path} has no rule named "${name}"`, {
        hint: near === undefined ? 'run "amux policy list" to list the rules' : `did you mean ${near}?`,
      });
    },
    envOf(place),
  );
}

/** Each one place further, the last one added: the file keeps its form and its comments. */
function shiftIn(rules: readonly unknown[], at: number, rule: unknown): ConfigChange[] {
  const after = [...rules.slice(0, at), rule, ...rules.slice(at)];
  return after
    .map((value, index): ConfigChange => ({ path: ['policy', 'rules', index], value }))
    .filter(({ value }, index) => value !== rules[index]);
}

function asWritten({ name, decision, agent, kind, tool, pattern, folder, also }: NewRule): Record<string, unknown> {
  const fields = { name, decision, agent, kind, tool, pattern, folder, also };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => {
      if (value === undefined || value.length === 0) return [];
      return [[field, Array.isArray(value) && value.length === 1 ? value[0] : value]];
    }),
  );
}

function assertSound(rule: Record<string, unknown>, { project = false, env }: RulePlace): void {
  const { document } = parseDocument('rule', JSON.stringify({ policy: { rules: [rule] } }));
  const value = valueIn(document, ['policy']);
  const source = project ? 'project' : 'user';
  const { faults } = readRules({ value, document, trusted: !project, source }, homeOf(env));
  if (faults.length === 0) return;
  throw new ValidationError(
    'rule',
    faults.map(({ field, problem }) => ({ field: field.replace(/^policy\.rules\[0\]\.?/, ''), problem })),
  );
}

function rulesIn(content: unknown): readonly unknown[] {
  const rules = valueAtPath(content, ['policy', 'rules']);
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) throw refuse('policy.rules', 'is no list of rules; mend the file first');
  return rules;
}

function fileOf({ project = false, cwd = process.cwd(), env }: RulePlace): NativeFile {
  const file = { agent: 'agent-mux', format: 'jsonc' } as const;
  if (!project) return { ...file, path: userConfigFile(env) };
  return { ...file, path: projectConfigFile(cwd) ?? newProjectConfigFile(cwd), within: projectFolder(cwd) };
}

function envOf({ env }: RulePlace): { env?: NodeJS.ProcessEnv } {
  return env ? { env } : {};
}

function refuse(field: string, problem: string): ValidationError {
  return new ValidationError('rule', [{ field, problem }]);
}
