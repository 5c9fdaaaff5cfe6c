import { statSync } from 'node:fs';
import { projectConfigFile, projectFolder, readConfigFile, userConfigFile } from '../config/files.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { ApprovalRequest } from '../contract/options.ts';
import type { PolicyAnswer, PolicyRule, PolicyVerdict, RememberedAnswer, RememberScope } from '../contract/policy.ts';
import { type ConfigIssue, limitIssues, parseDocument, valueIn } from '../documents/document.ts';
import { homeOf } from '../files/paths.ts';
import { redactSecrets } from '../redact/redact.ts';
import { isRecord, messageOf } from '../values.ts';
import { coversResource, decide, type Policy } from './decide.ts';
import { findReal } from './match-path.ts';
import { type ReadRules, readRules } from './read-rules.ts';
import { changeRemembered, newRememberedId, readRemembered, rememberedFile } from './remembered.ts';
import { type PolicyRequest, type RequestedResource, readResource } from './resource.ts';
import type { ShellKind } from './simple-command.ts';

/** Where a request comes from, which decides whose rules apply. */
export interface PolicyLocation {
  cwd: string;
  trustProject: boolean;
}

/** All rules and remembered answers, for display. */
export interface PolicyOverview {
  rules: PolicyRule[];
  issues: ConfigIssue[];
  remembered: RememberedAnswer[];
  suspended: string | null;
}

export interface Remembering {
  decision: 'allow' | 'deny';
  scope: RememberScope;
  /** Replaces the exact request. */
  pattern?: string;
  by: string;
}

/** Maximum characters of the request that are stored for display. */
const RESOURCE_CHARS = 500;

/**
 * The rules of the configuration files and the remembered answers, reloaded when a file changes. `amux run`, the SDK
 * and the daemon share them.
 */
export class PolicyStore {
  readonly #env: NodeJS.ProcessEnv;
  readonly #shell: ShellKind;
  readonly #cache = new Map<string, { stamp: string; value: unknown }>();

  constructor(options: { env?: NodeJS.ProcessEnv } = {}) {
    this.#env = options.env ?? process.env;
    this.#shell = process.platform === 'win32' ? 'windows' : 'posix';
  }

