import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AgentMuxError, expandPath, type Session, type SessionMessage } from '@agent-mux/core';
import { addCounts, type Counts, countsOf, isNothing, NO_COUNTS, tokenUsage } from '../claude-stream/usage.ts';
import { isRecord, type Json, number, parseRecord, record, records, text, word } from '../shared/json.ts';
import { CONFIG_HOME } from './home.ts';

/** One folder per working directory: its path with everything but letters and digits turned into `-`. */
export function sessionDir(cwd?: string): string {
  const root = expandPath(`${CONFIG_HOME}/projects`);
  return cwd === undefined ? root : join(root, cwd.replace(/[^a-zA-Z0-9]/g, '-'));
}

export async function listSessionFiles(cwd?: string): Promise<string[]> {
  const root = sessionDir();
  const folders = cwd === undefined ? await subfolders(root) : [sessionDir(cwd)];
  const lists = await Promise.all(folders.map(transcripts));
  return lists.flat().sort();
}

async function subfolders(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name));
}

async function transcripts(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(folder, entry.name));
}

/**
 * One record per line; of the many types only `user`, `assistant` and `cost-state` matter. The `api-request` records hold the
 * system prompt and are never shown.
 */
export async function parseSessionFile(filePath: string, agent: string): Promise<Session> {
  const content = await readFile(filePath, 'utf8').catch((cause: unknown) => {
    throw new AgentMuxError('SESSION_NOT_FOUND', `The session file ${filePath} cannot be read`, { agent, cause });
  });
  const messages: SessionMessage[] = [];
  const usage = new Map<string, Counts>();
  let facts: Pick<Session, 'cwd' | 'model' | 'createdAt' | 'updatedAt' | 'costUsd'> = {};
  const entries = content
    .split('\n')
    .map(parseRecord)
    .filter((entry) => entry !== null);
  if (entries.length === 0) {
    throw new AgentMuxError('PARSE_ERROR', `${filePath} is no session of Claude Code`, { agent });
  }
  for (const entry of entries) {
    if (entry.isSidechain === true) continue;
    if (entry.type === 'cost-state') facts.costUsd = number(entry.totalCostUSD) ?? null;
    if (entry.type !== 'user' && entry.type !== 'assistant') continue;
    const message = record(entry.message);
    facts = withFacts(facts, entry, message);
    const id = word(message.id);
    if (entry.type === 'assistant' && id) usage.set(`${id}/${word(entry.requestId) ?? ''}`, countsOf(message.usage));
    messages.push(...messagesOf(entry.type, message, timeOf(entry)));
  }
  const total = [...usage.values()].reduce(addCounts, NO_COUNTS);
  return {
    agent,
    sessionId: basename(filePath, '.jsonl'),
    ...facts,
    messages,
    ...(isNothing(total) ? {} : { usage: tokenUsage(total) }),
  };
}

function withFacts<F extends Pick<Session, 'cwd' | 'model' | 'createdAt' | 'updatedAt'>>(
  facts: F,
  entry: Json,
  message: Json,
): F {
  const time = timeOf(entry);
  const model = word(message.model);
  return {
    ...facts,
    cwd: facts.cwd ?? word(entry.cwd),
    model: model && model !== '<synthetic>' ? model : facts.model,
    createdAt: facts.createdAt ?? time,
    updatedAt: time ?? facts.updatedAt,
  };
}

function timeOf(entry: Json): number | undefined {
  const time = Date.parse(text(entry.timestamp) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function messagesOf(role: 'user' | 'assistant', message: Json, timestamp: number | undefined): SessionMessage[] {
  const when = timestamp === undefined ? {} : { timestamp };
  if (typeof message.content === 'string') return [{ role, text: message.content, ...when }];
  return records(message.content).flatMap((block): SessionMessage[] => {
    switch (block.type) {
      case 'text':
        return [{ role, text: text(block.text) ?? '', ...when }];
      case 'tool_use':
        return [
          {
            role: 'assistant',
            text: JSON.stringify(block.input),
            ...when,
            ...ids(block.id),
            ...(word(block.name) ? { toolName: word(block.name) } : {}),
          },
        ];
      case 'tool_result':
        return [{ role: 'tool', text: plain(block.content), ...when, ...ids(block.tool_use_id) }];
      default:
        return [];
    }
  });
}

function ids(id: unknown): { toolCallId?: string } {
  const toolCallId = word(id);
  return toolCallId ? { toolCallId } : {};
}

function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  return (Array.isArray(content) ? content : [])
    .map((part) => (isRecord(part) ? (text(part.text) ?? '') : ''))
    .join('\n');
}
