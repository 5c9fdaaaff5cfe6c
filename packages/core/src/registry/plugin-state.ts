import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentMuxError, ValidationError } from '../contract/errors.ts';
import type { PluginStateStore } from '../contract/plugin-context.ts';
import { ignoreMissing, readRegularFile } from '../files/regular-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import { storeFile } from '../files/write-private-file.ts';
import { isRecord, messageOf } from '../values.ts';

const MAX_STATE_KEY_LENGTH = 200;
export const MAX_STATE_VALUE_BYTES = 256 * 1024;
export const MAX_STATE_KEYS = 500;
/** A file also holds its key, whose characters JSON may escape. */
const MAX_FILE_BYTES = MAX_STATE_VALUE_BYTES + 8 * MAX_STATE_KEY_LENGTH;

/** One file per key, named by a digest: a key never becomes a path, and processes never overwrite each other's keys. */
export function openPluginState(agent: string, env: NodeJS.ProcessEnv): PluginStateStore {
  const folder = join(stateFolder(env), 'adapters', agent);
  const pathOf = (key: string) => join(folder, `${digestOf([agent, key])}.json`);

  const get = async (key: unknown): Promise<unknown> => {
    const path = pathOf(checkKey(agent, key));
    const text = await readRegularFile(path, { limit: MAX_FILE_BYTES, followLinks: false }).catch(ignoreMissing);
    return text && valueIn(text.toString('utf8'));
  };
  const set = async (key: unknown, value: unknown): Promise<void> => {
    const path = pathOf(checkKey(agent, key));
    const text = `{"key":${JSON.stringify(key)},"value":${toStateJson(agent, value)}}\n`;
    const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
    if (names.length >= MAX_STATE_KEYS && !names.some((name) => path.endsWith(name))) {
      throw refusal(agent, 'key', `exceeds the limit of ${MAX_STATE_KEYS} keys: delete one first`);
    }
    await storeFile(path, text);
  };
  const remove = async (key: unknown): Promise<void> => {
    await rm(pathOf(checkKey(agent, key)), { force: true }).catch(ignoreMissing);
  };
  return {
    get: (key) => settled(agent, 'read', get(key)),
    set: (key, value) => settled(agent, 'write', set(key, value)),
    delete: (key) => settled(agent, 'delete', remove(key)),
  };
}

/** An unhandled rejection must not crash the host; an awaited one still reaches the adapter. */
function settled<Value>(agent: string, verb: string, work: Promise<Value>): Promise<Value> {
  const named = work.catch((cause: unknown) => {
    if (cause instanceof AgentMuxError) throw cause;
    const message = `cannot ${verb} the state of the adapter "${agent}": ${messageOf(cause)}`;
    throw new AgentMuxError('STORAGE_ERROR', message, { agent, cause });
  });
  named.catch(() => {});
  return named;
}

function checkKey(agent: string, key: unknown): string {
  if (typeof key === 'string' && key !== '' && key.length <= MAX_STATE_KEY_LENGTH) return key;
  throw refusal(agent, 'key', `must be a string of 1 to ${MAX_STATE_KEY_LENGTH} characters`);
}

function toStateJson(agent: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw refusal(agent, 'value', `cannot be written as JSON: ${messageOf(error)}`);
  }
  if (text === undefined) throw refusal(agent, 'value', 'must be a JSON value; use delete() to remove a key');
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_STATE_VALUE_BYTES) return text;
  throw refusal(agent, 'value', `has ${bytes} bytes as JSON; the limit is ${MAX_STATE_VALUE_BYTES}`);
}

/** A damaged file counts as absent: it was not written by this store. */
function valueIn(text: string): unknown {
  try {
    const file: unknown = JSON.parse(text);
    return isRecord(file) ? file.value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(agent: string, field: string, problem: string): ValidationError {
  return new ValidationError(`state of the adapter "${agent}"`, [{ field, problem }], { agent });
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