  decide(input: PolicyRequest, trustProject: boolean): PolicyVerdict {
    const { policy } = this.#read({ cwd: input.cwd, trustProject });
    return decide(policy, readResource(input, this.#env), this.#shell);
  }

  /**
   * The answer of a rule; undefined if a person is resource. Only an option that the agent offers for this one request
   * is used.
   */
  answer(
    input: PolicyRequest & { request: Pick<ApprovalRequest, 'options'> },
    trustProject: boolean,
  ): PolicyAnswer | undefined {
    let verdict: PolicyVerdict;
    try {
      verdict = this.decide(input, trustProject);
    } catch {
      return undefined;
    }
    const { decision, rule, remembered } = verdict;
    if (decision === 'ask') return undefined;
    const name = rule?.name ?? `remembered ${remembered?.id ?? ''}`;
    const { options } = input.request;
    const option = options.find(({ kind }) => kind === `${decision}_once`);
    const optionId = option ? { optionId: option.id } : {};
    if (decision === 'allow') return option ? { answer: { decision, ...optionId }, rule: name } : undefined;
    const message = rule ? `denied by rule "${rule.name}"` : 'denied by a remembered answer';
    return { answer: { decision, message, ...optionId }, rule: name };
  }

  /** Changes when a relevant file has changed. */
  stamp({ cwd }: Pick<PolicyLocation, 'cwd'>): string {
    const files = [userConfigFile(this.#env), projectConfigFile(cwd), rememberedFile(this.#env)];
    return files.map((file) => (file === undefined ? '' : stampOf(file))).join('; ');
  }

  overview(location: PolicyLocation): PolicyOverview {
    const { policy, issues } = this.#read(location);
    const rules = [...policy.user, ...policy.project].map(({ base: _, folders: __, ...rule }) => rule);
    return { rules, issues, remembered: [...policy.remembered], suspended: policy.suspended };
  }

  /**
   * Throws if the answer would have no effect: a rule decides, the pattern does not match, or the request is not
   * complete.
   */
  async remember(input: PolicyRequest, how: Remembering, trustProject: boolean): Promise<RememberedAnswer> {
    const resource = readResource(input, this.#env);
    const { decision, scope, pattern, by } = how;
    const { rule } = this.decide(input, trustProject);
    if (rule)
      throw refusal(
        `cannot remember an answer: rule "${rule.name}" already decides this request`,
        `${rule.file}:${rule.line}`,
      );
    const location = this.#locationOf(scope, resource);
    const answer: RememberedAnswer = {
      id: newRememberedId(),
      decision,
      scope,
      ...location,
      agent: resource.agent,
      tool: resource.tool,
      kind: resource.kind,
      resource: redactSecrets(describeResource(input, resource)).slice(0, RESOURCE_CHARS),
      ...(pattern === undefined ? { fingerprint: resource.fingerprint } : { pattern }),
      createdAt: Date.now(),
      by,
    };
    if (!coversResource(answer, resource, this.#shell)) throw whyNotRemembered(resource, pattern);
    return changeRemembered(this.#env, (answers) => ({
      answers: [...answers.filter((other) => !isSame(other, answer)), answer],
      result: answer,
    }));
  }

  /** Forgets an answer by a unique id prefix, or all with `all`. Returns the forgotten answers. */
  forget(id: string | 'all'): Promise<RememberedAnswer[]> {
    return changeRemembered(this.#env, (answers) => {
      const forgotten = id === 'all' ? answers : answers.filter((answer) => answer.id.startsWith(id));
      if (id !== 'all' && forgotten.length !== 1)
        throw new AgentMuxError(
          'VALIDATION_ERROR',
          `${forgotten.length === 0 ? 'no remembered answer matches' : 'several remembered answers match'} "${id}"`,
          {
            hint: 'run "amux policy list" to list them',
          },
        );
      return { answers: answers.filter((answer) => !forgotten.includes(answer)), result: [...forgotten] };
    });
  }

  #locationOf(
    scope: RememberScope,
    { session, folder, realFolder }: RequestedResource,
  ): Pick<RememberedAnswer, 'sessionId' | 'folder'> {
    if (scope === 'global') return {};
    if (scope === 'session') {
      if (session === undefined) throw refusal('cannot remember the answer for a session: the request has none');
      return { sessionId: session };
    }
    if (realFolder === undefined)
      throw refusal(`cannot remember the answer for ${folder}: its real location is unknown`);
    return { folder: findReal(projectFolder(realFolder)) ?? realFolder };
  }

  #read({ cwd, trustProject }: PolicyLocation): { policy: Policy; issues: ConfigIssue[] } {
    const userFile = userConfigFile(this.#env);
    const found = projectConfigFile(cwd);
    const projectFile = found === userFile ? undefined : found;
    const user = this.#rulesOf(userFile, 'user', true);
    const project = projectFile === undefined ? NOTHING : this.#rulesOf(projectFile, 'project', trustProject);
    const memory = rememberedFile(this.#env);
    const { answers, problem } = this.#keep(memory, '', () => readRemembered(memory));
    const broken = [
      ...(user.isBroken ? [userFile] : []),
      ...(project.isBroken && projectFile !== undefined ? [projectFile] : []),
      ...(problem === null ? [] : [memory]),
    ];
    const issue = problem === null ? [] : [{ file: memory, line: 1, column: 1, field: '', problem }];
    return {
      policy: {
        user: user.rules,
        project: project.rules,
        remembered: answers,
        suspended: broken.length === 0 ? null : `${broken.join(' and ')} could not be read completely`,
      },
      issues: limitIssues([...user.issues, ...project.issues, ...issue]),
    };
  }

  #rulesOf(file: string, source: PolicyRule['source'], trusted: boolean): ReadRules {
    return this.#keep(file, `${trusted}`, () => {
      try {
        const text = readConfigFile(file);
        if (text === undefined) return NOTHING;
        const { document, issues } = parseDocument(file, text);
        const content = valueIn(document, []);
        const value = isRecord(content) ? content.policy : undefined;
        const read = readRules({ value, document, trusted, source }, findReal(homeOf(this.#env)) ?? homeOf(this.#env));
        const isWhole = issues.length === 0 && isRecord(content);
        return isWhole ? read : { ...read, issues: [...issues, ...read.issues], isBroken: true };
      } catch (error) {
        const issue = { file, line: 1, column: 1, field: '', problem: `cannot be read: ${messageOf(error)}` };
        return { rules: [], issues: [issue], isBroken: true };
      }
    });
  }

  /** Cached while the file is unchanged. */
  #keep<Value>(file: string, more: string, make: () => Value): Value {
    const stamp = `${more} ${stampOf(file)}`;
    const key = `${file} ${more}`;
    const known = this.#cache.get(key);
    if (known?.stamp === stamp) return known.value as Value;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    const value = make();
    this.#cache.set(key, { stamp, value });
    return value;
  }
}

const MAX_CACHED = 64;
const NOTHING: ReadRules = { rules: [], issues: [], isBroken: false };

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : '';
}

function isSame(one: RememberedAnswer, other: RememberedAnswer): boolean {
  const key = ({ scope, sessionId, folder, agent, tool, kind, fingerprint, pattern }: RememberedAnswer) =>
    JSON.stringify([scope, sessionId, folder, agent, tool, kind, fingerprint, pattern]);
  return key(one) === key(other);
}

function describeResource(
  { request }: PolicyRequest,
  { commands, paths, addresses, names }: RequestedResource,
): string {
  const subjects = [...commands, ...paths.map(({ full }) => full), ...addresses, ...names.slice(0, 1)];
  return subjects.length > 0 ? subjects.join(', ') : request.title;
}

function whyNotRemembered(resource: RequestedResource, pattern: string | undefined): AgentMuxError {
  if (resource.isBlurred)
    return refusal('a part of the request is too long or was redacted: it can only be answered once');
  if (pattern === undefined && !resource.isExact)
    return refusal(
      'the request does not contain what it would write: it can only be answered once',
      'use a pattern to allow any change of the files that it names',
    );
  if (pattern === undefined)
    return refusal('the request would change a file of agent-mux itself: it can only be answered once');
  return refusal(
    `the pattern "${pattern}" does not cover the request`,
    'a pattern covers one simple command without ; | & > $ or similar, and only the use of the tool',
  );
}

function refusal(message: string, hint?: string): AgentMuxError {
  return new AgentMuxError('VALIDATION_ERROR', message, hint === undefined ? {} : { hint });
}
