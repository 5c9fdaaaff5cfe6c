import { statSync } from 'node:fs';
import { projectConfigFile, projectFolder, readConfigFile, userConfigFile } from '../config/files.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { ApprovalRequest } from '../contract/options.ts';
import type { PolicyAnswer, PolicyRule, PolicyVerdict, RememberedAnswer, RememberScope } from '../contract/policy.ts';
import { type ConfigFault, parseDocument, takeFirstFaults, valueIn } from '../documents/document.ts';
import { homeOf } from '../files/paths.ts';
import { redactSecrets } from '../redact/redact.ts';
import { isRecord, messageOf } from '../values.ts';
import { coversAsked, decide, type Policy } from './decide.ts';
import { findReal } from './match-path.ts';
import { type ReadRules, readRules } from './read-rules.ts';
import { changeRemembered, newRememberedId, readRemembered, rememberedFile } from './remembered.ts';
import type { ShellKind } from './simple-command.ts';
import { type Asked, type PolicyRequest, readAsked } from './what-is-asked.ts';

/** Whose rules count. */
export interface PolicyPlace {
  cwd: string;
  trustProject: boolean;
}

/** All that there is, for people. */
export interface PolicyOverview {
  rules: PolicyRule[];
  faults: ConfigFault[];
  remembered: RememberedAnswer[];
  suspended: string | null;
}

export interface Remembering {
  decision: 'allow' | 'deny';
  scope: RememberScope;
  /** In the place of exactly what was asked. */
  pattern?: string;
  by: string;
}

/** So much of what was asked is kept to be read. */
const ASKED_CHARS = 500;

/**
 * The rules of the configuration files and the answers that were remembered, read anew where a file has changed: `amux run`,
 * the SDK and the daemon decide by the same.
 */
export class PolicyBook {
  readonly #env: NodeJS.ProcessEnv;
  readonly #shell: ShellKind;
  readonly #kept = new Map<string, { stamp: string; value: unknown }>();

  constructor(options: { env?: NodeJS.ProcessEnv } = {}) {
    this.#env = options.env ?? process.env;
    this.#shell = process.platform === 'win32' ? 'windows' : 'posix';
  }

