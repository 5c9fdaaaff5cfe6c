import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AgentMuxError } from '../contract/errors.ts';
import { REMEMBER_SCOPES, type RememberedAnswer } from '../contract/policy.ts';
import { isToolKind } from '../contract/tool-kinds.ts';
import { withFileLock } from '../files/file-lock.ts';
import {
  ignoreMissing,
  isMissing,
  OWN_FILE_LIMIT,
  readRegularFile,
  readRegularFileSync,
} from '../files/regular-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import { isRecord, messageOf } from '../values.ts';

const SCHEMA = 'agent-mux.remembered.v1';
/** Maximum number of stored answers. */
const REMEMBERED_LIMIT = 1000;

export function rememberedFile(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'policy', 'remembered.json');
}

/** Reads the remembered answers. `problem`: not all could be read, so a denial may be missing. */
export function readRemembered(file: string): { answers: RememberedAnswer[]; problem: string | null } {
  try {
    return parseRemembered(readRegularFileSync(file, { limit: OWN_FILE_LIMIT }).toString('utf8'));
  } catch (error) {
    return { answers: [], problem: isMissing(error) ? null : messageOf(error) };
  }
}

function parseRemembered(text: string): { answers: RememberedAnswer[]; problem: string | null } {
  const content: unknown = JSON.parse(text);
  if (!isRecord(content) || content.schema !== SCHEMA || !Array.isArray(content.answers))
    return { answers: [], problem: 'it contains no remembered answers that this version understands' };
  const answers = content.answers.filter(isAnswer);
  const isWhole = answers.length === content.answers.length;
  return { answers, problem: isWhole ? null : 'it contains answers that this version does not understand' };
}

function isAnswer(value: unknown): value is RememberedAnswer {
  if (!isRecord(value)) return false;
  const texts = [value.id, value.agent, value.tool, value.resource, value.by];
  const optionalTexts = [value.sessionId, value.folder, value.fingerprint, value.pattern];
  return (
    texts.every((text) => typeof text === 'string') &&
    optionalTexts.every((text) => text === undefined || typeof text === 'string') &&
    (value.decision === 'allow' || value.decision === 'deny') &&
    REMEMBER_SCOPES.some((scope) => scope === value.scope) &&
    isToolKind(value.kind) &&
    typeof value.createdAt === 'number' &&
    (value.fingerprint === undefined) !== (value.pattern === undefined)
  );
}

/** Changes the remembered answers, one process at a time. A file that cannot be read completely is not written. */
export async function changeRemembered<Result>(
  env: NodeJS.ProcessEnv,
  change: (answers: readonly RememberedAnswer[]) => { answers: readonly RememberedAnswer[]; result: Result },
): Promise<Result> {
  const file = rememberedFile(env);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return withFileLock(file, env, async () => {
    const before = await readRegularFile(file, { limit: OWN_FILE_LIMIT }).catch(ignoreMissing);
    const { answers, problem } = before === undefined ? { answers: [], problem: null } : parseBytes(before);
    if (problem !== null)
      throw new AgentMuxError('CONFIG_ERROR', `${file}: ${problem}`, {
        hint: 'fix or move the file; nothing was changed',
      });
    const changed = change(answers);
    if (changed.answers.length > REMEMBERED_LIMIT)
      throw new AgentMuxError('VALIDATION_ERROR', `${REMEMBERED_LIMIT} answers are already remembered`, {
        hint: 'run "amux policy forget ID" to remove one ("amux policy list" lists them), or write a rule',
      });
    const text = `${JSON.stringify({ schema: SCHEMA, answers: changed.answers }, null, 2)}\n`;
    if (!(await replaceFile(file, { before, text, limit: OWN_FILE_LIMIT })))
      throw new AgentMuxError('CONFIG_ERROR', `${file} was changed by another process`, {
        hint: 'try again',
        retryable: true,
      });
    return changed.result;
  });
}

function parseBytes(bytes: Buffer): { answers: RememberedAnswer[]; problem: string | null } {
  try {
    return parseRemembered(bytes.toString('utf8'));
  } catch (error) {
    return { answers: [], problem: messageOf(error) };
  }
}

export function newRememberedId(): string {
  return randomBytes(6).toString('hex');
}
