import { createHash } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { DaemonSettingsView, SettingsPatch } from '@agent-mux/api/schemas';
import {
  AgentMuxError,
  asStorageError,
  type ConfigIssue,
  editDaemonConfig,
  isRecord,
  loadConfig,
  messageOf,
  parseDocument,
  userConfigFile,
} from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { formatHours } from '../limits/days.ts';
import { type NotifySettings, readNotifySettings, type Target } from '../notify/notify-settings.ts';
import { showTarget } from '../notify/send.ts';
import { changesOf } from './changes-of.ts';
import { removeLeftovers, removeSecrets, writeSecrets } from './secret-files.ts';
import { type DaemonSettings, readSettings } from './settings.ts';

/** Names in the file, and the matching settings. */
const FIELDS = {
  port: 'port',
  parkAfter: 'parkAfterMs',
  maxLiveSessions: 'maxLiveSessions',
  maxRuntime: 'maxRuntimeMs',
  handshakeTimeout: 'handshakeMs',
  maxOutputBytes: 'maxOutputBytes',
  maxInlineChars: 'maxInlineChars',
  storeContent: 'storeContent',
  retention: 'retentionMs',
  retentionBytes: 'retentionBytes',
  onLimit: 'onLimit',
  continuation: 'continuation',
  budgets: 'budgets',
  queryClaudeUsage: 'queryClaudeUsage',
} as const satisfies Record<string, keyof DaemonSettings>;

export interface SettingsService {
  view(): DaemonSettingsView;
  /** Writes the file and applies the change at once. */
  change(patch: SettingsPatch): Promise<DaemonSettingsView>;
}

export interface SettingsManager extends SettingsService {
  /** Always the same object, with the current values. */
  readonly settings: DaemonSettings;
  readonly notify: NotifySettings;
  /** Problems of the targets and rules in the file. */
  readonly notifyProblems: readonly string[];
  /** Removes files left by a daemon that was killed during a change. */
  removeLeftovers(): Promise<void>;
  /** Called after each change. */
  onChange(listener: () => void): void;
}

interface SettingsOptions {
  env: NodeJS.ProcessEnv;
  /** A folder without a project. */
  home: string;
  /** Values that override the file. */
  fixed?: Partial<DaemonSettings> | undefined;
  log(line: string): void;
}