  decide(given: PolicyRequest, trustProject: boolean): PolicyVerdict {
    const { policy } = this.#read({ cwd: given.cwd, trustProject });
    return decide(policy, readAsked(given, this.#env), this.#shell);
  }

  /** The answer that a rule gives; undefined: a person is asked. Only what the agent offered for this once is an answer. */
  answer(
    given: PolicyRequest & { request: Pick<ApprovalRequest, 'options'> },
    trustProject: boolean,
  ): PolicyAnswer | undefined {
    let verdict: PolicyVerdict;
    try {
      verdict = this.decide(given, trustProject);
    } catch {
      return undefined;
    }
    const { decision, rule, remembered } = verdict;
    if (decision === 'ask') return undefined;
    const name = rule?.name ?? `remembered ${remembered?.id ?? ''}`;
    const { options } = given.request;
    const option = options.find(({ kind }) => kind === `${decision}_once`);
    const optionId = option ? { optionId: option.id } : {};
    if (decision === 'allow') return option ? { answer: { decision, ...optionId }, rule: name } : undefined;
    const message = rule ? `denied by the rule "${rule.name}"` : 'denied, as it was before';
    return { answer: { decision, message, ...optionId }, rule: name };
  }

  /** Another one where a file that counts there has changed. */
  stamp({ cwd }: Pick<PolicyPlace, 'cwd'>): string {
    const files = [userConfigFile(this.#env), projectConfigFile(cwd), rememberedFile(this.#env)];
    return files.map((file) => (file === undefined ? '' : stampOf(file))).join('; ');
  }

  overview(place: PolicyPlace): PolicyOverview {
    const { policy, faults } = this.#read(place);
    const rules = [...policy.user, ...policy.project].map(({ base: _, folders: __, ...rule }) => rule);
    return { rules, faults, remembered: [...policy.remembered], suspended: policy.suspended };
  }

  /** Throws where it would not count: a rule decides, the pattern is about something else, or not all of it is known here. */
  async remember(given: PolicyRequest, how: Remembering, trustProject: boolean): Promise<RememberedAnswer> {
    const asked = readAsked(given, this.#env);
    const { decision, scope, pattern, by } = how;
    const { rule } = this.decide(given, trustProject);
    if (rule)
      throw refusal(
        `the rule "${rule.name}" decides here, so that an answer cannot be remembered`,
        `${rule.file}:${rule.line}`,
      );
    const place = this.#placeOf(scope, asked);
    const answer: RememberedAnswer = {
      id: newRememberedId(),
      decision,
      scope,
      ...place,
      agent: asked.agent,
      tool: asked.tool,
      kind: asked.kind,
      asked: redactSecrets(describeAsked(given, asked)).slice(0, ASKED_CHARS),
      ...(pattern === undefined ? { fingerprint: asked.fingerprint } : { pattern }),
      at: Date.now(),
      by,
    };
    if (!coversAsked(answer, asked, this.#shell)) throw whyNotRemembered(asked, pattern);
    return changeRemembered(this.#env, (answers) => ({
      answers: [...answers.filter((other) => !isSame(other, answer)), answer],
      result: answer,
    }));
  }

  /** By the beginning of an id that no other has; `all`: everything. Returns what was forgotten. */
  forget(id: string | 'all'): Promise<RememberedAnswer[]> {
    return changeRemembered(this.#env, (answers) => {
      const gone = id === 'all' ? answers : answers.filter((answer) => answer.id.startsWith(id));
      if (id !== 'all' && gone.length !== 1)
        throw new AgentMuxError(
          'VALIDATION_ERROR',
          `${gone.length === 0 ? 'no remembered answer begins' : 'several remembered answers begin'} with "${id}"`,
          {
            hint: 'amux policy list shows them',
          },
        );
      return { answers: answers.filter((answer) => !gone.includes(answer)), result: [...gone] };
    });
  }

  #placeOf(scope: RememberScope, { session, folder, realFolder }: Asked): Pick<RememberedAnswer, 'session' | 'folder'> {
    if (scope === 'everywhere') return {};
    if (scope === 'session') {
      if (session === undefined) throw refusal('there is no session for which it could be remembered');
      return { session };
    }
    if (realFolder === undefined)
      throw refusal(`it is not known where ${folder} is, so that nothing is remembered for it`);
    return { folder: findReal(projectFolder(realFolder)) ?? realFolder };
  }

  #read({ cwd, trustProject }: PolicyPlace): { policy: Policy; faults: ConfigFault[] } {
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
    const told = problem === null ? [] : [{ file: memory, line: 1, column: 1, field: '', problem }];
    return {
      policy: {
        user: user.rules,
        project: project.rules,
        remembered: answers,
        suspended: broken.length === 0 ? null : `${broken.join(' and ')} cannot be understood as a whole`,
      },
      faults: takeFirstFaults([...user.faults, ...project.faults, ...told]),
    };
  }

  #rulesOf(file: string, source: PolicyRule['source'], trusted: boolean): ReadRules {
    return this.#keep(file, `${trusted}`, () => {
      try {
        const text = readConfigFile(file);
        if (text === undefined) return NOTHING;
        const { document, faults } = parseDocument(file, text);
        const content = valueIn(document, []);
        const value = isRecord(content) ? content.policy : undefined;
        const read = readRules({ value, document, trusted, source }, findReal(homeOf(this.#env)) ?? homeOf(this.#env));
        const isWhole = faults.length === 0 && isRecord(content);
        return isWhole ? read : { ...read, faults: [...faults, ...read.faults], isBroken: true };
      } catch (error) {
        const fault = { file, line: 1, column: 1, field: '', problem: `cannot be read: ${messageOf(error)}` };
        return { rules: [], faults: [fault], isBroken: true };
      }
    });
  }

  /** As long as the file is the same. */
  #keep<Value>(file: string, more: string, make: () => Value): Value {
    const stamp = `${more} ${stampOf(file)}`;
    const key = `${file} ${more}`;
    const known = this.#kept.get(key);
    if (known?.stamp === stamp) return known.value as Value;
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    const value = make();
    this.#kept.set(key, { stamp, value });
    return value;
  }
}

const MOST_KEPT = 64;
const NOTHING: ReadRules = { rules: [], faults: [], isBroken: false };

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : '';
}

function isSame(one: RememberedAnswer, other: RememberedAnswer): boolean {
  const key = ({ scope, session, folder, agent, tool, kind, fingerprint, pattern }: RememberedAnswer) =>
    JSON.stringify([scope, session, folder, agent, tool, kind, fingerprint, pattern]);
  return key(one) === key(other);
}

function describeAsked({ request }: PolicyRequest, { commands, paths, addresses, names }: Asked): string {
  const subjects = [...commands, ...paths.map(({ full }) => full), ...addresses, ...names.slice(0, 1)];
  return subjects.length > 0 ? subjects.join(', ') : request.title;
}

function whyNotRemembered(asked: Asked, pattern: string | undefined): AgentMuxError {
  if (asked.isBlurred)
    return refusal('a part of it is too long or was taken out as a secret: it can only be answered once');
  if (pattern === undefined && !asked.isExact)
    return refusal(
      'what it would write is not in the request: it can only be answered once',
      'a pattern allows any change of the files that it names',
    );
  if (pattern === undefined) return refusal('it would change a file of agent-mux itself: it can only be answered once');
  return refusal(
    `the pattern "${pattern}" does not cover what is asked`,
    'a pattern covers one simple command, without ; | & > $ and the like, and nothing that goes beyond a use of the tool',
  );
}

function refusal(message: string, hint?: string): AgentMuxError {
  return new AgentMuxError('VALIDATION_ERROR', message, hint === undefined ? {} : { hint });
}
