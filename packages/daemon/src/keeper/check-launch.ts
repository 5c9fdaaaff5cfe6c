import { isAbsolute } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { KeeperError } from './keeper-error.ts';
import type { Delivery, Expected, Launch } from './protocol.ts';

/** By hand: a library for it would take a third of what a keeper may. */
export function readLaunch(value: unknown): Launch {
  if (!isRecord(value)) throw bad('the launch', 'is no object');
  const { group } = value;
  if (group !== undefined && group !== null && typeof group !== 'string') throw bad('group', 'is no text');
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
    message: readDelivery(value.message),
    limits: {
      maxOutputBytes: count(record(value, 'limits'), 'maxOutputBytes'),
      inlineChars: count(record(value, 'limits'), 'inlineChars'),
      storeContent: record(value, 'limits').storeContent !== false,
      ...(record(value, 'limits').handshakeMs === undefined
        ? {}
        : { handshakeMs: count(record(value, 'limits'), 'handshakeMs') }),
    },
    expected: readExpected(value.expected),
    group: group ?? null,
  };
}

/** Absent from a daemon of an older version. */
function readExpected(value: unknown): Expected {
  const { model, modelNames, permissionMode } = isRecord(value) ? value : {};
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(Array.isArray(modelNames) ? { modelNames: modelNames.filter((name) => typeof name === 'string') } : {}),
    ...(typeof permissionMode === 'string' ? { permissionMode } : {}),
  };
}

export function readDelivery(value: unknown): Delivery {
  if (!isRecord(value)) throw bad('message', 'is no object');
  const { attachments } = value;
  if (!Array.isArray(attachments)) throw bad('attachments', 'is no list');
  return {
    messageId: text(value, 'messageId'),
    text: text(value, 'text', ''),
    attachments: attachments.map((file: unknown) => {
      if (!isRecord(file)) throw bad('attachments', 'holds something that is no object');
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
  if (typeof value !== 'string' || (least === undefined && value === '')) throw bad(name, 'is no text');
  return value;
}

function count(from: Record<string, unknown>, name: string): number {
  const value = from[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw bad(name, 'is no number from 0');
  return value;
}

function record(from: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = from[name];
  if (!isRecord(value)) throw bad(name, 'is no object');
  return value;
}

function variables(from: Record<string, unknown>, name: string): Record<string, string> {
  const entries = Object.entries(record(from, name)).map(([variable, value]): [string, string] => {
    if (typeof value !== 'string') throw bad(`${name}.${variable}`, 'is no text');
    return [variable, value];
  });
  return Object.fromEntries(entries);
}

function bad(field: string, problem: string): KeeperError {
  return new KeeperError('BAD_REQUEST', `${field} ${problem}`);
}