/** Manages the settings: loads them from the file at startup and applies changes. */
export function openSettings({ env, home, fixed = {}, log }: SettingsOptions): SettingsManager {
  const file = userConfigFile(env);
  const first = readFile();
  for (const issue of first.issues) log(`${formatIssue(issue)}; using the default`);
  for (const issue of first.notify.issues) log(`${formatIssue(issue)}; ignored`);
  const settings: DaemonSettings = { ...first.settings, ...fixed };
  let { notify } = first;
  let work: Promise<unknown> = Promise.resolve();
  const listeners: (() => void)[] = [];
  const overridden = Object.entries(FIELDS).flatMap(([name, key]) => (Object.hasOwn(fixed, key) ? [name] : []));

  function readFile() {
    const config = loadConfig({ env, cwd: home });
    const ofFile = config.issues.filter((issue) => issue.file === file);
    const value = isRecord(config.daemon?.value) ? config.daemon.value : {};
    return { ...readSettings(config), notify: readNotifySettings(config), ofFile, value };
  }

  function view(): DaemonSettingsView {
    const now = readFile();
    const isBroken = now.issues.length + now.ofFile.length > 0;
    const differs = ([name, key]: [string, keyof DaemonSettings]) =>
      !overridden.includes(name) && !isDeepStrictEqual(now.settings[key], settings[key]);
    const pending = isBroken ? [] : Object.entries(FIELDS).flatMap((field) => (differs(field) ? [field[0]] : []));
    if (!isBroken && !isDeepStrictEqual(now.notify.settings, notify.settings)) pending.push('notify');
    const { retentionMs, retentionBytes, storeContent, parkAfterMs, maxLiveSessions, onLimit, continuation, budgets } =
      settings;
    const { hours, maxPerDay, staggerMs, message } = continuation;
    return {
      ...{ file, revision: revisionOf(now.value), pending, overridden: [...overridden] },
      ...{ retentionMs, retentionBytes, storeContent, parkAfterMs, maxLiveSessions, onLimit },
      continuation: { hours: hours && formatHours(hours), maxPerDay, staggerMs, message },
      budgets: [...budgets],
      notify: {
        targets: [...notify.settings.targets.values()].map(viewTarget),
        rules: [...notify.settings.written],
      },
      problems: [...now.ofFile, ...now.issues, ...now.notify.issues].map(formatIssue),
    };
  }

  /**
   * Refuses to write over invalid entries of the file: they would be lost, or have no effect. They must be fixed first.
   */
  function assertNoIssues({ notify: patch }: SettingsPatch): void {
    assertReadable(file);
    const now = readFile();
    const lost = now.notify.issues.filter(
      ({ field }) => patch?.rules !== undefined && /^daemon\.notify(\.rules|$)/.test(field),
    );
    const [issue] = [...now.ofFile.filter(({ field }) => field === ''), ...now.issues, ...lost];
    if (issue)
      throw new DaemonError('CONFIG_ERROR', `${formatIssue(issue)}: nothing was changed`, {
        hint: 'fix that line of the file first',
      });
  }

  function check(after: Readonly<Record<string, unknown>>, patch: SettingsPatch): void {
    const { document } = parseDocument(file, JSON.stringify({ daemon: after }));
    const section = { daemon: { value: after, document } };
    const known = new Set(readFile().notify.issues.map(keyOf));
    const ofNotify = readNotifySettings(section).issues.filter((issue) => !known.has(keyOf(issue)));
    const issues = [...readSettings(section).issues, ...(patch.notify === undefined ? [] : ofNotify)];
    if (issues.length === 0) return;
    const located = issues.map(({ field, problem }) => ({ field: field.replace(/^daemon\.?/, ''), problem }));
    const text = located.map(({ field, problem }) => `${field} ${problem}`.trim());
    throw new DaemonError('VALIDATION_ERROR', text.join('; '), { issues: located, hint: 'nothing was changed' });
  }

  async function change(patch: SettingsPatch): Promise<DaemonSettingsView> {
    const decided = overridden.find((name) =>
      Object.entries(patch).some(([key, value]) => key === name && value !== undefined),
    );
    if (decided !== undefined)
      throw new DaemonError('CONFIG_ERROR', `daemon.${decided} is overridden by a flag or environment variable`, {
        hint: 'start the daemon without that flag or variable',
      });
    assertNoIssues(patch);
    const before = secretFilesOf(notify.settings);
    const written = await writeSecrets(patch, env);
    try {
      await editDaemonConfig(
        (current) => {
          if (patch.revision !== undefined && patch.revision !== revisionOf(current))
            throw new DaemonError('CONFIG_CONFLICT', `${file} was changed in the meantime`, {
              hint: 'reload the settings and try again',
            });
          return changesOf(patch, current, written);
        },
        { env, check: (after) => check(after, patch) },
      );
    } catch (error) {
      await removeSecrets(written.values(), env);
      if (error instanceof AgentMuxError && error.cause instanceof DaemonError) throw error.cause;
      throw error;
    }
    apply();
    const after = secretFilesOf(notify.settings);
    await removeSecrets(
      [...before].filter((secret) => !after.has(secret)),
      env,
    );
    return view();
  }

  function apply(): void {
    assertReadable(file);
    const now = readFile();
    // Keep the current settings: the defaults of an unreadable file may store what must not be stored.
    if (now.ofFile.some(({ field }) => field === '')) return;
    // The port is already in use by the running server.
    Object.assign(settings, now.settings, { port: settings.port }, fixed);
    notify = now.notify;
    for (const listener of listeners) listener();
  }

  return {
    settings,
    get notify() {
      return notify.settings;
    },
    get notifyProblems() {
      return notify.issues.map(formatIssue);
    },
    view,
    change(patch) {
      const result = work.then(() => change(patch));
      work = result.catch(() => {});
      return result;
    },
    async removeLeftovers() {
      const now = readFile();
      // A file with issues may refer to any of them.
      if (now.ofFile.length + now.notify.issues.length > 0) return;
      try {
        const removed = await removeLeftovers(secretFilesOf(now.notify.settings), env);
        if (removed.length > 0) log(`removed ${removed.length} files left by an unfinished settings change`);
      } catch (error) {
        log(`cannot remove files left by an unfinished settings change: ${messageOf(error)}`);
      }
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/**
 * Throws STORAGE_ERROR if the disk or this process cannot open the file at the moment, which is not an issue of the
 * file.
 */
function assertReadable(file: string): void {
  try {
    closeSync(openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  } catch (error) {
    const failure = asStorageError(error, file);
    if (failure) throw failure;
  }
}

function viewTarget(target: Target): DaemonSettingsView['notify']['targets'][number] {
  const { secretFile = null, secretEnv = null } = target.type === 'webhook' ? target : {};
  return { ...showTarget(target), secretFile, secretEnv };
}

function secretFilesOf({ targets }: NotifySettings): Set<string> {
  return new Set(
    [...targets.values()].flatMap((target) => (target.type === 'webhook' ? (target.secretFile ?? []) : [])),
  );
}

function revisionOf(daemon: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(daemon)).digest('hex').slice(0, 16);
}

function keyOf({ field, problem }: ConfigIssue): string {
  return `${field} ${problem}`;
}

function formatIssue({ file, line, field, problem }: ConfigIssue): string {
  return `${file}:${line}: ${field} ${problem}`;
}
