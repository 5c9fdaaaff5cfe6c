import { isAbsolute } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { KeeperError } from './keeper-error.ts';
import type { ExpectedIdentity, LaunchSpec, OutgoingMessage } from './protocol.ts';

/** Validated without a library, which would take a third of a keeper's memory budget. */
export function parseLaunchSpec(value: unknown): LaunchSpec {
  if (!isRecord(value)) throw bad('the launch', 'is not an object');
  const { group } = value;
  if (group !== undefined && group !== null && typeof group !== 'string') throw bad('group', 'is not a string');
  const folder = text(value, 'folder');
  if (!isAbsolute(folder)) throw bad('folder', 'is not absolute');
  return {
    sessionId: text(value, 'sessionId'),
    folder,
    launch: count(value, 'launch'),
    runId: text(value, 'runId'),
    firstSeq: count(value, 'firstSeq'),
    agent: text(value, 'agent'),
    options: record(value, 'options'),
    trustProject: value.trustProject === true,
    env: variables(value, 'env'),
    hostEnv: variables(value, 'hostEnv'),
    message: parseMessage(value.message),
    limits: {
      maxOutputBytes: count(record(value, 'limits'), 'maxOutputBytes'),
      maxInlineChars: count(record(value, 'limits'), 'maxInlineChars'),
      storeContent: record(value, 'limits').storeContent !== false,
      ...(record(value, 'limits').handshakeMs === undefined
        ? {}
        : { handshakeMs: count(record(value, 'limits'), 'handshakeMs') }),
    },
    expected: readExpected(value.expected),
    group: group ?? null,
  };
}

/** Older daemons do not send it. */
function readExpected(value: unknown): ExpectedIdentity {
  const { model, modelNames, permissionMode } = isRecord(value) ? value : {};
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(Array.isArray(modelNames) ? { modelNames: modelNames.filter((name) => typeof name === 'string') } : {}),
    ...(typeof permissionMode === 'string' ? { permissionMode } : {}),
  };
}

export function parseMessage(value: unknown): OutgoingMessage {
  if (!isRecord(value)) throw bad('message', 'is not an object');
  const { attachments } = value;
  if (!Array.isArray(attachments)) throw bad('attachments', 'is not an array');
  return {
    messageId: text(value, 'messageId'),
    text: text(value, 'text', ''),
    attachments: attachments.map((file: unknown) => {
      if (!isRecord(file)) throw bad('attachments', 'has an element that is not an object');
      const { mimeType } = file;
      return {
        path: text(file, 'path'),
        name: text(file, 'name'),
        ...(typeof mimeType === 'string' ? { mimeType } : {}),
      };
    }),
  };
}

function text(from: Record<string, unknown>, name: string, least?: ''): string {
  const value = from[name];
  if (typeof value !== 'string' || (least === undefined && value === '')) throw bad(name, 'is not a string');
  return value;
}

function count(from: Record<string, unknown>, name: string): number {
  const value = from[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw bad(name, 'is not a non-negative integer');
  return value;
}

function record(from: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = from[name];
  if (!isRecord(value)) throw bad(name, 'is not an object');
  return value;
}

function variables(from: Record<string, unknown>, name: string): Record<string, string> {
  const entries = Object.entries(record(from, name)).map(([variable, value]): [string, string] => {
    if (typeof value !== 'string') throw bad(`${name}.${variable}`, 'is not a string');
    return [variable, value];
  });
  return Object.fromEntries(entries);
}

function bad(field: string, problem: string): KeeperError {
  return new KeeperError('BAD_REQUEST', `${field} ${problem}`);
}
