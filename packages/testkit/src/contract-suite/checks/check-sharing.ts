import { ok, strictEqual } from 'node:assert/strict';
import type { AgentMode, HttpServerSpec, ResolvedRunOptions, SharedStdio } from '@agent-mux/core';
import { z } from 'zod';
import { describeValue } from '../assert-returned.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { callMember } from '../checked-decoder.ts';
import { hardLines } from '../garbage.ts';
import { heardIn } from '../recorded-lines.ts';
import { inSandbox } from '../sandbox.ts';
import { codecOf, optionsFor, type Subject } from '../subject.ts';
import { parse } from './check-preparations.ts';

/** How a process or a server is found, and distinguished from that of another run. */
export function sharingChecks(subject: Subject): ContractCheck[] {
  return subject.modes.flatMap((mode) => {
    const { live } = mode;
    const share = live?.transport === 'stdio' ? live.share : undefined;
    const server = live?.transport === 'http' ? live.server : undefined;
    return aboutTopic(`the process in mode "${mode.name}"`, (show) => {
      if (share) {
        show('is shared by a key, and any line is routed by channels', () =>
          inSandbox((place) => routes(subject, mode, share, optionsFor(subject, mode, place))),
        );
      }
      if (server) {
        show('is a server with addresses, headers and paths, and no line invents one', () =>
          inSandbox((place) => isReachable(subject, mode, server, optionsFor(subject, mode, place))),
        );
      }
    });
  });
}

function routes(subject: Subject, mode: AgentMode, share: SharedStdio, options: ResolvedRunOptions): void {
  isText('share.key', () => share.key(options));
  const codec = codecOf(mode);
  // The codec defines the type of the state.
  const channelOf: (state: never) => string = (state) => share.channelOf(state);
  isText('share.channelOf', () => Reflect.apply(channelOf, undefined, [codec?.open(options)]));
  for (const line of linesFor(subject, mode)) {
    const channel: unknown = callMember('share.route', line, () => share.route(line));
    ok(
      channel === undefined || typeof channel === 'string',
      `share.route gave ${describeValue(channel)}, for ${describeValue(line)}`,
    );
  }
}

function isReachable(subject: Subject, mode: AgentMode, server: HttpServerSpec, options: ResolvedRunOptions): void {
  ok(server.baseUrl || server.readUrl, 'neither baseUrl nor readUrl says where the server is');
  if (server.baseUrl)
    parse(
      z.url(),
      callMember('baseUrl', undefined, () => server.baseUrl?.(options, {})),
      'baseUrl',
    );
  if (server.shareKey) isText('shareKey', () => server.shareKey?.(options));
  for (const path of [server.healthPath, server.eventsPath?.(options)]) {
    ok(
      path === undefined || (typeof path === 'string' && path.startsWith('/')),
      `a path is ${describeValue(path)}, not /...`,
    );
  }
  const headers = callMember('headers', undefined, () => server.headers?.(options, 'contract-password', {}) ?? {});
  parse(z.record(z.string(), z.string()), headers, 'headers');
  for (const line of linesFor(subject, mode)) {
    const url: unknown = callMember('readUrl', line, () => server.readUrl?.(line));
    if (url !== undefined) parse(z.url(), url, `readUrl, for ${describeValue(line)}`);
  }
}

function isText(what: string, call: () => unknown): void {
  const value = callMember(what, undefined, call);
  strictEqual(typeof value, 'string', `${what} must return a string, and gave ${describeValue(value)}`);
}

function linesFor(subject: Subject, mode: AgentMode): string[] {
  return [...heardIn(subject, mode.name).slice(0, 100), ...hardLines().map(([, line]) => line), 'a plain line'];
}
